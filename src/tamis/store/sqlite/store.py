"""Collections in a folder of this machine."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tamis.errors import BusyStoreError, DiskError, UnknownCollectionError, UsageError
from tamis.models.protocols import EmbeddingIdentity
from tamis.private import private_folder
from tamis.settings import StoreSettings
from tamis.store.nouns import Health
from tamis.store.sqlite import snapshot
from tamis.store.sqlite.database import (
    Connection,
    check_identity,
    connect,
    generation,
    get_meta,
    set_meta,
    stored_identity,
)
from tamis.store.sqlite.failures import FILE_NAME, failures_of
from tamis.store.sqlite.library import SqliteLibrary, open_library
from tamis.store.sqlite.lock import write_lock
from tamis.store.sqlite.reader import SqliteReader
from tamis.store.sqlite.reembedding import SqliteReembedding
from tamis.store.sqlite.rescue import SqliteRescue
from tamis.store.sqlite.salvage import examine, patient
from tamis.store.sqlite.writer import SqliteWriter

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def _utc_now() -> datetime:
    return datetime.now(UTC)


class SqliteStore:
    """Holds each collection in a folder of its own: a database, and the published arrays derived from it.

    Args:
        root: the data folder; collections lie in ``collections/<name>``.
        settings: see `StoreSettings`.
        identity: of the embedder in use; None to look without comparing vectors.
        now: dates what is published.
    """

    def __init__(
        self,
        root: Path,
        settings: StoreSettings,
        identity: EmbeddingIdentity | None = None,
        *,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._collections = root / "collections"
        self._settings = settings
        self._identity = identity
        self._now = now

    def names(self) -> list[str]:
        """Ascending."""
        self._check_home()
        if not self._collections.is_dir():
            return []
        with failures_of(self._collections):
            found = [path.name for path in self._collections.iterdir() if _NAME.fullmatch(path.name)]
            return sorted(name for name in found if (self._collections / name / FILE_NAME).is_file())

    def _check_home(self) -> None:
        there = next(path for path in (self._collections, *self._collections.absolute().parents) if path.exists())
        if not there.is_dir():
            raise DiskError(
                f"{there} is a file, so the data folder cannot be {self._collections.parent}",
                fix=f"set TAMIS_HOME to a folder, or check the permissions and place of {there}",
            )

    def reader(self, name: str) -> SqliteReader:
        """Open a snapshot; rebuilds it first where a killed process left it missing or behind.

        Raises:
            UnknownCollectionError: with the nearest names.
            EmbeddingMismatchError: the vectors come from another model.
            SchemaVersionError: a newer tamis wrote it.
            DamagedStoreError: a file is not what it should be.
        """
        folder = self._existing(name)
        connection = connect(folder)
        try:
            with failures_of(folder):
                check_identity(folder, stored_identity(connection), self._identity)
                self._recover(folder, connection)
                reader = self._open(folder, connection)
                # Asked again of the state that is now pinned: a reembedding may have ended in between.
                check_identity(folder, stored_identity(connection), self._identity)
                return reader
        except BaseException:
            connection.close()
            raise

    def _open(self, folder: Path, connection: Connection) -> SqliteReader:
        while True:
            # The transaction pins one state of the database for as long as the reader lives.
            connection.execute("BEGIN")
            number = generation(connection)
            arrays = snapshot.load(folder / "index" / str(number), checked_bytes=self._settings.checked_bytes)
            if arrays is not None:
                return SqliteReader(connection, folder, number, arrays)
            connection.execute("ROLLBACK")
            if generation(connection) == number:
                self._rebuild(folder, connection)

    def _recover(self, folder: Path, connection: Connection) -> None:
        if get_meta(connection, "writing") != "1" and generation(connection):
            return
        try:
            with failures_of(folder), write_lock(folder / "write.lock", wait_seconds=0.0):
                self._write(connection, folder, stored_identity(connection)).publish(settled=False)
                set_meta(connection, "writing", "0")
        except (BusyStoreError, DiskError):
            # Somebody writes right now, or nobody can: the last published state is what there is to see.
            if not generation(connection):
                raise

    def _write(self, connection: Connection, folder: Path, identity: EmbeddingIdentity | None) -> SqliteWriter:
        return SqliteWriter(connection, folder, identity, self._now, self._settings.exact_limit)

    def _rebuild(self, folder: Path, connection: Connection) -> None:
        with self._locked(folder):
            number, identity = generation(connection), stored_identity(connection)
            if not snapshot.damage(folder / "index" / str(number), most=self._settings.checked_bytes):
                # Somebody else was faster.
                return
            dimensions = identity.dimensions if identity else 0
            limit = self._settings.exact_limit
            snapshot.build(connection, folder / "index", number, dimensions=dimensions, exact_limit=limit)

    @contextmanager
    def writer(self, name: str) -> Iterator[SqliteWriter]:
        """Open for writing, creating the collection if need be.

        Raises:
            BusyStoreError: another process is writing.
            EmbeddingMismatchError: as for `reader`.
        """
        folder = self._folder(name)
        self._check_home()
        with self._locked(folder, create=True):
            fresh = not (folder / FILE_NAME).is_file()
            connection = connect(folder, create=True)
            try:
                check_identity(folder, stored_identity(connection), self._identity)
                set_meta(connection, "writing", "1")
                yield self._write(connection, folder, self._identity)
                set_meta(connection, "writing", "0")
            except BaseException:
                # A first run that failed before it read anything leaves no empty collection behind.
                if fresh and connection.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is None:
                    connection.close()
                    self._remove(folder)
                raise
            finally:
                connection.close()

    @contextmanager
    def reembedding(self, name: str) -> Iterator[SqliteReembedding]:
        """Open for giving it the vectors of the model in use.

        Raises:
            UnknownCollectionError: no such collection.
            BusyStoreError: another process is writing.
        """
        folder = self._existing(name)
        if self._identity is None:
            raise UsageError("no embedding model is in use", fix="open the store with the identity of one")
        with self._locked(folder):
            connection = connect(folder)
            try:
                yield SqliteReembedding(connection, folder, self._identity, self._now, self._settings.exact_limit)
                snapshot.remove_others(folder / "index", generation(connection))
            finally:
                connection.close()

    @contextmanager
    def library(self, name: str, *, writing: bool = False) -> Iterator[SqliteLibrary]:
        """Open the library that was built from a collection; an empty one where none was.

        Raises:
            UnknownCollectionError: no such collection.
            BusyStoreError: another process is building.
            SchemaVersionError: a newer tamis built it.
            DamagedStoreError: its file is not what it should be.
        """
        folder = self._existing(name)
        with open_library(folder, writing=writing, wait_seconds=self._settings.busy_seconds) as opened:
            yield opened

    def examine(self, name: str) -> Health:
        """Look at every document of a collection and at everything derived; changes nothing.

        Raises:
            UnknownCollectionError: no such collection.
            SchemaVersionError: a newer tamis wrote it.
        """
        return examine(self._existing(name))

    @contextmanager
    def rescue(self, name: str) -> Iterator[SqliteRescue]:
        """Open a damaged collection to repair it.

        Raises:
            UnknownCollectionError: no such collection.
            SchemaVersionError: a newer tamis wrote it.
            BusyStoreError: another process is writing.
        """
        folder = self._existing(name)
        with self._locked(folder), patient(folder) as subject:
            yield SqliteRescue(subject, self._identity, self._now, self._settings.exact_limit)

    def delete(self, name: str) -> None:
        """Remove a collection.

        Raises:
            UnknownCollectionError: no such collection.
            BusyStoreError: somebody is writing into it.
            UsageError: its folder is a link, behind which the data would stay.
        """
        folder = self._existing(name)
        if folder.is_symlink():
            raise UsageError(
                f"collection {name!r} is a link to {folder.resolve()}", fix="delete that folder and the link yourself"
            )
        with self._locked(folder), failures_of(folder):
            self._remove(folder)

    def _remove(self, folder: Path) -> None:
        # Out of sight as one, so that nobody finds half a collection; then what earlier attempts left too.
        folder.rename(folder.with_name(f".gone-{folder.name}-{os.getpid()}"))
        for gone in self._collections.glob(".gone-*"):
            shutil.rmtree(gone, ignore_errors=True)

    @contextmanager
    def _locked(self, folder: Path, *, create: bool = False) -> Iterator[None]:
        """Be the one who writes.

        Raises:
            BusyStoreError: another process is.
            UnknownCollectionError: it was deleted while we waited.
        """
        lock = write_lock(
            folder / "write.lock",
            wait_seconds=self._settings.busy_seconds,
            make_folder=(lambda: private_folder(folder)) if create else (lambda: None),
        )
        with ExitStack() as stack:
            with failures_of(folder):
                try:
                    stack.enter_context(lock)
                except FileNotFoundError:
                    # Made just now, it cannot be missing: then the place takes no folders (/proc is such a one).
                    if create:
                        raise
                    raise _unknown(folder.name, self.names()) from None
            yield

    def _folder(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is no name for a collection",
                fix="use 1 to 64 lower-case letters, digits, dots, dashes and underscores, a letter or digit first",
            )
        return self._collections / name

    def _existing(self, name: str) -> Path:
        folder = self._folder(name)
        self._check_home()
        if (folder / FILE_NAME).is_file():
            return folder
        raise _unknown(name, self.names())


def _unknown(name: str, names: list[str]) -> UnknownCollectionError:
    from rapidfuzz import process

    near = [found[0] for found in process.extract(name, names, limit=3, score_cutoff=60)]
    known = f"did you mean {', '.join(near)}? " if near else f"there are: {', '.join(names)}. " if names else ""
    return UnknownCollectionError(
        f"there is no collection {name!r}",
        fix=f"{known}make it with `tamis crawl URL --name {name}` or `tamis ingest PATH --name {name}`",
    )
