"""What is read: documents, their chunks, and where each piece of text came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Span = tuple[int, int]
"""Half-open character range [start, end) in a document's text."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in the text that the source lets one link to.

    Attributes:
        start: character offset in the document's text from which the anchor holds.
        fragment: what to put behind ``#`` (an element id, or ``page=3`` for a PDF).
    """

    start: int
    fragment: str


@dataclass(frozen=True, slots=True)
class Document:
    """One fetched page, file, feed item or dataset row.

    Attributes:
        document_id: the external id where the source gave one, else the canonical URL or path.
        url: what a reader opens; ``file:`` URI for local files, with ``#row=N`` for rows of a dataset.
        title: plain text, empty when unknown.
        text: the main content as Markdown (headings, lists, fenced code, pipe tables). All spans point into it.
        sha256: hex digest of the UTF-8 bytes of ``text``.
        source: which source delivered it (``crawl``, ``file``, ``hn`` …).
        media_type: of the original bytes, e.g. ``text/html``.
        language: ISO 639-1 code, empty when unknown.
        published: ISO 8601 date or datetime, None when unknown. Never guessed as "now".
        author: plain text, empty when unknown.
        keywords: as the source declares them.
        anchors: ascending by ``start``.
        metadata: everything else the source said, values as strings.
    """

    document_id: str
    url: str
    title: str
    text: str
    sha256: str
    source: str
    media_type: str = "text/plain"
    language: str = ""
    published: str | None = None
    author: str = ""
    keywords: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrieval-sized passage of a document.

    Attributes:
        chunk_id: ``{document_id}#c{ordinal}``; a dataset's own chunk id stays in the document's id.
        document_id: the owner.
        ordinal: 0-based position among the document's chunks.
        start: first character in ``Document.text``.
        end: one past the last character.
        text: ``Document.text[start:end]``.
        headings: the heading path above the passage, outermost first.
    """

    chunk_id: str
    document_id: str
    ordinal: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()


def owner(chunk_id: str) -> str:
    """The document that a chunk belongs to, read off its id."""
    return chunk_id.rpartition("#c")[0]


@dataclass(frozen=True, slots=True)
class Link:
    """One outgoing link of a page.

    Attributes:
        url: absolute, fragment removed.
        text: the anchor text.
        context: the sentence or block around it, plain text.
        position: 0 at the top of the main content, 1 at its end.
    """

    url: str
    text: str
    context: str = ""
    position: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """What a reader makes of one body of bytes: documents to keep and links to follow.

    A page is one document; a dataset file (JSONL, CSV, Parquet) is one per row.

    Attributes:
        documents: in the order of the source.
        links: in document order, none twice; empty for kinds without links.
        canonical_url: as the page declares it, empty if it does not.
        robots: lower-case directives of the page itself (``noindex``, ``nofollow``).
        problems: rows or parts that were skipped, one line each with the reason.
    """

    documents: tuple[Document, ...]
    links: tuple[Link, ...] = ()
    canonical_url: str = ""
    robots: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
