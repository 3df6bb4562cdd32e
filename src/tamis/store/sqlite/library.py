"""The library of a collection: one SQLite file beside the collection's own, holding graph and cards index."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tamis.errors import DamagedStoreError, SchemaVersionError
from tamis.models.protocols import Matrix, Vector
from tamis.schema.library import Card, EvidenceQuality
from tamis.store.dense import nearest
from tamis.store.sqlite.database import Connection, transaction
from tamis.store.sqlite.failures import failures_of
from tamis.store.sqlite.graph import GRAPH_SCHEMA, SqliteGraph
from tamis.store.sqlite.lock import write_lock

LIBRARY_FILE = "library.sqlite"
LIBRARY_VERSION = 1
_INDEX_SCHEMA = """
CREATE TABLE card_index (
    about TEXT PRIMARY KEY, facet TEXT NOT NULL, quality TEXT NOT NULL, flagged INTEGER NOT NULL,
    content_hash TEXT NOT NULL, vector BLOB NOT NULL
) WITHOUT ROWID
"""


class SqliteCards:
    """A `CardIndex`: exact search over the vectors of all cards, read once and again after they changed.

    Args:
        connection: to the database of the library.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loaded: tuple[tuple[int, int], _Table] | None = None

    def put(self, card: Card, vector: Vector) -> None:
        """Insert or replace the entry of a card."""
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO card_index VALUES (?, ?, ?, ?, ?, ?)",
                (
                    card.about,
                    card.facet,
                    card.evidence_quality,
                    card.safety_flagged,
                    card.content_hash,
                    vector.astype("<f4").tobytes(),
                ),
            )

    def forget(self, abouts: Sequence[str]) -> None:
        """Remove entries."""
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM card_index WHERE about = ?", ((about,) for about in abouts))

    def hashes(self) -> dict[str, str]:
        """Id → content hash of every card that can be found."""
        return dict(self._connection.execute("SELECT about, content_hash FROM card_index ORDER BY about").fetchall())

    def search(
        self, vector: Vector, k: int, *, facet: str = "", quality: EvidenceQuality | None = None, safe: bool = False
    ) -> list[tuple[str, float]]:
        """Ids of the nearest cards with their cosine, best first, equal ones by id."""
        table = self._table()
        keep = np.ones(len(table.ids), dtype=np.bool_)
        if facet:
            keep &= table.facets == facet
        if quality:
            keep &= table.qualities == quality
        if safe:
            keep &= ~table.flagged
        rows = np.flatnonzero(keep)
        places, scores = nearest(table.vectors if keep.all() else table.vectors[rows], vector, k)
        return [
            (table.ids[row], round(score, 6)) for row, score in zip(rows[places].tolist(), scores.tolist(), strict=True)
        ]

    def _table(self) -> _Table:
        # Both change with every commit, of this connection or of another.
        stamp = (self._connection.execute("PRAGMA data_version").fetchone()[0], self._connection.total_changes)
        if self._loaded is None or self._loaded[0] != stamp:
            rows = self._connection.execute(
                "SELECT about, facet, quality, flagged, vector FROM card_index ORDER BY about"
            ).fetchall()
            self._loaded = stamp, _Table(rows)
        return self._loaded[1]


class _Table:
    """The entries of the index as columns, ascending by id."""

    def __init__(self, rows: Sequence[tuple[str, str, str, int, bytes]]) -> None:
        self.ids = [row[0] for row in rows]
        self.facets: npt.NDArray[np.str_] = np.array([row[1] for row in rows], dtype=np.str_)
        self.qualities: npt.NDArray[np.str_] = np.array([row[2] for row in rows], dtype=np.str_)
        self.flagged = np.array([row[3] for row in rows], dtype=np.bool_)
        width = len(rows[0][4]) // 4 if rows else 0
        self.vectors: Matrix = np.frombuffer(b"".join(row[4] for row in rows), dtype="<f4").reshape(len(rows), width)


class SqliteLibrary:
    """A `LibraryStore`.

    Args:
        connection: to the database of the library.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.graph = SqliteGraph(connection)
        self.index = SqliteCards(connection)

    def put_card(self, card: Card, vector: Vector) -> None:
        """Write a card to both as one; it survives the end of the process from then on."""
        with self.together():
            self.graph.put_card(card)
            self.index.put(card, vector)

    def forget_cards(self, abouts: Sequence[str]) -> None:
        """Remove cards from both."""
        with self.together():
            self.graph.forget_cards(abouts)
            self.index.forget(abouts)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Everything written inside becomes visible as one."""
        with transaction(self._connection):
            yield


@contextmanager
def open_library(folder: Path, *, writing: bool, wait_seconds: float) -> Iterator[SqliteLibrary]:
    """Open the library of a collection; an empty one where none was built.

    Args:
        folder: of the collection.
        writing: build into it; one process at a time may.
        wait_seconds: how long to wait for another builder.

    Raises:
        BusyStoreError: another process is building.
        SchemaVersionError: a newer tamis wrote it.
        DamagedStoreError: the file is not what it should be.
    """
    with ExitStack() as stack:
        # What fails while the library is open is not the folder's fault; its own queries say so themselves.
        with failures_of(folder):
            if writing:
                stack.enter_context(write_lock(folder / "library.lock", wait_seconds=wait_seconds))
            empty = not writing and not (folder / LIBRARY_FILE).is_file()
            opened = stack.enter_context(closing(_connect(folder, empty=empty)))
        yield SqliteLibrary(opened)


def _connect(folder: Path, *, empty: bool = False) -> Connection:
    path = folder / LIBRARY_FILE
    place = ":memory:" if empty else path.absolute().as_uri()
    if not empty and path.is_file() and not os.access(folder, os.W_OK):
        place += "?mode=ro" if path.with_name(f"{path.name}-wal").exists() else "?immutable=1"
    elif not empty and not path.is_file():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(place, uri=True, timeout=30.0, isolation_level=None, factory=Connection)
    connection.folder = folder
    try:
        _prepare(connection, folder)
    except DamagedStoreError as error:
        connection.close()
        raise DamagedStoreError(
            f"{path} is damaged: {error.message.partition(': ')[2] or error.message}",
            fix=f"delete the file and run `tamis build --name {folder.name}`; the collection itself is not touched",
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: Connection, folder: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > LIBRARY_VERSION:
        raise SchemaVersionError(
            f"the library of {folder.name!r} has layout {version}, this tamis reads up to {LIBRARY_VERSION}",
            fix="upgrade tamis: pip install --upgrade tamis",
        )
    if version == 0:
        connection.execute("PRAGMA journal_mode = WAL")
        with transaction(connection):
            # Asked again: another process may have made the tables since.
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in (*GRAPH_SCHEMA.split(";\n"), _INDEX_SCHEMA):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {LIBRARY_VERSION}")
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is found in a damaged file is an error now, not an odd value later.
    connection.execute("PRAGMA cell_size_check = ON")
