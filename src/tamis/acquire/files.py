"""Files and folders of one's own: which to read, under which id, and reading them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from tamis.acquire.readers import extensions
from tamis.acquire.readers.base import Body, Skipped
from tamis.acquire.readers.registry import read_body, streaming
from tamis.acquire.readers.rows import no_rows
from tamis.errors import UnreadableError, UsageError
from tamis.schema.document import Document, Page
from tamis.settings import ReadSettings

Problems = list[tuple[str, str]]
"""(file or folder, reason) of what was left out."""

_BATCH = 256
"""Rows of a dataset handed on together."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read.

    Attributes:
        path: where it lies.
        document_id: its path relative to the folder it was found in, with ``/``; unique within one `find`.
    """

    path: Path
    document_id: str

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return self.path.name

    def __str__(self) -> str:
        return str(self.path)


def find(paths: Sequence[Path], *, problems: Problems | None = None) -> Iterator[Found]:
    """Find the readable files among paths, folders searched in sorted order.

    Hidden files, and kinds nobody reads, are passed over inside folders and reported when named themselves. A folder
    reached twice through links is searched once.

    Args:
        paths: files and folders.
        problems: where what was left out is noted.

    Yields:
        Files, none twice.

    Raises:
        UsageError: a path does not exist, or there is nothing to read below any of them.
    """
    missing = [path for path in paths if not os.path.lexists(path)]
    if missing:
        web = any(str(path).startswith(("http:", "https:")) for path in missing)
        raise UsageError(
            f"no such file or folder: {', '.join(map(str, missing))}",
            fix="a site is read with `tamis crawl URL --name N`" if web else "check the spelling of the path",
        )
    noted: Problems = problems if problems is not None else []
    files: set[str] = set()
    ids: set[str] = set()
    for root in paths:
        for path in _walk(root, noted) if root.is_dir() else _named(root):
            real = os.path.realpath(path)
            if real in files:
                continue
            files.add(real)
            name = _unique(_identity(root, path), root, ids)
            ids.add(name)
            yield Found(path, name)
    if not files:
        raise UsageError(
            f"nothing to read in {', '.join(map(str, paths))}", fix=f"readable: {' '.join(sorted(extensions()))}"
        )


def _named(path: Path) -> Iterator[Path]:
    yield path


def _walk(root: Path, problems: Problems) -> Iterator[Path]:
    """Files below a folder whose extension some reader knows, depth first in sorted order."""
    readable = extensions()
    visited: set[str] = set()
    pending = [root]
    while pending:
        path = pending.pop()
        try:
            if not path.is_dir():
                if path.is_file() and path.suffix.lower() in readable:
                    yield path
                continue
            real = os.path.realpath(path)
            if real in visited:
                continue
            visited.add(real)
            names = sorted(entry.name for entry in os.scandir(path) if not entry.name.startswith("."))
        except OSError as error:
            problems.append((str(path), error.strerror or "cannot be opened"))
            continue
        pending.extend(path / name for name in reversed(names))


def _identity(root: Path, path: Path) -> str:
    relative = path.relative_to(root) if root.is_dir() else Path(path.name)
    return _printable(PurePosixPath(*relative.parts).as_posix())


def _printable(name: str) -> str:
    """File names are bytes; what is not UTF-8 in them is escaped, so that an id can always be printed and stored."""
    return os.fsencode(name).decode("utf-8", errors="backslashreplace")


def _unique(name: str, root: Path, taken: set[str]) -> str:
    """The id, with more of the path in front where another root already took it."""
    if name not in taken:
        return name
    above = root.absolute() if root.is_dir() else root.absolute().parent
    for part in reversed([_printable(part) for part in above.parts]):
        name = f"{part.strip('/')}/{name}"
        if name not in taken:
            return name
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"


def _body(found: Found, data: bytes, settings: ReadSettings) -> Body:
    uri = found.path.absolute().as_uri()
    return Body(data, uri, source="file", document_id=found.document_id, settings=settings)


def _checked_size(path: Path, settings: ReadSettings) -> None:
    size = path.stat().st_size
    if size > settings.max_file_bytes:
        raise UnreadableError(
            f"{path}: {size:,} bytes, above the limit of {settings.max_file_bytes:,}", fix="raise read.max_file_bytes"
        )


def _as_found(path: Path | Found) -> Found:
    return path if isinstance(path, Found) else Found(path, _printable(path.name))


def read_file(path: Path | Found, settings: ReadSettings) -> Page:
    """Read one file whole.

    Raises:
        UnreadableError: it cannot be opened, is too large, of no known kind, or holds no text.
    """
    found = _as_found(path)
    try:
        _checked_size(found.path, settings)
        data = found.path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"{found.path}: {error.strerror or 'cannot be opened'}") from error
    body = _body(found, data, settings)
    return read_body(body)


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
    reader = streaming(found.path.suffix.lower())
    if reader is None:
        yield read_file(found, settings)
        return
    total = 0
    problem = ""
    try:
        with found.path.open("rb") as stream:
            for page in _batches(reader.stream(stream, _body(found, b"", settings))):
                total += len(page.documents)
                problem = problem or next(iter(page.problems), "")
                yield page
    except OSError as error:
        raise UnreadableError(f"{found.path}: {error.strerror or 'cannot be opened'}") from error
    if not total:
        raise no_rows(str(found.path), problem)


def _batches(items: Iterable[Document | Skipped]) -> Iterator[Page]:
    """Gather streamed rows into pages."""
    remaining = iter(items)
    while batch := list(islice(remaining, _BATCH)):
        documents = tuple(item for item in batch if isinstance(item, Document))
        yield Page(documents, problems=tuple(str(item) for item in batch if isinstance(item, Skipped)))
