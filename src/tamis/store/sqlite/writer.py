"""The one writer of a collection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import numpy as np

from tamis.errors import StoreError
from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.schema.document import Chunk
from tamis.schema.entity import EntityCount
from tamis.store.nouns import Calibration, CollectionInfo, PageRecord, StoredDocument
from tamis.store.sqlite import snapshot
from tamis.store.sqlite.database import (
    generation,
    get_meta,
    identity_text,
    set_meta,
    stored_identity,
    transaction,
)
from tamis.store.sqlite.failures import failures_of
from tamis.store.sqlite.information import read_information, summarise
from tamis.store.sqlite.rows import (
    DOCUMENT_COLUMNS,
    PAGE_COLUMNS,
    as_json,
    digest_row,
    document_from,
    document_row,
    entity_from,
    page_from,
    page_row,
    unsigned,
)
from tamis.text.fingerprints import document_digest

_VANISHED = """
    EXISTS (SELECT 1 FROM pages WHERE pages.document_id = documents.id AND pages.state = 'vanished')
    AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.document_id = documents.id AND pages.state <> 'vanished')
"""
_LIVING = f"documents.died IS NULL AND NOT ({_VANISHED})"
"""What the next publish shows: ``hidden`` still says what the last one did not."""
_FORGET_LOST_ORIGINALS = """
    UPDATE documents SET duplicate_of = '' WHERE duplicate_of <> '' AND died IS NULL AND NOT EXISTS (
        SELECT 1 FROM documents AS original
        WHERE original.id = documents.duplicate_of AND original.died IS NULL AND NOT original.hidden
    )
