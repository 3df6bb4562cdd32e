"""What a store must offer, whatever is behind it.

A collection has one writer and any number of readers. The writer works document by document; each `put` is atomic and
durable when it returns. Readers see a *snapshot*: the state at the last `publish`, which never changes under them.

Three nouns cross this border: `StoredDocument` (a document with everything digested from it), `Hits` (what one
retrieval layer found) and `CollectionInfo`. Ids are strings on both sides, so that an embedded store and a server can
stand behind the same protocol. Inside one snapshot a chunk or document also has a *row*, a number that ascends with its
id (a chunk's with its document's id, then its ordinal): ranking counts in rows, and only what is shown needs its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import EmbeddingIdentity, Matrix, Vector
from tamis.schema.document import Chunk, Document
from tamis.schema.entity import EntityCount
from tamis.store.library import LibraryStore
from tamis.store.repair import Health, Rescue

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


class CollectionReader(Protocol):
    """A snapshot of one collection."""

    @property
    def info(self) -> CollectionInfo:
        """Counts and identity."""
        ...

    @property
    def calibration(self) -> Calibration:
        """As stored at the last publish."""
        ...

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """In the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        ...

    def iter_documents(self) -> Iterator[Document]:
        """All, in ascending document id."""
        ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """In the order asked for."""
        ...

    def chunks_of(self, document_ids: Sequence[str]) -> list[tuple[Chunk, ...]]:
        """The chunks of each document, in their order."""
        ...

    def vectors(self, chunk_ids: Sequence[str]) -> Matrix:
        """(N, D) in the order asked for."""
        ...

    def vectors_at(self, rows: Rows) -> Matrix:
        """(K, D) of chunk rows."""
        ...

    def chunk_rows(self, chunk_ids: Sequence[str]) -> Rows:
        """(N,) in the order asked for."""
        ...

    def chunk_ids(self, rows: Rows) -> tuple[str, ...]:
        """The ids of chunk rows."""
        ...

    def document_ids(self, rows: Rows) -> tuple[str, ...]:
        """The ids of document rows."""
        ...

    def owners(self, rows: Rows) -> Rows:
        """(K,) document rows that chunk rows belong to."""
        ...

    def profiles(self, document_ids: Sequence[str]) -> Matrix:
        """(N, D) entity profiles; a zero row where a document has none."""
        ...

    def entities(self, document_ids: Sequence[str]) -> list[tuple[EntityCount, ...]]:
        """The entities of each document."""
        ...

    def signals(self, document_ids: Sequence[str]) -> list[DocumentSignals]:
        """Per-document facts, in the order asked for."""
        ...

    def search_text(self, terms: Mapping[str, float], k: int, *, weights: FieldWeights | None = None) -> Hits:
        """Full-text layer: BM25F over title, headings/keywords and body.

        Args:
            terms: analysed term (`tamis.text.tokens.terms`) → boost.
            k: most chunks to return.
            weights: boosts, saturation and length normalisation; None takes the published ones.
        """
        ...

    def search_vectors(self, vector: Vector, k: int) -> Hits:
        """Dense layer: chunks by cosine."""
        ...

    def search_profiles(self, vector: Vector, k: int, *, floor: float) -> Hits:
        """Profile layer: documents by cosine of their entity profile, at least ``floor``."""
        ...

    def search_entities(self, keys: Sequence[str], *, minimum: int) -> Hits:
        """Documents that share at least ``minimum`` of the entities, by how many (E4)."""
        ...

    def document_frequency(self, terms: Sequence[str]) -> npt.NDArray[np.int64]:
        """(len(terms),) number of chunks each analysed term occurs in."""
        ...

    def close(self) -> None:
        """Release files."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class CollectionWriter(Protocol):
    """The one writer of a collection. Use as a context manager; leaving it without `publish` keeps what was put."""

    @property
    def changed(self) -> bool:
        """Whether anything that readers would see differs from the last publish."""
        ...

    def digest_of(self, document_id: str) -> str:
        """`tamis.text.fingerprints.document_digest` of what is stored, empty when nothing is."""
        ...

    def put(self, stored: StoredDocument, page: PageRecord | None = None) -> None:
        """Insert or replace one document, and its page record, in one transaction."""
        ...

    def forget(self, document_id: str, page: PageRecord | None = None) -> None:
        """Remove a document and everything digested from it, and keep what its page now is, in one transaction."""
        ...

    def pages(self) -> dict[str, PageRecord]:
        """The crawl's memory by URL."""
        ...

    def put_pages(self, records: Sequence[PageRecord]) -> None:
        """Insert or replace page records in one transaction."""
        ...

    def note(self, key: str, value: str) -> None:
        """Keep a small fact (crawl settings, run number)."""
        ...

    def noted(self, key: str) -> str:
        """The fact, empty when there is none."""
        ...

    def entity_counts(self) -> list[tuple[str, tuple[EntityCount, ...]]]:
        """(document id, its entities) of every document, ascending by id; what profiles are computed from."""
        ...

    def entity_vectors(self, keys: Sequence[str]) -> tuple[tuple[str, ...], Matrix]:
        """Cached embeddings: the keys that are known, in the order asked, and their (K, D) vectors."""
        ...

    def put_entity_vectors(self, keys: Sequence[str], vectors: Matrix) -> None:
        """Cache embeddings of entity keys."""
        ...

    def put_profiles(self, document_ids: Sequence[str], profiles: Matrix) -> None:
        """Replace all entity profiles (E2); documents not named lose theirs."""
        ...

    def fingerprints(self) -> list[tuple[str, int, str]]:
        """(document id, SimHash, sha256) of every document, ascending by id."""
        ...

    def texts(self, document_ids: Sequence[str]) -> list[str]:
        """The text of each document, in the order asked for."""
        ...

    def put_duplicates(self, duplicate_of: Mapping[str, str]) -> None:
        """Replace the near-duplicate map: document id → the document it repeats (S5)."""
        ...

    def sample_vectors(self, limit: int) -> tuple[tuple[str, ...], Matrix]:
        """(document ids, (N, D) vectors) of up to ``limit`` chunks, chosen evenly by position, for calibration."""
        ...

    def put_calibration(self, calibration: Calibration) -> None:
        """Keep what the threshold of "not answered" is derived from."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Whatever is done inside, a publish included, is kept and shown as one, or not at all."""
        ...

    def publish(self) -> CollectionInfo:
        """Make everything put so far one snapshot that readers see."""
        ...


