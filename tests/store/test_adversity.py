"""A full disk, a folder that cannot be written, several processes at once, a clock that jumps."""

from __future__ import annotations

import multiprocessing
import random
import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bench.rows import differences, rows_of
from bench.toys import ToyEmbedder, ToyRecogniser, files, pages
from toy_store import make, open_store

from tamis.app import Tamis
from tamis.errors import BusyStoreError, DiskError, StoreError
from tamis.settings import Settings
from tamis.store.sqlite import SqliteStore

NAME = "sieves"
DOCUMENTS = 120
SETTINGS = Settings.model_validate(
    {
        "store": {"busy_seconds": 0.2},
        "fetch": {"allow_hosts": ["127.0.0.1"], "retries": 0},
        "crawl": {"loopback_delay_seconds": 0.0},
    }
)


def app_at(home: Path, embedder: ToyEmbedder | None = None) -> Tamis:
    app = Tamis(settings=SETTINGS, home=home)
    app.embedder, app.recogniser = embedder or ToyEmbedder(), ToyRecogniser()
    return app


def folder_of(home: Path) -> Path:
    return home / "collections" / NAME


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of six megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(place)], capture_output=True, text=True, check=False
        )
        if shutil.which("mount")
        else None
    )
    if mounted is None or mounted.returncode:
        pytest.skip(f"a small disk needs the right to mount one: {mounted.stderr.strip() if mounted else 'no mount'}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in files(DOCUMENTS, 1).items():
        (folder / name).write_text(text)
    return folder


class Site(BaseHTTPRequestHandler):
    found = pages(DOCUMENTS, 1)

    def do_GET(self) -> None:
        body = self.found.get(self.path, "").encode()
        self.send_response(200 if body else 404)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/0"
        server.shutdown()


def fill(disk: Path, leave: int) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        file.write(bytes(max(0, shutil.disk_usage(disk).free - leave)))
    return ballast


@pytest.mark.parametrize("work", ["ingest", "crawl", "reembed"])
def test_a_full_disk_is_named_and_the_work_goes_on_when_there_is_room(
    work: str, disk: Path, many: Path, site: str, tmp_path: Path
) -> None:
    few = sorted(many.iterdir())[:10]
    other = ToyEmbedder("other", 24)

    def act(home: Path) -> None:
        if work == "ingest":
            app_at(home).collection(NAME).ingest([many])
        elif work == "crawl":
            app_at(home).collection(NAME).crawl(site, depth=9)
        else:
            app_at(home, other).collection(NAME).reembed()

    start = [many] if work == "reembed" else few
    app_at(disk).collection(NAME).ingest(start)
    app_at(tmp_path / "roomy").collection(NAME).ingest(start)
    ballast = fill(disk, leave=60_000)
    with pytest.raises(DiskError) as caught:
        act(disk)
    message = caught.value.message
    assert "no space left" in message and str(folder_of(disk)) in message and "bytes are free" in message
    assert "free some space" in caught.value.fix
    # Full as it is, what was published can be read.
    with app_at(disk).shelf.reader(NAME) as reader:
        assert len(list(reader.iter_documents())) >= len(start if work != "reembed" else few)
    ballast.unlink()
    act(disk)
    act(tmp_path / "roomy")
    assert differences(rows_of(folder_of(disk)), rows_of(folder_of(tmp_path / "roomy"))) == []


def test_a_full_disk_is_named_however_little_is_left(disk: Path, many: Path) -> None:
    app_at(disk).collection(NAME).ingest(sorted(many.iterdir())[:4])
    for leave in (0, 4096, 20_000, 33_000, 100_000, 180_000):
        ballast = fill(disk, leave=leave)
        with pytest.raises(DiskError, match="no space left"):
            app_at(disk).collection(NAME).ingest([many])
        with app_at(disk).shelf.reader(NAME) as reader:
            assert len(list(reader.iter_documents())) >= 4
        ballast.unlink()
    app_at(disk).collection(NAME).ingest([many])
    assert app_at(disk).collection(NAME).info().documents == DOCUMENTS


def test_a_new_collection_on_a_full_disk_leaves_nothing(disk: Path, many: Path) -> None:
    fill(disk, leave=8_192)
    with pytest.raises(DiskError, match="no space left"):
        app_at(disk).collection(NAME).ingest([many])
    assert app_at(disk).collections() == [] and app_at(disk).damaged() == []


@pytest.fixture
def read_only(tmp_path: Path, many: Path) -> Iterator[Path]:
    """A home on a file system that cannot be written."""
    home = tmp_path / "home"
    app_at(home).collection(NAME).ingest(sorted(many.iterdir())[:5])
    (home / "logs").mkdir()
    done = subprocess.run(["mount", "--bind", str(home), str(home)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"needs the right to mount: {done.stderr.strip()}")
    subprocess.run(["mount", "-o", "remount,bind,ro", str(home)], check=True)
    try:
        yield home
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


def test_a_read_only_folder_can_be_read_and_says_why_it_cannot_be_written(read_only: Path, many: Path) -> None:
    app = app_at(read_only)
    assert app.collection(NAME).search("Which sieve presses flour?").items
    assert app.collection(NAME).examine().sound
    other = app_at(read_only, ToyEmbedder("other", 8))
    for attempt in (
        lambda: app.collection(NAME).ingest([many]),
        lambda: app.collection("fresh").ingest([many]),
        lambda: other.collection(NAME).reembed(),
        lambda: app.delete(NAME),
    ):
        with pytest.raises(DiskError) as caught:
            attempt()
        assert "ead-only" in caught.value.message and "check the permissions" in caught.value.fix
    assert app.collection(NAME).info().documents == 5


def _write(root: str, first: int, results: multiprocessing.Queue) -> None:
    try:
        with open_store(Path(root), busy_seconds=0.3).writer("docs") as writer:
            writer.put(make(f"w{first}", f"words of {first}"))
            time.sleep(1.0)
            writer.publish()
        results.put("written")
    except BusyStoreError as error:
        results.put(error.message)


def test_the_second_of_two_writers_is_refused_by_name(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    both = [context.Process(target=_write, args=(str(tmp_path), number, results)) for number in (1, 2)]
    for process in both:
        process.start()
    told = sorted(results.get(timeout=60) for _ in both)
    for process in both:
        process.join()
    # Started apart by more than it takes to write, they come one after the other, and both succeed.
    assert told[1] == "written"
    assert told[0] == "written" or "is being written by process" in told[0]
    with open_store(tmp_path).reader("docs") as reader:
        assert reader.info.documents == told.count("written")


def test_a_collection_deleted_while_a_writer_waits_is_made_anew(tmp_path: Path) -> None:
    store = open_store(tmp_path, busy_seconds=5.0)
    with store.writer("docs") as writer:
        writer.put(make("old", "Text."))
        writer.publish()
    entered, go = threading.Event(), threading.Event()

    def hold() -> None:
        with store._locked(store._folder("docs")):
            entered.set()
            go.wait()
            store._remove(store._folder("docs"))

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait()
    threading.Timer(0.2, go.set).start()
    with store.writer("docs") as writer:
        assert writer.digest_of("old") == ""
        writer.put(make("new", "Text."))
        # Nobody else holds another lock of the same name.
        with pytest.raises(BusyStoreError), open_store(tmp_path, busy_seconds=0.1).writer("docs"):
            pass
        writer.publish()
    holder.join()
    with store.reader("docs") as reader:
        assert [document.document_id for document in reader.iter_documents()] == ["new"]
    assert [path.name for path in (tmp_path / "collections").iterdir()] == ["docs"]


def _read(root: str, results: multiprocessing.Queue) -> None:
    """Read again and again; every document must be one of the versions, whole, and all of one snapshot."""
    store, faults = open_store(Path(root)), []
    for _ in range(8):
        with store.reader("docs") as reader:
            documents = list(reader.iter_documents())
            versions = {document.text.split()[1] for document in documents}
            chunks = reader.chunks_of([document.document_id for document in documents])
            if len(versions) > 1:
                faults.append(f"versions {sorted(versions)} in one snapshot")
            for document, passages in zip(documents, chunks, strict=True):
                if document.text != "\n\n".join(passage.text for passage in passages):
                    faults.append(f"{document.document_id} is half written")
            hits = reader.search_text({f"version{next(iter(versions), 0)}": 1.0}, 1000)
            if len(hits.rows) != sum(map(len, chunks)):
                faults.append("the index is not that of the documents")
            known = {document.document_id for document in documents}
            repeats = {signals.duplicate_of for signals in reader.signals(sorted(known))} - {""}
            if not repeats <= known:
                faults.append(f"{sorted(repeats - known)} are repeated and not there")
    results.put(faults)


def test_readers_never_see_a_half_written_document(tmp_path: Path) -> None:
    def write(version: int) -> None:
        with open_store(tmp_path).writer("docs") as writer:
            for number in range(12):
                passages = [f"version {version} version{version} of {number} part {part}" for part in range(4)]
                writer.put(make(f"d{number:02}", *passages))
            with writer.together():
                writer.put_duplicates({f"d{number:02}": "d00" for number in range(1, 12)})
                writer.publish()

    write(0)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    readers = [context.Process(target=_read, args=(str(tmp_path), results)) for _ in range(2)]
    for process in readers:
        process.start()
    version = 0
    while any(process.is_alive() for process in readers):
        version += 1
        write(version)
    told = [results.get(timeout=60) for _ in readers]
    for process in readers:
        process.join()
    assert told == [[], []]
    assert version > 3


def test_nothing_but_the_recorded_date_depends_on_the_clock(tmp_path: Path, many: Path) -> None:
    drawn = random.Random(2)

    def jumping() -> datetime:
        return datetime(2026, 5, 1, tzinfo=UTC) + timedelta(days=drawn.uniform(-40_000, 40_000))

    rows = []
    for home, clock in (("steady", lambda: datetime(2026, 5, 1, tzinfo=UTC)), ("jumping", jumping)):
        app = app_at(tmp_path / home)
        app.store = SqliteStore(tmp_path / home, SETTINGS.store, app.embedder.identity, now=clock)
        for count in (5, 9, 9, 14):
            app.collection(NAME).ingest(sorted(many.iterdir())[:count])
        rows.append((rows_of(folder_of(tmp_path / home)), app.collection(NAME).info()))
    (steady, _), (jumped, info) = rows
    assert differences(jumped, steady) == []
    assert info.updated is not None and not info.updated.startswith("2026-05-01")


def test_an_interrupted_birth_is_no_collection(tmp_path: Path) -> None:
    folder = tmp_path / "collections" / "docs"
    folder.mkdir(parents=True)
    (folder / "collection.sqlite.new").write_bytes(b"half")
    (folder / "collection.sqlite.new-journal").write_bytes(b"half")
    store = open_store(tmp_path)
    assert store.names() == []
    with store.writer("docs") as writer:
        writer.put(make("a", "Text."))
        writer.publish()
    assert store.names() == ["docs"]
    assert not list(folder.glob("*.new*"))


def test_profiles_can_be_made_for_a_collection_without(tmp_path: Path, many: Path) -> None:
    app = app_at(tmp_path / "home")
    collection = app.collection(NAME)
    collection.ingest(sorted(many.iterdir())[:12])
    wanted = rows_of(folder_of(app.home))
    with sqlite3.connect(folder_of(app.home) / "collection.sqlite") as connection:
        connection.execute("DELETE FROM profiles")
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'changed'")
    connection.close()
    with app.store.writer(NAME) as writer:
        writer.publish()
    question = "What do Avignon Tamis and Bruges Sieve press?"
    with app.shelf.reader(NAME) as reader:
        assert not reader.profiles(["sieve-00.md"]).any()
        keys = [entity.key for entity in reader.entities(["sieve-00.md"])[0]]
        assert "sieve-00.md" in reader.search_entities(keys, minimum=2).ids
    assert collection.search(question).items
    collection.backfill()
    assert differences(rows_of(folder_of(app.home)), wanted) == []
    with pytest.raises(StoreError):
        app_at(app.home, ToyEmbedder("other")).collection(NAME).backfill()