"""
"""A document that repeats one that is no longer shown stands for itself until repeats are looked for again."""


class SqliteWriter:
    """Writes into one collection; made by `SqliteStore.writer`, which holds the lock.

    Args:
        connection: to its database.
        folder: of the collection.
        identity: whose vectors are put.
        now: the time a publish is dated with.
        exact_limit: see `StoreSettings`.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        folder: Path,
        identity: EmbeddingIdentity | None,
        now: Callable[[], datetime],
        exact_limit: int,
    ) -> None:
        self._connection = connection
        self._folder = folder
        self._identity = identity
        self._now = now
        self._exact_limit = exact_limit

    @property
    def changed(self) -> bool:
        """Whether anything that readers would see differs from the last publish."""
        return get_meta(self._connection, "changed") == "1"

    @property
    def _next(self) -> int:
        """The generation that the next publish makes."""
        return generation(self._connection) + 1

    @contextmanager
    def together(self) -> Iterator[None]:
        """Whatever is done inside is kept, and shown, as one."""
        connection = self._connection
        if connection.in_transaction:
            yield
            return
        # From here on a power cut must not take anything back either.
        connection.execute("PRAGMA synchronous = FULL")
        try:
            with failures_of(self._folder), transaction(connection):
                yield
            snapshot.remove_others(self._folder / "index", generation(connection))
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        finally:
            connection.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def _transaction(self, *, changes: bool = True) -> Iterator[sqlite3.Connection]:
        with transaction(self._connection):
            if changes and not self.changed:
                set_meta(self._connection, "changed", "1")
            yield self._connection

    def digest_of(self, document_id: str) -> str:
        """`tamis.text.fingerprints.document_digest` of what is stored, empty when nothing is."""
        columns = DOCUMENT_COLUMNS.replace(" text,", " '' AS text,")
        row = self._connection.execute(
            f"SELECT {columns} FROM documents WHERE id = ? AND died IS NULL", (document_id,)
        ).fetchone()
        return "" if row is None else document_digest(document_from(row))

    def put(self, stored: StoredDocument, page: PageRecord | None = None) -> None:
        """Insert or replace one document, and its page record, in one transaction.

        Raises:
            StoreError: no space, or the vectors are not those of the collection's model.
        """
        self._check_vectors(stored)
        digest = digest_row(stored)
        with self._transaction() as connection:
            if self._identity is not None and not get_meta(connection, "embedding"):
                set_meta(connection, "embedding", identity_text(self._identity))
            self._retire(stored.document.document_id)
            self._insert(stored, digest)
            if page is not None:
                self._write_pages([page])

    def _check_vectors(self, stored: StoredDocument) -> None:
        dimensions = self._identity.dimensions if self._identity else 0
        if stored.vectors.shape != (len(stored.chunks), dimensions):
            raise StoreError(
                f"document {stored.document.document_id!r} has vectors of shape {stored.vectors.shape}, "
                f"expected ({len(stored.chunks)}, {dimensions})",
                fix="embed each chunk once with the model the store was opened for",
            )
        if [chunk.ordinal for chunk in stored.chunks] != list(range(len(stored.chunks))):
            raise StoreError(
                f"the chunks of document {stored.document.document_id!r} are not numbered from 0 without gaps",
                fix="number them in the order of the text",
            )

    def _insert(self, stored: StoredDocument, digest: tuple[bytes, ...]) -> None:
        connection = self._connection
        values = document_row(stored, self._next)
        row = connection.execute(
            "INSERT INTO documents (id, born, url, title, sha256, source, media_type, language, published, author, "
            "keywords, anchors, metadata, topic, sentiment, quality, authority, fingerprint) "
            f"VALUES ({', '.join('?' * len(values))})",
            values,
        ).lastrowid
        connection.execute("INSERT INTO texts VALUES (?, ?)", (row, stored.document.text))
        connection.execute("INSERT INTO digests VALUES (?, ?, ?, ?, ?)", (row, *digest))
        connection.executemany("INSERT INTO chunks VALUES (NULL, ?, ?, ?, ?, ?)", _chunk_rows(row, stored.chunks))
        connection.execute(
            "INSERT INTO passages_fts (rowid, text) "
            "SELECT row, text FROM passages WHERE row IN (SELECT row FROM chunks WHERE document = ?)",
            (row,),
        )
        connection.executemany(
            "INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?)",
            [
                (row, position, entity.key, entity.label, entity.mentions, entity.confidence)
                for position, entity in enumerate(stored.entities)
            ],
        )

    def forget(self, document_id: str, page: PageRecord | None = None) -> None:
        """Remove a document and everything digested from it, and keep what its page now is, in one transaction."""
        with self._transaction():
            self._retire(document_id)
            if page is not None:
                self._write_pages([page])

    def _retire(self, document_id: str) -> None:
        row = self._connection.execute(
            "SELECT row, born FROM documents WHERE id = ? AND died IS NULL", (document_id,)
        ).fetchone()
        if row is None:
            return
        if row[1] == self._next:
            self._erase("row = ?", (row[0],))
        else:
            self._connection.execute("UPDATE documents SET died = ? WHERE row = ?", (self._next, row[0]))

    def _erase(self, condition: str, values: tuple[int, ...]) -> None:
        # The full-text index keeps no copy of the text and must be told what to take out.
        self._connection.execute(
            "INSERT INTO passages_fts (passages_fts, rowid, text) "
            "SELECT 'delete', row, text FROM passages WHERE row IN (SELECT row FROM chunks WHERE document IN "
            f"(SELECT row FROM documents WHERE {condition}))",
            values,
        )
        self._connection.execute(f"DELETE FROM documents WHERE {condition}", values)

    def locations(self) -> Iterator[tuple[str, str, str]]:
        """(document id, URL, source) of every document, ascending by id, those of vanished pages too."""
        yield from self._connection.execute("SELECT id, url, source FROM documents WHERE died IS NULL ORDER BY id")

    def pages(self) -> dict[str, PageRecord]:
        """The crawl's memory by URL."""
        rows = self._connection.execute(f"SELECT {PAGE_COLUMNS} FROM pages ORDER BY url")
        return {row[0]: page_from(row) for row in rows}

    def put_pages(self, records: Sequence[PageRecord]) -> None:
        """Insert or replace page records in one transaction."""
        with self._transaction(changes=self._moves_visibility(records)):
            self._write_pages(records)

    def _moves_visibility(self, records: Sequence[PageRecord]) -> bool:
        if any(record.state == "vanished" for record in records):
            return True
        urls = as_json([record.url for record in records])
        query = "SELECT 1 FROM pages WHERE state = 'vanished' AND url IN (SELECT value FROM json_each(?)) LIMIT 1"
        return self._connection.execute(query, (urls,)).fetchone() is not None

    def _write_pages(self, records: Sequence[PageRecord]) -> None:
        self._connection.executemany(
            f"INSERT OR REPLACE INTO pages ({PAGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [page_row(record) for record in records],
        )

    def note(self, key: str, value: str) -> None:
        """Keep a small fact (crawl settings, run number)."""
        with self._transaction(changes=False) as connection:
            connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (key, value))

    def noted(self, key: str) -> str:
        """The fact, empty when there is none."""
        row = self._connection.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def entity_counts(self) -> list[tuple[str, tuple[EntityCount, ...]]]:
        """(document id, its entities) of every document, ascending by id."""
        found: dict[str, list[EntityCount]] = {}
        for row in self._connection.execute(
            "SELECT documents.id, key, label, mentions, confidence FROM documents "
            f"LEFT JOIN entities ON entities.document = documents.row WHERE {_LIVING} ORDER BY id, position"
        ):
            found.setdefault(row[0], [])
            if row[1] is not None:
                found[row[0]].append(entity_from(row[1:]))
        return [(document_id, tuple(entities)) for document_id, entities in found.items()]

    def entity_vectors(self, keys: Sequence[str]) -> tuple[tuple[str, ...], Matrix]:
        """Cached embeddings: the keys that are known, in the order asked, and their (K, D) vectors."""
        known: dict[str, bytes] = dict(
            self._connection.execute(
                "SELECT key, vector FROM entity_vectors WHERE key IN (SELECT value FROM json_each(?))",
                (as_json(list(keys)),),
            )
        )
        found = tuple(key for key in keys if key in known)
        dimensions = self._identity.dimensions if self._identity else 0
        joined = np.frombuffer(b"".join(known[key] for key in found), dtype="<f4")
        return found, joined.reshape(len(found), dimensions)

    def put_entity_vectors(self, keys: Sequence[str], vectors: Matrix) -> None:
        """Cache embeddings of entity keys."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._transaction(changes=False) as connection:
            connection.executemany("INSERT OR REPLACE INTO entity_vectors VALUES (?, ?)", rows)

    def put_profiles(self, document_ids: Sequence[str], profiles: Matrix) -> None:
        """Replace all entity profiles (E2); documents not named lose theirs."""
        rows = [(name, profile.astype("<f4").tobytes()) for name, profile in zip(document_ids, profiles, strict=True)]
        with self._transaction() as connection:
            connection.execute("DELETE FROM profiles WHERE document IN (SELECT row FROM documents WHERE died IS NULL)")
            connection.executemany(
                "INSERT INTO profiles SELECT row, :vector FROM documents WHERE id = :id AND died IS NULL",
                [{"id": name, "vector": vector} for name, vector in rows],
            )

    def fingerprints(self) -> list[tuple[str, int, str]]:
        """(document id, SimHash, sha256) of every document, ascending by id."""
        rows = self._connection.execute(f"SELECT id, fingerprint, sha256 FROM documents WHERE {_LIVING} ORDER BY id")
        return [(row[0], unsigned(row[1]), row[2]) for row in rows]

    def texts(self, document_ids: Sequence[str]) -> list[str]:
        """The text of each document, in the order asked for.

        Raises:
            KeyError: an id that is not there.
        """
        found: dict[str, str] = dict(
            self._connection.execute(
                "SELECT id, text FROM documents JOIN texts ON texts.document = documents.row "
                "WHERE died IS NULL AND id IN (SELECT value FROM json_each(?))",
                (as_json(list(document_ids)),),
            )
        )
        return [found[document_id] for document_id in document_ids]

    def put_duplicates(self, duplicate_of: Mapping[str, str]) -> None:
        """Replace the near-duplicate map: document id → the document it repeats (S5)."""
        with self._transaction() as connection:
            connection.execute("UPDATE documents SET duplicate_of = '' WHERE duplicate_of <> '' AND died IS NULL")
            connection.executemany(
                "UPDATE documents SET duplicate_of = ? WHERE id = ? AND died IS NULL",
                [(original, name) for name, original in sorted(duplicate_of.items())],
            )

    def sample_vectors(self, limit: int) -> tuple[tuple[str, ...], Matrix]:
        """(document ids, (N, D) vectors) of up to ``limit`` chunks, chosen evenly by position, for calibration."""
        counted = self._connection.execute(
            "SELECT documents.id, documents.row, (SELECT count(*) FROM chunks WHERE document = documents.row) "
            f"FROM documents WHERE {_LIVING} ORDER BY id"
        ).fetchall()
        ends = np.cumsum([0, *(row[2] for row in counted)])
        total, dimensions = int(ends[-1]), self._identity.dimensions if self._identity else 0
        wanted = np.unique(np.linspace(0, total - 1, min(limit, total)).round().astype(np.int64)) if total else ends[:0]
        owners = np.searchsorted(ends, wanted, side="right") - 1
        vectors = np.zeros((len(wanted), dimensions), dtype=np.float32)
        for owner in np.unique(owners).tolist():
            blob = self._connection.execute(
                "SELECT vectors FROM digests WHERE document = ?", (counted[owner][1],)
            ).fetchone()[0]
            mine = np.flatnonzero(owners == owner)
            vectors[mine] = np.frombuffer(blob, dtype="<f4").reshape(-1, dimensions)[wanted[mine] - ends[owner]]
        return tuple(counted[owner][0] for owner in owners.tolist()), vectors

    def put_calibration(self, calibration: Calibration) -> None:
        """Keep what the threshold of "not answered" is derived from."""
        value = {**asdict(calibration), "parameters": dict(calibration.parameters)}
        with self._transaction() as connection:
            set_meta(connection, "next_calibration", as_json(value))

    def publish(self, *, settled: bool = True) -> CollectionInfo:
        """Make everything put so far one snapshot that readers see.

        Args:
            settled: what is derived from all documents together is up to date; otherwise the collection still counts as
                changed, and the next run derives it.

        Raises:
            StoreError: no space; what was published before stays.
        """
        connection, number = self._connection, self._next
        with self.together():
            connection.execute(f"UPDATE documents SET hidden = ({_VANISHED}) WHERE hidden <> ({_VANISHED})")
            connection.execute(_FORGET_LOST_ORIGINALS)
            if self.changed or number == 1:
                self._publish_snapshot(number)
            if settled:
                set_meta(connection, "changed", "0")
            set_meta(connection, "updated", self._now().isoformat(timespec="seconds"))
        return read_information(connection, self._folder)

    def _publish_snapshot(self, number: int) -> None:
        connection = self._connection
        stored = stored_identity(connection)
        dimensions = stored.dimensions if stored else 0
        snapshot.build(connection, self._folder / "index", number, dimensions=dimensions, exact_limit=self._exact_limit)
        set_meta(connection, "generation", str(number))
        set_meta(connection, "calibration", get_meta(connection, "next_calibration"))
        set_meta(connection, "summary", json.dumps(summarise(connection, number)))
        self._erase("died <= ?", (number,))


def _chunk_rows(row: int | None, chunks: Sequence[Chunk]) -> list[tuple[int | None, int, int, int, str]]:
    return [(row, chunk.ordinal, chunk.start, chunk.end, as_json(chunk.headings)) for chunk in chunks]
