"""Files and folders of one's own: which to read, under which id, and reading them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tamis.acquire.opening import contents, shown, special
from tamis.acquire.origins import SOURCE, Origins
from tamis.acquire.readers import extensions
from tamis.acquire.readers.apart import READING
from tamis.acquire.readers.base import Body
from tamis.acquire.readers.registry import read_body, streams
from tamis.errors import UnreadableError, UsageError
from tamis.schema.document import Page
from tamis.settings import ReadSettings
from tamis.text.urls import without_credentials

Problems = list[tuple[str, str]]
"""(file or folder, reason) of what was left out."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read.

    Attributes:
        path: where it lies.
        document_id: its path below the folder it was found in, with ``/``, and as much of what is above that as it
            takes to be no other file's.
    """

    path: Path
    document_id: str

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return self.path.name

    def __str__(self) -> str:
        return shown(self.path)


def find(paths: Sequence[Path], *, problems: Problems | None = None, origins: Origins | None = None) -> list[Found]:
    """Find the readable files among paths, folders searched in sorted order.

    Hidden files, and kinds nobody reads, are passed over inside folders and reported when named themselves. A folder
    reached twice through links is searched once. A file that is stored already keeps its name; a new one gets a name
    that no other file has.

    Args:
        paths: files and folders.
        problems: where what was left out is noted.
        origins: of what the collection holds; nothing when None.

    Returns:
        Files, none twice.

    Raises:
        UsageError: a path does not exist, or there is nothing to read below any of them.
    """
    missing = [path for path in paths if not os.path.lexists(path)]
    if missing:
        web = any(str(path).startswith(("http:", "https:")) for path in missing)
        raise UsageError(
            f"no such file or folder: {', '.join(without_credentials(shown(path)) for path in missing)}",
            fix="a site is read with `tamis crawl URL --name N`" if web else "check the spelling of the path",
        )
    noted: Problems = problems if problems is not None else []
    found: dict[str, tuple[Path, Path]] = {}
    for root in paths:
        for path in _walk(root, noted) if root.is_dir() else [root]:
            found.setdefault(os.path.realpath(path), (root, path))
    if not found:
        raise UsageError(
            f"nothing to read in {', '.join(map(shown, paths))}", fix=f"readable: {' '.join(sorted(extensions()))}"
        )
    return _under_names(list(found.values()), origins or Origins())


def _under_names(files: Sequence[tuple[Path, Path]], origins: Origins) -> list[Found]:
    """Give each of some files, named with the folder it was found in, its id."""
    names = [origins.name_of(path, _identity(root, path)) for root, path in files]
    taken = set(names)
    found: list[Found] = []
    for (root, path), name in zip(files, names, strict=True):
        chosen = name or next(
            wanted for wanted in _names(root, path) if wanted not in taken and origins.free(wanted, path)
        )
        taken.add(chosen)
        found.append(Found(path, chosen))
    return found


def _walk(root: Path, problems: Problems) -> Iterator[Path]:
    """Files below a folder whose extension some reader knows, depth first in sorted order."""
    readable = extensions()
    visited: set[str] = set()
    pending = [root]
    while pending:
        path = pending.pop()
        try:
            if not path.is_dir():
                if path.suffix.lower() in readable:
                    if kind := special(path):
                        problems.append((shown(path), f"is {kind}, not a file"))
                    else:
                        yield path
                continue
            real = os.path.realpath(path)
            if real in visited:
                continue
            visited.add(real)
            names = sorted(entry.name for entry in os.scandir(path) if not entry.name.startswith("."))
        except OSError as error:
            problems.append((shown(path), error.strerror or "cannot be opened"))
            continue
        pending.extend(path / name for name in reversed(names))


def _identity(root: Path, path: Path) -> str:
    relative = path.relative_to(root) if root.is_dir() else Path(path.name)
    return shown(relative)


def _names(root: Path, path: Path) -> Iterator[str]:
    """Names for a file, the best first: its path below the folder, then more and more of what is above in front."""
    name = _identity(root, path)
    yield name
    above = root.absolute() if root.is_dir() else root.absolute().parent
    for part in reversed([shown(Path(part)) for part in above.parts]):
        name = f"{part.strip('/')}/{name}"
        yield name
    yield from (f"{name} ({number})" for number in count(2))


def _body(found: Found, data: bytes, settings: ReadSettings) -> Body:
    uri = found.path.absolute().as_uri()
    return Body(data, uri, source=SOURCE, document_id=found.document_id, settings=settings)


def _as_found(path: Path | Found) -> Found:
    return path if isinstance(path, Found) else Found(path, shown(Path(path.name)))


def read_file(path: Path | Found, settings: ReadSettings) -> Page:
    """Read one file whole.

    Raises:
        UnreadableError: it cannot be opened, is too large, of no known kind, or holds no text.
    """
    found = _as_found(path)
    try:
        data = contents(found.path, settings.max_file_bytes)
    except OSError as error:
        raise UnreadableError(f"{shown(found.path)}: {error.strerror or 'cannot be opened'}") from error
    return read_body(_body(found, data, settings))


def iter_file(path: Path | Found, settings: ReadSettings) -> Iterator[Page]:
    """Read one file in pages that fit in memory: datasets in batches of rows, anything else in one page.

    Args:
        path: the file.
        settings: limits; the size limit does not apply to datasets, which are never held whole.

    Yields:
        Pages in the order of the file.

    Raises:
        UnreadableError: as `read_file`; of a dataset only when no row at all became a document.
    """
    found = _as_found(path)
    if streams(found.path):
        yield from READING.stream(found.path, _body(found, b"", settings))
        return
    page = read_file(found, settings)
    if not page.documents:
        raise UnreadableError(f"{found}: holds no main text")
    yield page