class Reembedding(Protocol):
    """Replaces every vector of a collection by another model's; resumable until it is swapped in."""

    @property
    def needed(self) -> bool:
        """Whether the collection's vectors come from another model."""
        ...

    def count(self) -> int:
        """How many documents still wait for vectors."""
        ...

    def pending(self) -> Iterator[tuple[Document, tuple[Chunk, ...]]]:
        """Documents that wait for vectors, with their chunks."""
        ...

    def stage(self, document_id: str, vectors: Matrix, *, topic: str, sentiment: float, quality: float) -> None:
        """Keep the new vectors of one document, and what its anchors now say."""
        ...

    def swapped(self) -> AbstractContextManager[CollectionWriter]:
        """Make the staged vectors the collection's; finish and publish with the writer it gives."""
        ...


class Store(Protocol):
    """A place that holds collections."""

    def names(self) -> list[str]:
        """Ascending."""
        ...

    def reader(self, name: str) -> CollectionReader:
        """Open a snapshot.

        Raises:
            UnknownCollectionError: with the nearest names.
            EmbeddingMismatchError: the vectors come from another model.
            SchemaVersionError: a newer tamis wrote it.
            DamagedStoreError: a file is not what it should be.
        """
        ...

    def writer(self, name: str) -> AbstractContextManager[CollectionWriter]:
        """Open for writing, creating the collection if need be.

        Raises:
            BusyStoreError: another process is writing.
            EmbeddingMismatchError: as for `reader`.
        """
        ...

    def reembedding(self, name: str) -> AbstractContextManager[Reembedding]:
        """Open for giving it the vectors of the model in use.

        Raises:
            UnknownCollectionError: no such collection.
            BusyStoreError: another process is writing.
        """
        ...

    def examine(self, name: str) -> Health:
        """Look at every document of a collection and at everything derived; changes nothing.

        Raises:
            UnknownCollectionError: no such collection.
            SchemaVersionError: a newer tamis wrote it.
        """
        ...

    def rescue(self, name: str) -> AbstractContextManager[Rescue]:
        """Open a damaged collection to repair it.

        Raises:
            UnknownCollectionError: no such collection.
            SchemaVersionError: a newer tamis wrote it.
            BusyStoreError: another process is writing.
        """
        ...

    def library(self, name: str, *, writing: bool = False) -> AbstractContextManager[LibraryStore]:
        """Open the library that was built from a collection; an empty one where none was.

        Raises:
            UnknownCollectionError: no such collection.
            BusyStoreError: another process is building.
        """
        ...

    def delete(self, name: str) -> None:
        """Remove a collection.

        Raises:
            UnknownCollectionError: no such collection.
        """
        ...
