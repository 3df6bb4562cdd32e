from __future__ import annotations

import dataclasses
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from toy_store import IDENTITY, make, open_store

from tamis.errors import (
    BusyStoreError,
    DamagedStoreError,
    EmbeddingMismatchError,
    SchemaVersionError,
    StoreError,
    UnknownCollectionError,
    UsageError,
)
from tamis.settings import StoreSettings
from tamis.store.sqlite import SqliteStore


def test_an_unknown_name_offers_the_nearest(filled: SqliteStore) -> None:
    with pytest.raises(UnknownCollectionError) as caught:
        filled.reader("dosc")
    assert "'dosc'" in caught.value.message
    assert "did you mean docs?" in caught.value.fix
    assert "tamis ingest PATH --name dosc" in caught.value.fix
    with pytest.raises(UnknownCollectionError):
        filled.delete("other")


@pytest.mark.parametrize("name", ["", "A", "../up", "a/b", ".hidden", "x" * 65, "with space", "a\n"])
def test_names_that_could_lead_elsewhere_are_refused(store: SqliteStore, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no name for a collection"), store.writer(name):
        pass
    with pytest.raises(UsageError):
        store.reader(name)
    assert list(tmp_path.rglob("*")) == []


def test_another_embedding_model_is_named_with_the_way_out(filled: SqliteStore, tmp_path: Path) -> None:
    other = dataclasses.replace(IDENTITY, model="other")
    store = SqliteStore(tmp_path, StoreSettings(), other)
    for attempt in (lambda: store.reader("docs"), lambda: store.writer("docs").__enter__()):
        with pytest.raises(EmbeddingMismatchError) as caught:
            attempt()
        assert "toy" in caught.value.message and "other" in caught.value.message
        assert "tamis reembed --name docs" in caught.value.fix
    with SqliteStore(tmp_path, StoreSettings()).reader("docs") as reader:
        assert reader.info.embedding == IDENTITY


def test_a_newer_layout_is_left_alone(filled: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "collections" / "docs" / "collection.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SchemaVersionError, match="layout 99"):
        filled.reader("docs")
    with pytest.raises(SchemaVersionError), filled.writer("docs"):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database at all, only some text" * 50, b""])
def test_a_damaged_file_is_named(filled: SqliteStore, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "collections" / "docs" / "collection.sqlite"
    for extra in path.parent.glob("collection.sqlite-*"):
        extra.unlink()
    path.write_bytes(content)
    with pytest.raises(DamagedStoreError) as caught:
        filled.reader("docs")
    assert str(path) in caught.value.message
    filled.delete("docs")
    assert filled.names() == []


def test_damage_in_the_middle_is_named(store: SqliteStore, tmp_path: Path) -> None:
    with store.writer("docs") as writer:
        for number in range(50):
            writer.put(make(f"d{number}", f"text {number} " * 50))
        writer.publish()
    path = tmp_path / "collections" / "docs" / "collection.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    with pytest.raises(DamagedStoreError), store.reader("docs") as reader:
        list(reader.iter_documents())


def test_a_second_writer_is_told_who_is_first(filled: SqliteStore, tmp_path: Path) -> None:
    import os

    with filled.writer("docs") as writer:
        writer.put(make("c", "Text."))
        with pytest.raises(BusyStoreError, match=f"process {os.getpid()}"), open_store(tmp_path).writer("docs"):
            pass
        with pytest.raises(BusyStoreError):
            filled.delete("docs")
        with filled.reader("docs") as reader:
            assert reader.info.documents == 2
        writer.publish()
    with filled.writer("docs") as writer:
        assert writer.digest_of("c")


def test_a_second_writer_waits_its_turn(tmp_path: Path) -> None:
    store = open_store(tmp_path, busy_seconds=5.0)
    entered, order = threading.Event(), []

    def first() -> None:
        with store.writer("docs") as writer:
            entered.set()
            writer.put(make("a", "Text."))
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait()
    with store.writer("docs") as writer:
        order.append("second")
        assert writer.digest_of("a")
    thread.join()
    assert order == ["first", "second"]


def test_a_full_disk_is_one_clear_line_and_loses_nothing(filled: SqliteStore) -> None:
    with filled.writer("docs") as writer:
        writer._connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreError, match="no space left"):
            for number in range(1000):
                writer.put(make(f"d{number}", "filler " * 2000))
        writer._connection.execute("PRAGMA max_page_count = 1000000")
        writer.put(make("z", "Room again."))
        writer.publish()
    with filled.reader("docs") as reader:
        ids = [document.document_id for document in reader.iter_documents()]
        assert ids[:2] == ["a", "b"] and ids[-1] == "z"


_LIMITED = """
import resource, sys
from pathlib import Path
from toy_store import make, open_store
from tamis.errors import StoreError

store = open_store(Path(sys.argv[1]))
with store.writer("docs") as writer:
    writer.put(make("c", *(f"other words {number}" for number in range(3000))))
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        writer.publish()
    except StoreError as error:
        print(error.message)
"""


def test_no_room_for_the_snapshot_keeps_the_old_one(filled: SqliteStore, tmp_path: Path) -> None:
    import os

    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", _LIMITED, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "docs" in done.stdout, done.stderr
    assert [path.name for path in (tmp_path / "collections" / "docs" / "index").iterdir()] == ["1"]
    with filled.reader("docs") as reader:
        assert "a" in [document.document_id for document in reader.iter_documents()]


def test_delete_removes_everything(filled: SqliteStore, tmp_path: Path) -> None:
    assert filled.names() == ["docs"]
    filled.delete("docs")
    assert filled.names() == []
    assert list((tmp_path / "collections").iterdir()) == []


def test_folders_are_private(filled: SqliteStore, tmp_path: Path) -> None:
    folder = tmp_path / "collections" / "docs"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "index").stat().st_mode & 0o777 == 0o700
