"""Which reader reads what: by declared media type, by extension, and by the bytes when both are wrong."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from tamis.acquire.opening import open_regular
from tamis.acquire.readers.base import Body, Reader, Skipped, StreamingReader
from tamis.acquire.readers.rows import no_rows
from tamis.errors import UnreadableError
from tamis.schema.document import Document, Page
from tamis.text.encoding import wide_encoding

_GENERIC = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/plain", "application/zip"})
_HTML_START = re.compile(
    rb"^\s*+(?:<\?xml[^>]*>\s*+)?(?:(?><!--.{0,2000}?-->)\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_BINARY_SAMPLE = 4096
_BATCH = 256
"""Rows of a dataset handed on together, fewer where they are long."""
_BATCH_CHARACTERS = 4_000_000
_TEXTUAL = frozenset({"text/plain", "text/markdown", "text/html"})
# Controls no text holds in numbers; those for white space and for shifting character sets are left out.
_CONTROLS = bytes([*range(8), *range(16, 27), *range(28, 32), 127])
_MOST_CONTROLS = 0.03
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_BINARY_STARTS = (b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x7fELF")


@lru_cache(maxsize=1)
def readers() -> tuple[Reader, ...]:
    """All readers, in the order of their module names."""
    package = importlib.import_module("tamis.acquire.readers")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return tuple(module.READER for module in modules if hasattr(module, "READER"))


@lru_cache(maxsize=1)
def extensions() -> frozenset[str]:
    """Every extension some reader reads, lower case with the dot."""
    return frozenset().union(*(reader.extensions for reader in readers()))


@lru_cache(maxsize=1)
def _by_media_type() -> dict[str, Reader]:
    return {kind: reader for reader in readers() for kind in sorted(reader.media_types)}


@lru_cache(maxsize=1)
def _by_extension() -> dict[str, Reader]:
    return {end: reader for reader in readers() for end in sorted(reader.extensions)}


def streams(path: Path) -> bool:
    """Whether a file is a dataset, which is read row by row."""
    return isinstance(_by_extension().get(path.suffix.lower()), StreamingReader)


def stream_pages(path: Path, body: Body) -> Iterator[Page]:
    """Read a dataset's file in pages that fit in memory.

    Raises:
        UnreadableError: it cannot be read, or no row at all became a document.
        OSError: it cannot be opened.
    """
    reader = _by_extension()[path.suffix.lower()]
    if not isinstance(reader, StreamingReader):
        raise TypeError(path.suffix)
    total = 0
    problem = ""
    with open_regular(path) as stream:
        for page in _batches(reader.stream(stream, body)):
            total += len(page.documents)
            problem = problem or next(iter(page.problems), "")
            yield page
    if not total:
        raise no_rows(body.url, problem)


def _batches(items: Iterable[Document | Skipped]) -> Iterator[Page]:
    """Gather streamed rows into pages."""
    documents: list[Document] = []
    problems: list[str] = []
    size = 0
    for item in items:
        if isinstance(item, Skipped):
            problems.append(str(item))
        else:
            documents.append(item)
            size += len(item.text)
        if len(documents) + len(problems) >= _BATCH or size >= _BATCH_CHARACTERS:
            yield Page(tuple(documents), problems=tuple(problems))
            documents, problems, size = [], [], 0
    if documents or problems:
        yield Page(tuple(documents), problems=tuple(problems))


def extension(url: str) -> str:
    """The lower-case extension of a URL's or a file's last path segment, with the dot."""
    return PurePosixPath(unquote(urlsplit(url).path)).suffix.lower()


def _sniffed(body: Body) -> str:
    """The media type the first bytes betray, empty where they do not."""
    head = body.data[:_BINARY_SAMPLE]
    if head.lstrip()[:5] == b"%PDF-":
        return "application/pdf"
    if head.startswith(b"PK\x03\x04"):
        if b"mimetypeapplication/epub+zip" in head[:200]:
            return "application/epub+zip"
        if b"word/document.xml" in body.data:
            return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        return "application/zip"
    if head.startswith(b"PAR1"):
        return "application/vnd.apache.parquet"
    return "text/html" if _HTML_START.match(head) else ""


def choose(body: Body) -> Reader:
    """Find the reader of some bytes.

    What the bytes betray wins, then the declared type, then the extension; unknown text is read as text.

    Raises:
        UnreadableError: no reader for this kind.
    """
    end = extension(body.url)
    kinds, ends = _by_media_type(), _by_extension()
    sniffed = _sniffed(body)
    textual = ends.get(end) if sniffed == "text/html" and end in {".md", ".markdown", ".txt"} else None
    if textual is not None and body.media_type != "text/html":
        return textual
    if sniffed in kinds:
        return kinds[sniffed]
    declared = kinds.get(body.media_type)
    if declared is not None and body.media_type not in _GENERIC:
        return declared
    if end in ends:
        return ends[end]
    if declared is not None:
        return declared
    if body.media_type.startswith("text/") or (body.media_type in _GENERIC and not _looks_binary(body.data)):
        return kinds["text/plain"]
    kind = body.media_type or sniffed or "unknown binary"
    raise UnreadableError(
        f"{body.url}: no reader for {kind}{f' ({end})' if end else ''}",
        fix=f"readable: {' '.join(sorted(extensions()))}",
    )


def read_body(body: Body) -> Page:
    """Read some bytes with the reader that fits, in a process that may hang or crash.

    Raises:
        UnreadableError: no reader for this kind, or no readable text.
    """
    reader = choose(body)
    if _TEXTUAL & reader.media_types and _garbage(body.data):
        raise UnreadableError(f"{body.url}: is binary, not text")
    from tamis.acquire.readers.apart import READING

    return READING.read(body)


def _looks_binary(data: bytes) -> bool:
    head = data[:_BINARY_SAMPLE]
    return head.startswith(_BINARY_STARTS) or (b"\0" in head and not _wide(head))


def _garbage(data: bytes) -> bool:
    """Whether bytes that claim to be text hold so many control characters that they cannot be; wide encodings can."""
    head = data[:_BINARY_SAMPLE]
    return not _wide(head) and len(head) - len(head.translate(None, _CONTROLS)) > max(4, _MOST_CONTROLS * len(head))


def _wide(head: bytes) -> bool:
    return head.startswith(_WIDE_MARKS) or bool(wide_encoding(head))
