"""One writer a collection, by an advisory file lock that dies with its process."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tamis.errors import BusyStoreError

_POLL_SECONDS = 0.05


@contextmanager
def write_lock(path: Path, *, wait_seconds: float) -> Iterator[None]:
    """Hold the lock file of a collection.

    Args:
        path: the lock file, created if need be; it holds the writer's process id for people to read.
        wait_seconds: how long to wait for another writer.

    Raises:
        BusyStoreError: another process still holds it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _acquire(descriptor, path, wait_seconds)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        # Closing releases the lock; the file stays, because removing it would let two writers hold two files.
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, wait_seconds: float) -> None:
    deadline = time.monotonic() + wait_seconds
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
