"""Giving a collection the vectors of another model: staged beside the old ones, swapped in as one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from tamis.errors import StoreError
from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.schema.document import Chunk, Document
from tamis.store.sqlite.database import identity_text, set_meta, stored_identity, transaction
from tamis.store.sqlite.rows import DOCUMENT_COLUMNS, chunk_from, document_from
from tamis.store.sqlite.writer import SqliteWriter

_WAITING = """
    FROM documents WHERE died IS NULL
    AND NOT EXISTS (SELECT 1 FROM restaged WHERE restaged.document = documents.row AND identity = :identity)
"""


class SqliteReembedding:
    """Replaces every vector of a collection; made by `SqliteStore.reembedding`, which holds the lock.

    Args:
        connection: to the collection's database.
        folder: of the collection.
        identity: of the new vectors.
        now: the time a publish is dated with.
        exact_limit: see `StoreSettings`.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        folder: Path,
        identity: EmbeddingIdentity,
        now: Callable[[], datetime],
        exact_limit: int,
    ) -> None:
        self._connection = connection
        self._folder = folder
        self._identity = identity
        self._now = now
        self._exact_limit = exact_limit
        self._at = {"identity": identity_text(identity)}

    @property
    def needed(self) -> bool:
        """Whether the collection's vectors come from another model."""
        return stored_identity(self._connection) not in {None, self._identity}

    def count(self) -> int:
        """How many documents still wait for vectors."""
        return int(self._connection.execute(f"SELECT count(*) {_WAITING}", self._at).fetchone()[0])

    def pending(self) -> Iterator[tuple[Document, tuple[Chunk, ...]]]:
        """Documents that wait for vectors, with their chunks; those staged before an interruption are not repeated."""
        rows = [row[0] for row in self._connection.execute(f"SELECT row {_WAITING} ORDER BY id", self._at)]
        for row in rows:
            document = document_from(
                self._connection.execute(
                    f"SELECT {DOCUMENT_COLUMNS} FROM documents JOIN texts ON texts.document = documents.row "
                    "WHERE documents.row = ?",
                    (row,),
                ).fetchone()
            )
            chunks = self._connection.execute(
                "SELECT ordinal, start, stop, headings FROM chunks WHERE document = ? ORDER BY ordinal", (row,)
            ).fetchall()
            yield document, tuple(chunk_from(document.document_id, document.text, chunk) for chunk in chunks)

    def stage(self, document_id: str, vectors: Matrix, *, topic: str, sentiment: float, quality: float) -> None:
        """Keep the new vectors of one document, and what its anchors now say.

        Raises:
            StoreError: no space, or not one vector a chunk.
        """
        row, chunks = self._connection.execute(
            "SELECT row, (SELECT count(*) FROM chunks WHERE document = documents.row) FROM documents "
            "WHERE id = ? AND died IS NULL",
            (document_id,),
        ).fetchone()
        if vectors.shape != (chunks, self._identity.dimensions):
            raise StoreError(
                f"document {document_id!r} got vectors of shape {vectors.shape}, "
                f"expected ({chunks}, {self._identity.dimensions})",
                fix="embed each chunk once with the model the store was opened for",
            )
        blob = np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO restaged VALUES (?, ?, ?, ?, ?, ?)",
                (row, self._at["identity"], blob, topic, sentiment, quality),
            )

    @contextmanager
    def swapped(self) -> Iterator[SqliteWriter]:
        """Make the staged vectors the collection's; finish and publish with the writer it gives.

        All of it is one transaction: until it ends, and if it fails, the old vectors are what everyone sees.

        Raises:
            StoreError: documents still wait for vectors.
        """
        waiting = self.count()
        if waiting:
            raise StoreError(
                f"{waiting} documents of collection {self._folder.name!r} have no new vectors yet",
                fix=f"run `tamis reembed --name {self._folder.name}` again",
            )
        writer = SqliteWriter(self._connection, self._folder, self._identity, self._now, self._exact_limit)
        with writer.together():
            self._swap()
            yield writer

    def _swap(self) -> None:
        connection = self._connection
        for table, columns, key in (
            ("digests", ("vectors",), "document"),
            ("documents", ("topic", "sentiment", "quality"), "row"),
        ):
            values = ", ".join(f"{column} = restaged.{column}" for column in columns)
            connection.execute(
                f"UPDATE {table} SET {values} FROM restaged "
                f"WHERE restaged.document = {table}.{key} AND restaged.identity = :identity",
                self._at,
            )
        for table in ("restaged", "entity_vectors", "profiles"):
            connection.execute(f"DELETE FROM {table}")
        set_meta(connection, "embedding", self._at["identity"])
        set_meta(connection, "changed", "1")
