"""What a store must offer, whatever is behind it.

A collection has one writer and any number of readers. The writer works document by document; each `put` is atomic and
durable when it returns. Readers see a *snapshot*: the state at the last `publish`, which never changes under them.

What crosses this border stands in `tamis.store.nouns`. Ids are strings on both sides, so that an embedded store and a
server can stand behind the same protocol. Inside one snapshot a chunk or document also has a *row*, a number that
ascends with its id (a chunk's with its document's id, then its ordinal).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Vector
from tamis.schema.document import Chunk, Document
from tamis.schema.entity import EntityCount
from tamis.store.library import LibraryStore
from tamis.store.nouns import (
    Calibration,
    CollectionInfo,
    DocumentSignals,
    FieldWeights,
    Health,
    Hits,
    PageRecord,
    Rows,
    StoredDocument,
)


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

    def document_rows(self, document_ids: Sequence[str]) -> Rows:
        """(N,) in the order asked for."""
        ...

    def rows_of(self, documents: Rows) -> Rows:
        """(K,) rows of all the chunks of document rows, one document behind the other."""
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

    def phrase_rows(self, phrases: Sequence[str]) -> Rows:
        """Rows of the chunks that hold every phrase word for word, whatever the case and accents, ascending."""
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

    def locations(self) -> Iterator[tuple[str, str, str]]:
        """(document id, URL, source) of every document, ascending by id, those of vanished pages too."""
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


class Rescue(Protocol):
    """A collection under repair, held by its lock."""

    @property
    def health(self) -> Health:
        """As it was found."""
        ...

    def rebuild(self) -> None:
        """Make again what only is derived; enough where the database itself is in order."""
        ...

    def stored(self) -> Iterator[StoredDocument]:
        """The documents that are whole, ascending by row; their vectors are those of the model in use."""
        ...

    def texts(self) -> Iterator[Document]:
        """The documents that have to be digested again."""
        ...

    def replaced(self) -> AbstractContextManager[CollectionWriter]:
        """Fill a new database, finish and publish; when it ends well, it takes the place of the damaged one.

        What is not about single documents (the crawl's memory, notes) is in it already, as far as it can be read.
        """
        ...

    @property
    def kept_aside(self) -> str:
        """Where the damaged database lies afterwards, empty before."""
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
