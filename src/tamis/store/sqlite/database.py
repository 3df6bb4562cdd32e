"""The SQLite file of a collection: its tables, and how it is made and opened.

Nothing that a published snapshot needs is ever overwritten: a document that is replaced or forgotten stays, marked
with the generation it dies in, until the next publish no longer shows it. So a snapshot can be rebuilt at any time.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from tamis.errors import DiskError, EmbeddingMismatchError, SchemaVersionError
from tamis.models.protocols import EmbeddingIdentity
from tamis.store.sqlite.failures import FILE_NAME, damaged, failures_of

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    born INTEGER NOT NULL,           -- first generation that shows it
    died INTEGER,                    -- first generation that does not, NULL while it lives
    hidden INTEGER NOT NULL DEFAULT 0,  -- its page has vanished
    url TEXT NOT NULL, title TEXT NOT NULL, sha256 TEXT NOT NULL, source TEXT NOT NULL, media_type TEXT NOT NULL,
    language TEXT NOT NULL, published TEXT, author TEXT NOT NULL,
    keywords TEXT NOT NULL, anchors TEXT NOT NULL, metadata TEXT NOT NULL,  -- JSON
    topic TEXT NOT NULL, sentiment REAL NOT NULL, quality REAL NOT NULL, authority REAL NOT NULL,
    fingerprint INTEGER NOT NULL,    -- SimHash as a signed number
    duplicate_of TEXT NOT NULL DEFAULT ''
);
CREATE INDEX documents_by_id ON documents (id, born);
CREATE UNIQUE INDEX documents_living ON documents (id) WHERE died IS NULL;
CREATE INDEX documents_dead ON documents (died) WHERE died IS NOT NULL;
CREATE TABLE texts (document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE, text TEXT NOT NULL);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    ordinal INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, headings TEXT NOT NULL
);
CREATE UNIQUE INDEX chunks_by_document ON chunks (document, ordinal);
CREATE TABLE digests (               -- of all chunks of a document, in their order
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    vectors BLOB NOT NULL,           -- float32, chunks × dimensions
    lengths BLOB NOT NULL,           -- uint32, chunks × fields
    sizes BLOB NOT NULL,             -- uint32, distinct terms of each chunk
    terms BLOB NOT NULL              -- those terms with their frequencies, see tamis.store.postings.TERM
);
CREATE TABLE entities (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    position INTEGER NOT NULL, key TEXT NOT NULL, label TEXT NOT NULL,
    mentions INTEGER NOT NULL, confidence REAL NOT NULL,
    PRIMARY KEY (document, position)
) WITHOUT ROWID;
CREATE INDEX entities_by_key ON entities (key, document);
CREATE TABLE entity_vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE profiles (document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE, vector BLOB NOT NULL);
CREATE TABLE restaged (              -- vectors of a reembedding under way
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    identity TEXT NOT NULL, vectors BLOB NOT NULL, topic TEXT NOT NULL, sentiment REAL NOT NULL, quality REAL NOT NULL,
    PRIMARY KEY (document, identity)
);
CREATE TABLE pages (
    url TEXT PRIMARY KEY, state TEXT NOT NULL, depth INTEGER NOT NULL, document_id TEXT NOT NULL, etag TEXT NOT NULL,
    last_modified TEXT NOT NULL, sha256 TEXT NOT NULL, status INTEGER NOT NULL, reason TEXT NOT NULL,
    links TEXT NOT NULL, seen INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX pages_by_document ON pages (document_id);
CREATE VIEW passages AS
    SELECT chunks.row AS row, substr(texts.text, chunks.start + 1, chunks.stop - chunks.start) AS text
    FROM chunks JOIN texts USING (document);
CREATE VIRTUAL TABLE passages_fts USING fts5(
    text, content='passages', content_rowid='row', tokenize="unicode61 remove_diacritics 2"
);
"""


class Cursor(sqlite3.Cursor):
    """Says what fails in a person's words, whoever asks."""

    folder = Path()

    def execute(self, sql: str, parameters: Any = (), /) -> Self:  # noqa: ANN401 - sqlite3's own type
        """Run one statement."""
        with failures_of(self.folder):
            return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Self:
        """Run one statement with many values."""
        with failures_of(self.folder):
            return super().executemany(sql, parameters)

    def __next__(self) -> Any:  # noqa: ANN401
        with failures_of(self.folder):
            return super().__next__()

    def fetchone(self) -> Any:  # noqa: ANN401
        """The next row, or None."""
        with failures_of(self.folder):
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        """The rows that are left."""
        with failures_of(self.folder):
            return super().fetchall()


