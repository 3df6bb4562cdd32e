"""Folders and files that their owner alone may read, which is everything tamis makes of its own accord; whole files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def private_folder(path: Path) -> Path:
    """Make a folder and those above it that are missing, each for its owner alone; existing ones are left as they are.

    Returns:
        The folder.

    Raises:
        OSError: it cannot be made.
    """
    # mkdir with parents gives its mode to the last folder only.
    for folder in reversed([path, *path.parents]):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    return path


def write_private(path: Path, data: bytes) -> None:
    """Replace a file as a whole, so that a reader sees all of the old or all of the new; its folder is made if need be.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    # mkstemp gives the mode 0600.
    handle, name = tempfile.mkstemp(dir=private_folder(path.parent), prefix=f".{path.name}-", suffix=".tmp")
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A place beside a file to write it anew, with the mode any new file gets; it takes the file's place at the end.

    An interrupted writer leaves the file as it was, and nothing beside it.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
