"""A new database in place of a damaged one, which is kept aside."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path

from tamis.models.protocols import EmbeddingIdentity
from tamis.schema.document import Document
from tamis.store.nouns import Health, StoredDocument
from tamis.store.sqlite import snapshot
from tamis.store.sqlite.database import Connection, opened, set_meta, sync, transaction, write_empty
from tamis.store.sqlite.failures import FILE_NAME, failures_of
from tamis.store.sqlite.salvage import OTHER_TABLES, Patient, health_of
from tamis.store.sqlite.writer import SqliteWriter


class SqliteRescue:
    """Repairs a collection; made by `SqliteStore.rescue`, which holds the lock.

    Args:
        subject: its database.
        identity: of the vectors it is to have.
        now: the time a publish is dated with.
        exact_limit: see `StoreSettings`.
    """

    def __init__(
        self, subject: Patient, identity: EmbeddingIdentity | None, now: Callable[[], datetime], exact_limit: int
    ) -> None:
        self._subject = subject
        self._folder = subject.folder
        self._identity = identity
        self._now = now
        self._exact_limit = exact_limit
        self._aside = ""

    @cached_property
    def health(self) -> Health:
        """As it was found."""
        return health_of(self._subject)

    @property
    def kept_aside(self) -> str:
        """Where the damaged database lies afterwards, empty before."""
        return self._aside

    @property
    def _keeps_vectors(self) -> bool:
        return self._subject.identity == self._identity

    def rebuild(self) -> None:
        """Make again what only is derived; enough where the database itself is in order."""
        connection, number = self._subject.connection, self._subject.generation
        with failures_of(self._folder), transaction(connection):
            connection.execute("INSERT INTO passages_fts (passages_fts) VALUES ('rebuild')")
            index = self._folder / "index"
            if number and snapshot.damage(index / str(number)):
                dimensions = identity.dimensions if (identity := self._subject.identity) else 0
                snapshot.build(connection, index, number, dimensions=dimensions, exact_limit=self._exact_limit)

    def _documents(self) -> Iterator[tuple[Document, StoredDocument | None]]:
        for row in self._subject.rows():
            document, _, _ = self._subject.document(row)
            if document is not None:
                yield document, self._subject.digested(row, document) if self._keeps_vectors else None

    def stored(self) -> Iterator[StoredDocument]:
        """The documents that are whole, ascending by row; their vectors are those of the model in use."""
        return (stored for _, stored in self._documents() if stored is not None)

    def texts(self) -> Iterator[Document]:
        """The documents that have to be digested again."""
        return (document for document, stored in self._documents() if stored is None)

    @contextmanager
    def replaced(self) -> Iterator[SqliteWriter]:
        """Fill a new database, finish and publish; when it ends well, it takes the place of the damaged one."""
        fresh = self._folder / f"{FILE_NAME}.repaired"
        self._discard(fresh)
        try:
            with failures_of(self._folder):
                write_empty(self._folder, fresh)
                with closing(opened(self._folder, fresh)) as connection:
                    self._copy_others(connection)
                    yield SqliteWriter(connection, self._folder, self._identity, self._now, self._exact_limit)
                    self._mistrust_pages(connection)
                self._take_place(fresh)
        except BaseException:
            self._discard(fresh)
            raise

    def _discard(self, path: Path) -> None:
        for leftover in self._folder.glob(f"{path.name}*"):
            leftover.unlink()

    def _copy_others(self, connection: Connection) -> None:
        numbers = [int(path.name) for path in self._folder.glob("index/*") if path.name.isdigit()]
        with transaction(connection):
            # Its snapshots are numbered on, so that none is taken for one of the damaged database.
            set_meta(connection, "generation", str(max([self._subject.generation, *numbers])))
            set_meta(connection, "changed", "1")
            for table in OTHER_TABLES:
                if table == "entity_vectors" and not self._keeps_vectors:
                    continue
                rows, _ = self._subject.other(table)
                if rows:
                    places = ", ".join("?" * len(rows[0]))
                    connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)

    def _mistrust_pages(self, connection: Connection) -> None:
        """What is lost must not be taken for known by the next crawl."""
        if not (self.health.lost or self.health.unknown or self.health.other):
            return
        with transaction(connection):
            connection.execute("UPDATE pages SET etag = '', last_modified = '', sha256 = '', seen = 0")
            connection.execute(
                "DELETE FROM pages WHERE document_id <> '' AND NOT EXISTS "
                "(SELECT 1 FROM documents WHERE documents.id = pages.document_id AND died IS NULL)"
            )

    def _take_place(self, fresh: Path) -> None:
        database = self._folder / FILE_NAME
        sync(fresh)
        # A connection that closes later would take the log of the new database away with it.
        self._subject.connection.close()
        number = 1
        while (aside := self._folder / f"damaged-{number}").exists():
            number += 1
        aside.mkdir(mode=0o700)
        for end in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{database}{end}", aside / f"{FILE_NAME}{end}")
        # The log first: SQLite would take it for the new database's.
        for end in ("-wal", "-shm"):
            Path(f"{database}{end}").unlink(missing_ok=True)
        fresh.replace(database)
        sync(self._folder)
        self._aside = str(aside)
