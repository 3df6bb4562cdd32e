"""Reading what can be read of a database that may be damaged, document by document. Nothing is written to it.

Where its first page is gone, which says where everything else lies, the first page of an empty database does for a copy
of it: tamis makes all databases alike, so that all tables begin at the same places.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tamis.errors import BusyStoreError, DamagedStoreError, DiskError, SchemaVersionError, StoreError
from tamis.models.protocols import EmbeddingIdentity
from tamis.schema.document import Document
from tamis.store.nouns import Health, StoredDocument
from tamis.store.sqlite import snapshot
from tamis.store.sqlite.database import (
    Connection,
    connect,
    generation,
    get_meta,
    opened,
    stored_identity,
    write_empty,
)
from tamis.store.sqlite.failures import FILE_NAME, failures_of
from tamis.store.sqlite.rows import DOCUMENT_COLUMNS, chunk_from, document_from, entity_from, unsigned
from tamis.text.fingerprints import sha256_hex

OTHER_TABLES = ("notes", "pages", "entity_vectors")
"""Tables that belong to no document; each has its key in the first column."""
_COUNTER, _PAGES, _FREE, _VALID_FOR = slice(24, 28), slice(28, 32), slice(32, 40), slice(92, 96)
"""Fields of the header of a SQLite file (https://sqlite.org/fileformat2.html, section 1.3)."""
_PAGE_BYTES = 4096
_OFF_UNIT = 1e-3
"""Most that the length of a stored vector differs from 1."""
_LEAST_BYTES = 200
"""A document takes at least so many: how many rows are tried where nothing says how many there are."""

T = TypeVar("T")


@dataclass(frozen=True)
class Patient:
    """A database opened to see what it holds.

    Attributes:
        connection: to it, or to a copy with a new first page.
        folder: of the collection.
        problem: why it cannot be used as it is, empty when it can.
    """

    connection: Connection
    folder: Path
    problem: str

    @property
    def identity(self) -> EmbeddingIdentity | None:
        """Whose vectors it holds, None where nobody knows."""
        return self._told(lambda: stored_identity(self.connection), None)

    @property
    def generation(self) -> int:
        """Number of the last published snapshot, 0 where nobody knows."""
        return self._told(lambda: generation(self.connection), 0)

    def _told(self, question: Callable[[], T], otherwise: T) -> T:
        try:
            with failures_of(self.folder):
                return question()
        except (StoreError, ValueError, TypeError, LookupError):
            return otherwise

    def _cell(self, query: str) -> Any:  # noqa: ANN401 - whatever SQLite holds
        row = self.connection.execute(query).fetchone()
        return None if row is None else row[0]

    def rows(self) -> range:
        """Where documents may be."""
        last = 0
        for table, key in (("documents", "row"), ("texts", "document"), ("digests", "document")):
            last = max(last, self._told(partial(self._cell, f"SELECT max({key}) FROM {table}"), 0) or 0)
        if not last and self.problem and self._told(self._has_documents, False):
            last = (self.folder / FILE_NAME).stat().st_size // _LEAST_BYTES
        return range(1, last + 1)

    def _has_documents(self) -> bool:
        return bool(self._cell("SELECT count(*) FROM sqlite_schema WHERE name = 'documents'"))

    def document(self, row: int) -> tuple[Document | None, bool, str]:
        """What stands in a row.

        Returns:
            The living document there, whether the row can be read at all, and the id as far as it is known.
        """
        try:
            found = self.connection.execute("SELECT id, died FROM documents WHERE row = ?", (row,)).fetchone()
        except DamagedStoreError:
            return None, False, ""
        if found is None or found[1] is not None:
            return None, True, "" if found is None else str(found[0])
        document = self._told(lambda: self._document(row), None)
        if document is None or sha256_hex(document.text) != document.sha256:
            return None, False, str(found[0])
        return document, True, document.document_id

    def _document(self, row: int) -> Document:
        return document_from(
            self.connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents JOIN texts ON texts.document = documents.row "
                "WHERE documents.row = ?",
                (row,),
            ).fetchone()
        )

    def digested(self, row: int, document: Document) -> StoredDocument | None:
        """A document with everything digested from it, None where that is not whole."""
        return self._told(lambda: self._digested(row, document), None)

    def _digested(self, row: int, document: Document) -> StoredDocument | None:
        ask, identity = self.connection.execute, self.identity
        chunks = tuple(
            chunk_from(document.document_id, document.text, found)
            for found in ask(
                "SELECT ordinal, start, stop, headings FROM chunks WHERE document = ? ORDER BY ordinal", (row,)
            )
        )
        blob = ask("SELECT vectors FROM digests WHERE document = ?", (row,)).fetchone()[0]
        vectors = np.frombuffer(blob, dtype="<f4").reshape(len(chunks), identity.dimensions if identity else 0)
        lengths = (vectors.astype(np.float64) ** 2).sum(axis=1)
        entities = tuple(
            entity_from(found)
            for found in ask(
                "SELECT key, label, mentions, confidence FROM entities WHERE document = ? ORDER BY position", (row,)
            )
        )
        if identity is None or [chunk.ordinal for chunk in chunks] != list(range(len(chunks))):
            return None
        if any(not 0 <= chunk.start < chunk.end <= len(document.text) for chunk in chunks):
            return None
        if not (np.abs(lengths - 1.0) < _OFF_UNIT).all():
            return None
        topic, sentiment, quality, fingerprint = ask(
            "SELECT topic, sentiment, quality, fingerprint FROM documents WHERE row = ?", (row,)
        ).fetchone()
        return StoredDocument(
            document, chunks, vectors, entities, topic, sentiment, quality, unsigned(int(fingerprint))
        )

    def other(self, table: str) -> tuple[list[tuple[Any, ...]], bool]:
        """The rows of a table that can be read, and whether these are all."""
        found: dict[Any, tuple[Any, ...]] = {}
        # What lies before the damage is met going forwards, what lies behind it going backwards.
        for order in ("ASC", "DESC"):
            try:
                for row in self.connection.execute(f"SELECT * FROM {table} ORDER BY 1 {order}"):
                    found[row[0]] = row
            except (StoreError, ValueError):
                continue
            return [found[key] for key in sorted(found)], True
        return [found[key] for key in sorted(found)], False


