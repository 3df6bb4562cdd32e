"""What a reader is given, what it is, and how it makes a document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Protocol, runtime_checkable

from tamis.schema.document import Anchor, Document, Page
from tamis.settings import ReadSettings
from tamis.text.encoding import bare, clean, printable
from tamis.text.language import language


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes to read, with what is known about them.

    Attributes:
        data: as received.
        url: where they come from; the base of relative links.
        media_type: lower case, without parameters, empty when unknown.
        charset: as the transport declared it, empty when it did not.
        source: name of the source for `Document.source`.
        document_id: id of a single-document body.
        settings: limits.
    """

    data: bytes
    url: str
    media_type: str = ""
    charset: str = ""
    source: str = "file"
    document_id: str = ""
    settings: ReadSettings = field(default_factory=ReadSettings)


_MOMENT = re.compile(
    r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?(?![0-9])"
)


_LONGEST_TITLE = 1_000
"""Characters: a title goes along with every passage of its document."""
_MOST_KEYWORDS = 200
_ACTIVE = frozenset({"javascript", "data", "vbscript"})


class Reader(Protocol):
    """One format. A module in this package that defines ``READER`` is registered by being there."""

    @property
    def media_types(self) -> frozenset[str]:
        """Media types it reads."""
        ...

    @property
    def extensions(self) -> frozenset[str]:
        """File extensions it reads, lower case with the dot."""
        ...

    def read(self, body: Body) -> Page:
        """Read bytes of this format.

        Raises:
            UnreadableError: they hold no text that can be read, with the reason.
        """
        ...


@runtime_checkable
class StreamingReader(Protocol):
    """A format of many documents that is read without holding the file."""

    def stream(self, stream: IO[bytes], body: Body) -> Iterator[Document | Skipped]:
        """Documents one at a time, and a `Skipped` for each row that is none; the body's data is not looked at."""
        ...


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that became no document.

    Attributes:
        row: 1-based, as an editor counts lines or a spreadsheet rows.
        reason: what was wrong with it.
    """

    row: int
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}"


def one_line(text: str) -> str:
    """Clean text with every run of white space made one space."""
    return " ".join(clean(text).split())


def _address(url: str) -> str:
    """A URL as it may be shown and followed, empty where following it would run something."""
    url = bare(url)
    return "" if url.partition(":")[0].lower() in _ACTIVE else url


def _moment(declared: str) -> str | None:
    """A day or moment in ISO 8601, cut out of what was declared; None where it does not begin with a year."""
    match = _MOMENT.match(declared.strip())
    return match.group().replace(" ", "T") if match else None


def make_document(
    body: Body,
    text: str,
    *,
    title: str = "",
    document_id: str = "",
    url: str | None = None,
    media_type: str = "",
    language_code: str = "",
    published: str | None = None,
    author: str = "",
    keywords: tuple[str, ...] = (),
    anchors: tuple[Anchor, ...] = (),
    metadata: Mapping[str, str] | None = None,
) -> Document:
    """Make a document of text that is already clean.

    Args:
        body: where the text was read from.
        text: Markdown; `anchors` point into it, so it is kept as it is.
        title: plain text.
        document_id: overrides the body's.
        url: overrides the body's.
        media_type: overrides the body's.
        language_code: as declared; detected where empty.
        published: ISO 8601 or None.
        author: plain text.
        keywords: as declared.
        anchors: ascending.
        metadata: what else the source said.
    """
    return Document(
        document_id=printable(document_id or body.document_id or body.url),
        url=_address(body.url if url is None else url),
        title=one_line(title)[:_LONGEST_TITLE],
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        source=body.source,
        media_type=media_type or body.media_type or "text/plain",
        language=language_code or language(text),
        published=_moment(published or ""),
        author=one_line(author)[:_LONGEST_TITLE],
        keywords=tuple(dict.fromkeys(word for word in map(one_line, keywords[:_MOST_KEYWORDS]) if word)),
        anchors=tuple(anchor for anchor in anchors if printable(anchor.fragment) == anchor.fragment),
        metadata=dict(metadata or {}),
    )