class Connection(sqlite3.Connection):
    """A connection to the database of one collection."""

    folder = Path()

    def execute(self, sql: str, parameters: Any = (), /) -> Cursor:  # noqa: ANN401
        """Run one statement."""
        return self._cursor().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        """Run one statement with many values."""
        return self._cursor().executemany(sql, parameters)

    def _cursor(self) -> Cursor:
        cursor = self.cursor(Cursor)
        cursor.folder = self.folder
        return cursor


def connect(folder: Path, *, create: bool = False) -> Connection:
    """Open the database of a collection and check that this version of tamis can read it.

    Args:
        folder: of the collection.
        create: make it where there is none.

    Raises:
        DamagedStoreError: not a tamis database.
        SchemaVersionError: written by a newer tamis.
        DiskError: no space or no permission.
    """
    with failures_of(folder):
        if create and not (folder / FILE_NAME).exists():
            _give_birth(folder)
        try:
            return _connected(folder, "" if create else _way_in(folder))
        except DiskError:
            if create:
                raise
            # SQLite notes in a file who reads; where there is no room for it, one process alone can do without.
            return _connected(folder, "", alone=True)


def _connected(folder: Path, way: str, *, alone: bool = False) -> Connection:
    connection = opened(folder, folder / FILE_NAME, way)
    try:
        if alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _prepare(connection, folder)
    except BaseException:
        connection.close()
        raise
    return connection


def _way_in(folder: Path) -> str:
    """How to open a database: where nothing can be written, nobody else writes, and SQLite need not note who reads."""
    if os.access(folder, os.W_OK):
        return ""
    log = folder / f"{FILE_NAME}-wal"
    return "?mode=ro" if log.exists() and log.stat().st_size else "?immutable=1"


def opened(folder: Path, path: Path, way: str = "") -> Connection:
    """Connect to a file without asking what it is.

    Args:
        folder: of the collection, for messages.
        path: of the file.
        way: a query of SQLite's file addresses.
    """
    connection = sqlite3.connect(
        path.absolute().as_uri() + way,
        uri=True,
        timeout=30.0,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    connection.folder = folder
    return connection


def _give_birth(folder: Path) -> None:
    """Make an empty database as one: whoever sees the file sees all tables."""
    path = folder / FILE_NAME
    unborn = path.with_name(f"{path.name}.new")
    for leftover in (*folder.glob(f"{unborn.name}*"), *folder.glob(f"{path.name}-*")):
        leftover.unlink()
    write_empty(folder, unborn)
    sync(unborn)
    unborn.replace(path)


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_empty(folder: Path, path: Path) -> None:
    """Write a database without documents into a file that is not there yet."""
    # SQLite gives its side files the mode of the database.
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    with closing(opened(folder, path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        with transaction(connection):
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _prepare(connection: Connection, folder: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cell_size_check = ON")
    # WAL: readers go on while one writes. NORMAL: a killed process loses nothing; a power cut may take back the last
    # documents whole, which the next run notices and redoes. `publish` syncs fully.
    connection.execute("PRAGMA synchronous = NORMAL")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise SchemaVersionError(
            f"collection {folder.name!r} has layout {version}, this tamis reads up to {SCHEMA_VERSION}",
            fix="upgrade tamis: pip install --upgrade tamis",
        )
    if version == 0 or not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        raise damaged(folder, "it holds no tables")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; inside another transaction, a part of that one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # SQLite has already rolled back where the disk was full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def get_meta(connection: sqlite3.Connection, key: str, default: str = "") -> str:
    """A fact about the collection."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return default if row is None else str(row[0])


def set_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Keep a fact about the collection."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def generation(connection: sqlite3.Connection) -> int:
    """Number of the last published snapshot, 0 before the first."""
    return int(get_meta(connection, "generation", "0"))


def identity_text(identity: EmbeddingIdentity) -> str:
    """An embedding identity as it is stored."""
    return json.dumps([identity.model, identity.sha256, identity.runtime, identity.dimensions])


def stored_identity(connection: sqlite3.Connection) -> EmbeddingIdentity | None:
    """Whose vectors the collection holds, None before the first."""
    text = get_meta(connection, "embedding")
    return EmbeddingIdentity(*json.loads(text)) if text else None


def check_identity(folder: Path, stored: EmbeddingIdentity | None, given: EmbeddingIdentity | None) -> None:
    """Refuse to compare vectors of two models.

    Raises:
        EmbeddingMismatchError: naming both.
    """
    if stored is None or given is None or stored == given:
        return
    raise EmbeddingMismatchError(
        f"collection {folder.name!r} was embedded with {_named(stored)}, the model in use is {_named(given)}",
        fix=f"run `tamis reembed --name {folder.name}`, or set embedding.model back",
    )


def _named(identity: EmbeddingIdentity) -> str:
    weights = f", weights {identity.sha256[:12]}" if identity.sha256 else ""
    return f"{identity.model} ({identity.runtime}{weights})"
