"""A published state of a collection, as it stood when it was opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from pathlib import Path
from types import FunctionType
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Vector
from tamis.schema.document import Chunk, Document
from tamis.schema.entity import EntityCount
from tamis.store import coarse
from tamis.store.dense import best, nearest
from tamis.store.nouns import Calibration, CollectionInfo, DocumentSignals, FieldWeights, Hits, Rows
from tamis.store.postings import bm25f
from tamis.store.sqlite.failures import damaged_arrays, failures_of
from tamis.store.sqlite.information import read_calibration, read_information
from tamis.store.sqlite.rows import DOCUMENT_COLUMNS, as_json, chunk_from, document_from, entity_from
from tamis.store.sqlite.snapshot import VISIBLE, Snapshot, damage

_NAMED = f"{VISIBLE} AND documents.id IN (SELECT value FROM json_each(:ids))"


Reader = TypeVar("Reader", bound="type[SqliteReader]")


def _suspicious(reader: Reader) -> Reader:
    """Let every public method look at the arrays where it fails: whether they are damaged decides what to say."""

    def wrapped(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def run(self: SqliteReader, *words: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever the method takes
            try:
                with failures_of(self._folder):
                    return method(self, *words, **named)
            except (LookupError, ValueError, ArithmeticError, MemoryError):
                self._check_arrays()
                raise

        return run

    for name, method in list(vars(reader).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(reader, name, wrapped(method))
    return reader


@_suspicious
class SqliteReader:
    """Reads one generation; made by `SqliteStore.reader`.

    Args:
        connection: inside a read transaction, so that it sees one state until it is closed.
        folder: of the collection.
        number: the generation shown.
        arrays: its snapshot.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path, number: int, arrays: Snapshot) -> None:
        self._connection = connection
        self._folder = folder
        self._number = number
        self._arrays = arrays
        self._signals: dict[str, DocumentSignals] = {}

    @cached_property
    def info(self) -> CollectionInfo:
        """Counts and identity."""
        with failures_of(self._folder):
            return read_information(self._connection, self._folder)

    @cached_property
    def calibration(self) -> Calibration:
        """As stored at the last publish."""
        with failures_of(self._folder):
            return read_calibration(self._connection)

    def _check_arrays(self) -> None:
        index = self._folder / "index" / str(self._number)
        wrong = damage(index) if index.is_dir() else []
        if wrong:
            raise damaged_arrays(self._folder, index, wrong)

    def _select(self, query: str, ids: Sequence[str] = (), **values: str) -> list[Any]:
        return self._connection.execute(
            query, {"generation": self._number, "ids": as_json(list(ids)), **values}
        ).fetchall()

    def _texts(self, document_ids: Sequence[str]) -> dict[str, str]:
        return dict(
            self._select(
                f"SELECT documents.id, text FROM documents JOIN texts ON texts.document = documents.row WHERE {_NAMED}",
                document_ids,
            )
        )

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """In the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        rows = self._select(
            f"SELECT {DOCUMENT_COLUMNS} FROM documents JOIN texts ON texts.document = documents.row WHERE {_NAMED}",
            ids,
        )
        found = {row[0]: document_from(row) for row in rows}
        return [found[document_id] for document_id in ids]

    def iter_documents(self) -> Iterator[Document]:
        """All, in ascending document id."""
        for row in range(self._arrays.documents):
            yield from self.documents(self.document_ids(np.array([row])))

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """In the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        named = [chunk_id.rpartition("#c") for chunk_id in ids]
        texts = self._texts(list(dict.fromkeys(owner for owner, _, _ in named)))
        found = {}
        # One by one: a long document has a thousand chunks, and few of them are asked for.
        for owner, _, ordinal in dict.fromkeys(named):
            for row in self._select(
                "SELECT ordinal, start, stop, headings FROM documents JOIN chunks ON chunks.document = documents.row "
                f"WHERE {_NAMED} AND ordinal = :ordinal",
                [owner],
                ordinal=ordinal,
            ):
                found[f"{owner}#c{ordinal}"] = chunk_from(owner, texts[owner], row)
        return [found[chunk_id] for chunk_id in ids]

    def chunks_of(self, document_ids: Sequence[str]) -> list[tuple[Chunk, ...]]:
        """The chunks of each document, in their order.

        Raises:
            KeyError: an id that is not there.
        """
        texts = self._texts(document_ids)
        found: dict[str, list[Chunk]] = {document_id: [] for document_id in texts}
        for document_id, *row in self._select(
            "SELECT documents.id, ordinal, start, stop, headings FROM documents "
            f"JOIN chunks ON chunks.document = documents.row WHERE {_NAMED} ORDER BY documents.id, ordinal",
            document_ids,
        ):
            found[document_id].append(chunk_from(document_id, texts[document_id], row))
        return [tuple(found[document_id]) for document_id in document_ids]

    def vectors(self, chunk_ids: Sequence[str]) -> Matrix:
        """(N, D) in the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        return self.vectors_at(self.chunk_rows(chunk_ids))

    def vectors_at(self, rows: Rows) -> Matrix:
        """(K, D) of chunk rows."""
        return self._arrays.vectors[rows]

    def chunk_rows(self, chunk_ids: Sequence[str]) -> Rows:
        """(N,) in the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        return np.array([self._arrays.chunk_row(chunk_id) for chunk_id in chunk_ids], dtype=np.int64)

    def chunk_ids(self, rows: Rows) -> tuple[str, ...]:
        """The ids of chunk rows."""
        return self._arrays.chunk_ids(rows)

    def document_ids(self, rows: Rows) -> tuple[str, ...]:
        """The ids of document rows."""
        return self._arrays.document_ids(rows)

    def document_rows(self, document_ids: Sequence[str]) -> Rows:
        """(N,) in the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        return np.array([self._arrays.document_row(name) for name in document_ids], dtype=np.int64)

    def rows_of(self, documents: Rows) -> Rows:
        """(K,) rows of all the chunks of document rows, one document behind the other."""
        return self._arrays.rows_of(documents)

    def owners(self, rows: Rows) -> Rows:
        """(K,) document rows that chunk rows belong to."""
        return self._arrays.owners(rows)

    def profiles(self, document_ids: Sequence[str]) -> Matrix:
        """(N, D) entity profiles; a zero row where a document has none.

        Raises:
            KeyError: an id that is not there.
        """
        return self._arrays.profiles[self.document_rows(document_ids)]

    def entities(self, document_ids: Sequence[str]) -> list[tuple[EntityCount, ...]]:
        """The entities of each document."""
        found: dict[str, list[EntityCount]] = {document_id: [] for document_id in document_ids}
        for row in self._select(
            "SELECT documents.id, key, label, mentions, confidence FROM documents "
            f"JOIN entities ON entities.document = documents.row WHERE {_NAMED} ORDER BY documents.id, position",
            document_ids,
        ):
            found[row[0]].append(entity_from(row[1:]))
        return [tuple(found[document_id]) for document_id in document_ids]

    def signals(self, document_ids: Sequence[str]) -> list[DocumentSignals]:
        """Per-document facts, in the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        missing = [document_id for document_id in document_ids if document_id not in self._signals]
        if missing:
            rows = self._select(
                "SELECT id, title, url, published, authority, quality, topic, duplicate_of "
                f"FROM documents WHERE {_NAMED}",
                missing,
            )
            self._signals.update((row[0], DocumentSignals(*row)) for row in rows)
        return [self._signals[document_id] for document_id in document_ids]

    def search_text(self, terms: Mapping[str, float], k: int, *, weights: FieldWeights | None = None) -> Hits:
        """Full-text layer: BM25F over title, headings/keywords and body; see `tamis.store.postings.bm25f`."""
        weights = weights or FieldWeights()
        scores = bm25f(self._arrays.postings, self._arrays.factors(weights), terms, k1=weights.k1)
        rows = best(scores, k, above=0.0)
        return Hits(rows, scores[rows], self.chunk_ids)

    def phrase_rows(self, phrases: Sequence[str]) -> Rows:
        """Rows of the chunks that hold every phrase word for word, whatever the case and accents, ascending."""
        quoted = " AND ".join('"' + phrase.replace('"', '""').replace("\0", " ") + '"' for phrase in phrases)
        rows = self._connection.execute(
            "SELECT documents.id || '#c' || ordinal FROM passages_fts "
            "JOIN chunks ON chunks.row = passages_fts.rowid JOIN documents ON documents.row = chunks.document "
            f"WHERE passages_fts MATCH :phrases AND {VISIBLE}",
            {"phrases": quoted, "generation": self._number},
        ).fetchall()
        return np.sort(self.chunk_rows([row[0] for row in rows]))

    def search_vectors(self, vector: Vector, k: int) -> Hits:
        """Dense layer: chunks by cosine; exact up to ``store.exact_limit`` chunks."""
        arrays = self._arrays
        if arrays.neighbours:
            rows, scores = arrays.neighbours.nearest(vector, k)
        else:
            rows, scores = coarse.nearest(arrays.rounded, arrays.vectors, vector, k)
        return Hits(rows, scores, self.chunk_ids)

    def search_profiles(self, vector: Vector, k: int, *, floor: float) -> Hits:
        """Profile layer: documents by cosine of their entity profile, at least ``floor``."""
        rows, scores = nearest(self._arrays.profiles, vector, k, floor=floor)
        return Hits(rows, scores, self.document_ids)

    def search_entities(self, keys: Sequence[str], *, minimum: int) -> Hits:
        """Documents that share at least ``minimum`` of the entities, by how many (E4)."""
        rows = self._connection.execute(
            "SELECT documents.id, count(DISTINCT key) AS shared FROM entities "
            "JOIN documents ON documents.row = entities.document "
            f"WHERE key IN (SELECT value FROM json_each(:keys)) AND {VISIBLE} "
            "GROUP BY documents.row HAVING shared >= :minimum ORDER BY shared DESC, documents.id",
            {"keys": as_json(sorted(set(keys))), "generation": self._number, "minimum": minimum},
        ).fetchall()
        found = self.document_rows([row[0] for row in rows])
        return Hits(found, np.array([row[1] for row in rows], dtype=np.float32), self.document_ids)

    def document_frequency(self, terms: Sequence[str]) -> npt.NDArray[np.int64]:
        """(len(terms),) number of chunks each analysed term occurs in."""
        return self._arrays.postings.frequencies_of(terms)

    def close(self) -> None:
        """Release files."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