@contextmanager
def patient(folder: Path) -> Iterator[Patient]:
    """Open the database of a collection, whatever state it is in.

    Raises:
        SchemaVersionError: a newer tamis wrote it.
        DiskError: it cannot be opened or copied.
    """
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(closing(connect(folder)))
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            problem = "" if found == "ok" else str(found).splitlines()[-1]
        except SchemaVersionError:
            raise
        except DamagedStoreError as error:
            problem = error.message.partition(" is damaged: ")[2]
        if problem:
            connection = stack.enter_context(_tolerant(folder))
        yield Patient(connection, folder, problem)


@contextmanager
def _tolerant(folder: Path) -> Iterator[Connection]:
    """A connection to a copy of a damaged database, with a new first page where it needs one."""
    with failures_of(folder), tempfile.TemporaryDirectory(prefix=".examined-", dir=_room(folder)) as place:
        copy = Path(place) / FILE_NAME
        for end in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(folder / f"{FILE_NAME}{end}", f"{copy}{end}")
        if not _has_tables(folder, copy):
            _graft(folder, copy)
        with closing(opened(folder, copy)) as connection:
            # A file that was cut off is refused otherwise.
            connection.execute("PRAGMA writable_schema = ON")
            yield connection


def _room(folder: Path) -> Path | None:
    return folder if os.access(folder, os.W_OK) else None


def _has_tables(folder: Path, path: Path) -> bool:
    with closing(opened(folder, path)) as connection:
        try:
            connection.execute("PRAGMA writable_schema = ON")
            query = "SELECT count(*) FROM sqlite_schema WHERE name IN ('documents', 'texts', 'meta')"
            return bool(connection.execute(query).fetchone()[0] == 3)
        except StoreError:
            return False


def _graft(folder: Path, path: Path) -> None:
    empty = path.with_name("empty")
    write_empty(folder, empty)
    page = bytearray(empty.read_bytes()[:_PAGE_BYTES])
    page[_PAGES] = (path.stat().st_size // _PAGE_BYTES).to_bytes(4, "big")
    page[_FREE] = bytes(8)
    page[_VALID_FOR] = page[_COUNTER]
    with path.open("r+b") as file:
        file.write(page)


def examine(folder: Path) -> Health:
    """Look at everything a collection holds.

    Raises:
        SchemaVersionError: a newer tamis wrote it.
        DiskError: it cannot be opened.
    """
    with patient(folder) as subject:
        return health_of(subject)


def health_of(subject: Patient) -> Health:
    """Look at every document, every other table and everything derived."""
    whole: list[str] = []
    some: list[str] = []
    known: set[str] = set()
    unreadable: set[str] = set()
    unknown = 0
    for row in subject.rows():
        document, readable, name = subject.document(row)
        if document is not None:
            (whole if subject.digested(row, document) else some).append(document.document_id)
        if readable:
            known.add(name)
        elif name:
            unreadable.add(name)
        else:
            unknown += 1
    lost = sorted((unreadable | set(_published(subject))) - known)
    return Health(
        subject.problem,
        tuple(sorted(whole)),
        tuple(sorted(some)),
        tuple(lost),
        max(0, unknown - len(lost)) if not _published(subject) else 0,
        tuple(table for table in OTHER_TABLES if not subject.other(table)[1]),
        () if subject.problem else tuple(_derived(subject)),
    )


def _index(subject: Patient) -> Path | None:
    """The folder of the published snapshot: the one the database names, else the newest there is."""
    number = subject.generation
    index = subject.folder / "index"
    if number:
        return index / str(number)
    there = [path for path in index.iterdir() if path.name.isdigit()] if index.is_dir() else []
    return max(there, key=lambda path: int(path.name), default=None)


def _published(subject: Patient) -> list[str]:
    index = _index(subject)
    return snapshot.names(index) if index else []


def _phrases_sound(connection: Connection) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)")
        finally:
            connection.execute("ROLLBACK")
    except DamagedStoreError:
        return False
    except (BusyStoreError, DiskError):
        # Somebody writes, or nobody can: it cannot be looked at now.
        return True
    return True


def _derived(subject: Patient) -> Iterator[str]:
    index = _index(subject)
    wrong = snapshot.damage(index) if index else []
    if wrong:
        yield f"snapshot {index}: {', '.join(wrong)} missing or changed"
    if not _phrases_sound(subject.connection):
        yield "full-text index: not what the texts say"
    if get_meta(subject.connection, "changed") == "1":
        yield "entity profiles, near-duplicates and calibration: behind the documents"
