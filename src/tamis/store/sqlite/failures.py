"""What SQLite and the file system refuse, said so that a person can act on it."""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tamis.errors import BusyStoreError, DamagedStoreError, DiskError, StoreError

FILE_NAME = "collection.sqlite"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_LITTLE = 1_000_000
"""With fewer bytes free, an input/output error of SQLite means that there is no room."""


def damaged(folder: Path, reason: str) -> DamagedStoreError:
    """The error for a database that cannot be read."""
    return DamagedStoreError(f"{folder / FILE_NAME} is damaged: {reason}", fix=_ask_the_doctor(folder))


def damaged_arrays(folder: Path, index: Path, files: list[str]) -> DamagedStoreError:
    """The error for a snapshot whose files are not what they were written as."""
    return DamagedStoreError(f"{index} is damaged: {', '.join(files)} changed", fix=_ask_the_doctor(folder))


def _ask_the_doctor(folder: Path) -> str:
    return (
        f"`tamis doctor --name {folder.name}` says what can be saved, "
        f"`tamis doctor --name {folder.name} --repair` saves it"
    )


def no_space(folder: Path) -> DiskError:
    """The error for a full disk."""
    return DiskError(
        f"no space left for collection {folder.name!r}: {_free(folder):,} bytes are free in {folder}",
        fix="free some space and run the same command again; everything stored so far is kept",
    )


def _free(folder: Path) -> int:
    there = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    return shutil.disk_usage(there).free


def _busy(folder: Path, text: str) -> StoreError:
    return BusyStoreError(f"collection {folder.name!r} is in use: {text}", fix="wait until the other process is done")


def _read_only(folder: Path, text: str) -> StoreError:
    return DiskError(
        f"collection {folder.name!r} cannot be written: {text}",
        fix=f"check the permissions of {folder}, and whether its disk is mounted read-only",
    )


def _input_output(folder: Path, text: str) -> StoreError:
    if _free(folder) < _LITTLE:
        return no_space(folder)
    return DiskError(
        f"the disk fails while collection {folder.name!r} is used: {text}", fix=f"check the disk of {folder}"
    )


_BY_CODE: dict[str, Callable[[Path, str], StoreError]] = {
    "SQLITE_FULL": lambda folder, _: no_space(folder),
    "SQLITE_IOERR": _input_output,
    "SQLITE_CORRUPT": damaged,
    "SQLITE_NOTADB": damaged,
    "SQLITE_BUSY": _busy,
    "SQLITE_LOCKED": _busy,
    "SQLITE_READONLY": _read_only,
    "SQLITE_CANTOPEN": _read_only,
    "SQLITE_PERM": _read_only,
}
_DAMAGE = ("malformed", "no such table", "no such column", "Could not decode", "no such module")


@contextmanager
def failures_of(folder: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into errors a person can act on."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _named(folder, error) from error
    except json.JSONDecodeError as error:
        raise damaged(folder, f"a value in it is no JSON ({error})") from error
    except OSError as error:
        if error.errno in _FULL:
            raise no_space(folder) from error
        raise DiskError(
            f"{error.filename or folder} cannot be used: {error.strerror or error}",
            fix=f"check the permissions of {folder}",
        ) from error


def _named(folder: Path, error: sqlite3.DatabaseError) -> StoreError:
    text, code = str(error), str(getattr(error, "sqlite_errorname", ""))
    for name, make in _BY_CODE.items():
        if code == name or code.startswith(f"{name}_"):
            return make(folder, text)
    if any(sign in text for sign in _DAMAGE):
        return damaged(folder, text)
    return StoreError(f"collection {folder.name!r} cannot be used: {text}", fix=f"check the permissions of {folder}")
