"""One writer a collection, by an advisory file lock that dies with its process."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tamis.errors import BusyStoreError

_POLL_SECONDS = 0.05


@contextmanager
def write_lock(path: Path, *, wait_seconds: float, make_folder: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Hold the lock file of a collection.

    Args:
        path: the lock file, created if need be; it holds the writer's process id for people to read.
        wait_seconds: how long to wait for another writer.
        make_folder: called before the file is opened.

    Raises:
        BusyStoreError: another process still holds it.
        FileNotFoundError: there is no such folder, or no more: whoever held the lock deleted it.
    """
    deadline = time.monotonic() + wait_seconds
    descriptor = -1
    try:
        while descriptor < 0:
            make_folder()
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            _acquire(descriptor, path, deadline)
            if not _still_there(descriptor, path):
                os.close(descriptor)
                descriptor = -1
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        # Closing releases the lock; the file stays, because removing it would let two writers hold two files.
        if descriptor >= 0:
            os.close(descriptor)


def _still_there(descriptor: int, path: Path) -> bool:
    """Whether the file is the one that others will open: its folder may have been deleted while we waited."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _acquire(descriptor: int, path: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
                raise BusyStoreError(
                    f"collection {path.parent.name!r} is being written by process {holder}",
                    fix="wait until it is done, or raise store.busy_seconds",
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return
