"""The SQLite file of a collection: its tables, how it is opened, and what its failures mean.

Nothing that a published snapshot needs is ever overwritten: a document that is replaced or forgotten stays, marked
with the generation it dies in, until the next publish no longer shows it. So a snapshot can be rebuilt at any time.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tamis.errors import DamagedStoreError, DiskError, EmbeddingMismatchError, SchemaVersionError, StoreError
from tamis.models.protocols import EmbeddingIdentity

SCHEMA_VERSION = 1
FILE_NAME = "collection.sqlite"

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


def connect(folder: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open the database of a collection and check that this version of tamis can read it.

    Args:
        folder: of the collection.
        create: make the tables where there are none.

    Raises:
        DamagedStoreError: not a tamis database.
        SchemaVersionError: written by a newer tamis.
    """
    path = folder / FILE_NAME
    with failures_of(folder):
        connection = sqlite3.connect(path, timeout=30.0, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, folder, create=create)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, folder: Path, *, create: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # WAL: readers go on while one writes. NORMAL: a killed process loses nothing; a power cut may take back the last
    # documents whole, which the next run notices and redoes. `publish` syncs fully.
    connection.execute("PRAGMA synchronous = NORMAL")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0 and create:
        connection.execute("PRAGMA journal_mode = WAL")
        with transaction(connection):
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in _SCHEMA.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        version = SCHEMA_VERSION
    if version > SCHEMA_VERSION:
        raise SchemaVersionError(
            f"collection {folder.name!r} has layout {version}, this tamis reads up to {SCHEMA_VERSION}",
            fix="upgrade tamis: pip install --upgrade tamis",
        )
    if version == 0:
        raise damaged(folder, "it holds no tables")


def damaged(folder: Path, reason: str) -> DamagedStoreError:
    """The error for a database that cannot be read."""
    return DamagedStoreError(
        f"{folder / FILE_NAME} is damaged: {reason}",
        fix=f"restore it from a copy, or `tamis collections delete {folder.name}` and read the sources again",
    )


@contextmanager
def failures_of(folder: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into errors a person can act on."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text:
            raise _no_space(folder) from error
        if any(sign in text for sign in ("malformed", "not a database", "corrupt", "no such table")):
            raise damaged(folder, text) from error
        raise StoreError(
            f"collection {folder.name!r} cannot be used: {text}", fix=f"check the permissions of {folder}"
        ) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise _no_space(folder) from error
        raise DiskError(
            f"{error.filename or folder} cannot be used: {error.strerror or error}",
            fix=f"check the permissions of {folder}",
        ) from error


def _no_space(folder: Path) -> DiskError:
    return DiskError(
        f"no space left for collection {folder.name!r} in {folder}",
        fix="free some space and run the same command again; everything stored so far is kept",
    )


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
