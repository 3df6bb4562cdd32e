"""Opening files that may be anything: only regular ones, never waiting, never more than allowed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO

from tamis.errors import UnreadableError
from tamis.text.encoding import printable

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_PIECE = 1 << 20
_TRIES = 3


def shown(path: Path) -> str:
    """A path as it may be printed and stored: names are bytes and may hold anything."""
    return printable(os.fsencode(path).decode("utf-8", errors="backslashreplace"))


def special(path: Path) -> str:
    """What a path is instead of a file or a folder, empty where it is one of them.

    Raises:
        OSError: it cannot be looked at.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            return "a link that leads nowhere"
        raise
    return "" if stat.S_ISDIR(mode) else _kind(mode)


def _kind(mode: int) -> str:
    return "" if stat.S_ISREG(mode) else next((kind for fits, kind in _KINDS if fits(mode)), "no file")


def open_regular(path: Path) -> IO[bytes]:
    """Open a regular file. A pipe or a device might never answer, or never end.

    Raises:
        UnreadableError: it is something else.
        OSError: it cannot be opened.
    """
    # Looked at before it is opened: opening wakes some devices.
    _refuse(path, path.stat().st_mode)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    stream = os.fdopen(os.open(path, flags), "rb")
    try:
        _refuse(path, os.fstat(stream.fileno()).st_mode)
    except BaseException:
        stream.close()
        raise
    return stream


def _refuse(path: Path, mode: int) -> None:
    if kind := _kind(mode):
        raise UnreadableError(f"{shown(path)}: is {kind}, not a file")


def contents(path: Path, limit: int) -> bytes:
    """All bytes of a regular file, as they stood at one moment.

    Args:
        path: the file.
        limit: most bytes.

    Raises:
        UnreadableError: it is no regular file, too large, or written to all the while.
        OSError: it cannot be read.
    """
    for _ in range(_TRIES):
        with open_regular(path) as stream:
            before = os.fstat(stream.fileno())
            data = _up_to(stream, limit) if before.st_size <= limit else b""
            after = os.fstat(stream.fileno())
        size = max(before.st_size, len(data))
        if size > limit:
            raise UnreadableError(
                f"{shown(path)}: {size:,} bytes, above the limit of {limit:,}", fix="raise read.max_file_bytes"
            )
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            return data
    raise UnreadableError(f"{shown(path)}: is being written to", fix="read it when it is finished")


def _up_to(stream: IO[bytes], limit: int) -> bytes:
    """The bytes to the end, or a few more than allowed."""
    parts: list[bytes] = []
    size = 0
    while size <= limit and (part := stream.read(_PIECE)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)
