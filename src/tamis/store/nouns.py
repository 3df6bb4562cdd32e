"""What crosses the border between a store and everybody else.

Inside one snapshot a chunk or document has a *row* beside its id, a number that ascends with it: ranking counts in
rows, and only what is shown needs its id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.schema.document import Chunk, Document
from tamis.schema.entity import EntityCount

Rows = npt.NDArray[np.int64]
"""(K,) rows of chunks or documents in one snapshot."""

PageState = Literal["queued", "done", "failed", "refused", "vanished", "skipped"]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document with what was digested from it.

    Attributes:
        document: the document.
        chunks: in order.
        vectors: (len(chunks), D), row i belongs to chunks[i].
        entities: by descending number of mentions, then key.
        topic: by embedding anchors, empty when none is near.
        sentiment: [-1, 1] by embedding anchors.
        quality: [-1, 1], cosine to substantive minus cosine to clickbait anchors (R1).
        fingerprint: 64-bit SimHash of the text, for near-duplicates (S5).
    """

    document: Document
    chunks: tuple[Chunk, ...]
    vectors: Matrix
    entities: tuple[EntityCount, ...] = ()
    topic: str = ""
    sentiment: float = 0.0
    quality: float = 0.0
    fingerprint: int = 0


@dataclass(frozen=True, slots=True)
class Hits:
    """What one layer found, best first; ties broken by row.

    Attributes:
        rows: (K,) of chunks or documents.
        scores: (K,) float32, higher is better.
        named: the ids of rows.
    """

    rows: Rows
    scores: npt.NDArray[np.float32]
    named: Callable[[Rows], tuple[str, ...]] = field(repr=False, compare=False)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, best first."""
        return self.named(self.rows)


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """The free numbers of BM25F (R1; Robertson & Zaragoza 2009, section 3.4).

    Attributes:
        k1: term saturation.
        b: length normalisation, of every field.
        title: boost of the title.
        headings: boost of headings and keywords.
        body: boost of the passage itself.
    """

    k1: float = 1.2
    b: float = 0.75
    title: float = 2.0
    headings: float = 2.5
    body: float = 1.0


@dataclass(frozen=True, slots=True)
class DocumentSignals:
    """The per-document facts that ranking needs, without the text.

    Attributes:
        document_id: the document.
        title: its title.
        url: its URL.
        published: ISO date or None.
        authority: [0, 1].
        quality: [-1, 1].
        topic: by anchors.
        duplicate_of: id of the document this one repeats, empty when it stands for itself.
    """

    document_id: str
    title: str
    url: str
    published: str | None
    authority: float
    quality: float
    topic: str
    duplicate_of: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """How similar this collection's own questions are to it, measured on its own passages.

    Attributes:
        own: ascending cosines of held-out passages' nearest neighbour in another document.
        sample: how many passages were measured.
        parameters: whatever the calibrator needs, by name.
        background: (D,) mean vector of texts on many subjects: what a question is near to whatever it asks.
    """

    own: tuple[float, ...] = ()
    sample: int = 0
    parameters: Mapping[str, float] = field(default_factory=dict)
    background: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """What `collections show` prints.

    Attributes:
        name: the collection's name.
        documents: how many, duplicates included, vanished excluded.
        chunks: how many.
        embedding: identity of the vectors, None while empty.
        sources: source → number of documents, by name.
        schema_version: of the stored layout.
        bytes: on disk.
        updated: ISO datetime (UTC) of the last publish, None before the first.
        pages: page state → count, for crawled collections.
        languages: language → number of documents.
    """

    name: str
    documents: int
    chunks: int
    embedding: EmbeddingIdentity | None
    sources: Mapping[str, int] = field(default_factory=dict)
    schema_version: int = 0
    bytes: int = 0
    updated: str | None = None
    pages: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One URL of a crawl (N1, N2).

    Attributes:
        url: canonical.
        state: where it stands.
        depth: clicks from the start page.
        document_id: what it became, empty if nothing.
        etag: as last received.
        last_modified: as last received.
        sha256: of everything read in the page, its text and its title among it.
        status: last HTTP status, 0 when none.
        reason: why it failed or was skipped.
        links: outgoing links worth following, canonical, so that a 304 page still leads on.
        seen: number of the crawl run that last touched it.
    """

    url: str
    state: PageState
    depth: int
    document_id: str = ""
    etag: str = ""
    last_modified: str = ""
    sha256: str = ""
    status: int = 0
    reason: str = ""
    links: tuple[str, ...] = ()
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """What a thorough look at a collection found.

    Attributes:
        problem: why its database cannot be used as it is, empty when it can.
        whole: ids of the documents that can be read with everything digested from them.
        partial: ids of the documents whose text can be read, but not everything digested from it.
        lost: ids of documents that were published and cannot be read.
        unknown: rows that cannot be read and whose ids nobody knows.
        other: names of further tables that cannot be read.
        derived: what is damaged or missing and can be made again from the documents, one line each.
    """

    problem: str
    whole: tuple[str, ...]
    partial: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    unknown: int = 0
    other: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is amiss."""
        return not (self.problem or self.partial or self.lost or self.unknown or self.other or self.derived)
