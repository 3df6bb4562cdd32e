"""Damaged files are named, never a traceback; the doctor says what can be saved, and saves it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from bench.rows import differences, rows_of
from bench.toys import ToyEmbedder, ToyRecogniser, files

from tamis.app import Tamis
from tamis.cli import main
from tamis.errors import DamagedStoreError, SchemaVersionError
from tamis.settings import Settings

NAME = "sieves"
COUNT = 60
PAGE = 4096


def app_at(home: Path, model: str = "toy", **store: int) -> Tamis:
    app = Tamis(settings=Settings.model_validate({"store": {"busy_seconds": 0.2, **store}}), home=home)
    app.embedder, app.recogniser = ToyEmbedder(model), ToyRecogniser()
    return app


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sound")
    (root / "files").mkdir()
    for name, text in files(COUNT, 1).items():
        (root / "files" / name).write_text(text)
    app_at(root / "home").collection(NAME).ingest([root / "files"])
    folder = root / "home" / "collections" / NAME
    with closing(sqlite3.connect(folder / "collection.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return root


@pytest.fixture
def home(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound / "home", tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "collections" / NAME


@pytest.fixture
def tamis(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The command with small models: exit code, stdout, stderr."""
    monkeypatch.setenv("TAMIS_HOME", str(home))
    monkeypatch.setattr(Tamis, "embedder", ToyEmbedder())
    monkeypatch.setattr(Tamis, "recogniser", ToyRecogniser())

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        out, err = capsys.readouterr()
        assert "Traceback" not in err and "unexpected" not in err
        return code, out, err

    return run


def write_at(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def root_page(folder: Path, table: str) -> int:
    with closing(sqlite3.connect(folder / "collection.sqlite")) as connection:
        return connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]


def pages_of(folder: Path, table: str) -> list[int]:
    """Leaf pages of a table's b-tree, found by their place among the page numbers its root names."""
    data = (folder / "collection.sqlite").read_bytes()
    start = (root_page(folder, table) - 1) * PAGE
    count = int.from_bytes(data[start + 3 : start + 5], "big")
    assert data[start] in {2, 5}, "an interior page"
    cells = [int.from_bytes(data[start + 12 + 2 * n : start + 14 + 2 * n], "big") for n in range(count)]
    return [int.from_bytes(data[start + cell : start + cell + 4], "big") for cell in cells]


def overwrite_header(folder: Path) -> None:
    write_at(folder / "collection.sqlite", 0, b"\xff" * 100)


def zero_first_page(folder: Path) -> None:
    write_at(folder / "collection.sqlite", 0, bytes(PAGE))


def zero_documents(folder: Path) -> None:
    write_at(folder / "collection.sqlite", (pages_of(folder, "documents")[1] - 1) * PAGE, bytes(PAGE))


def zero_digests(folder: Path) -> None:
    write_at(folder / "collection.sqlite", (pages_of(folder, "digests")[1] - 1) * PAGE, bytes(PAGE))


def zero_texts(folder: Path) -> None:
    write_at(folder / "collection.sqlite", (pages_of(folder, "texts")[1] - 1) * PAGE, bytes(PAGE))


def cut_off(folder: Path) -> None:
    path = folder / "collection.sqlite"
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size * 3 // 4 // PAGE * PAGE + 100)


DAMAGES: dict[str, tuple[Callable[[Path], None], bool, bool]] = {
    # What happens to it; whether documents are lost; whether some are digested again.
    "header": (overwrite_header, False, False),
    "first page": (zero_first_page, False, False),
    "a page of documents": (zero_documents, True, False),
    "a page of vectors": (zero_digests, False, True),
    "a page of texts": (zero_texts, True, False),
    "cut off": (cut_off, True, False),
}


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_database_is_named_and_saved_document_by_document(how: str, tamis, folder: Path, sound: Path) -> None:
    damage, loses, again = DAMAGES[how]
    damage(folder)

    code, _, err = tamis("ingest", str(sound / "files"), "--name", NAME)
    if code:
        assert code == 1 and f"tamis doctor --name {NAME} --repair" in err and "collection.sqlite is damaged" in err
    code, out, _ = tamis("doctor", "--name", NAME)
    assert code == 1 and "--repair" in out
    code, out, _ = tamis("doctor", "--name", NAME, "--json")
    checks = {check["name"]: check for check in json.loads(out)["checks"]}
    assert ("documents lost" in checks) == loses, checks
    readable = int(checks["documents"]["found"].split()[0])
    assert (COUNT // 4 < readable < COUNT) if loses else readable == COUNT
    assert [path.name for path in folder.iterdir() if path.name.startswith(".examined")] == []

    broken = (folder / "collection.sqlite").read_bytes()
    code, out, _ = tamis("doctor", "--name", NAME, "--repair")
    assert code == (1 if loses else 0)
    assert ("digested again" in out) and (not again or " 0 digested again" not in out)
    assert (folder / "damaged-1" / "collection.sqlite").read_bytes() == broken
    assert tamis("doctor", "--name", NAME)[0] == 0
    info = json.loads(tamis("collections", "show", NAME, "--json")[1])
    assert info["documents"] == readable

    # What was lost is read again, and then all is as it was.
    assert tamis("ingest", str(sound / "files"), "--name", NAME)[0] == 0
    shutil.rmtree(folder / "damaged-1")
    assert differences(rows_of(folder), rows_of(sound / "home" / "collections" / NAME)) == []


def test_what_was_lost_is_named(tamis, folder: Path) -> None:
    zero_documents(folder)
    out = tamis("doctor", "--name", NAME, "--repair")[1]
    known = {document.document_id for document in app_at(folder.parents[1]).shelf.reader(NAME).iter_documents()}
    lost = {f"sieve-{number:02}.md" for number in range(COUNT)} - known
    assert lost and all(name in out for name in sorted(lost)[:20])


@pytest.mark.parametrize("content", [b"", b"no database at all, only some words. " * 500])
def test_where_nothing_is_left_it_says_so(tamis, folder: Path, content: bytes) -> None:
    (folder / "collection.sqlite").write_bytes(content)
    assert tamis("search", "sieve", "--name", NAME)[0] == 1
    code, out, _ = tamis("doctor", "--name", NAME)
    assert code == 1 and f"{COUNT} cannot be read" in out and "0 can be read" in out
    assert tamis("doctor", "--name", NAME, "--repair")[0] == 1
    assert tamis("doctor", "--name", NAME)[0] == 0


def change_bytes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    noise = np.random.default_rng(3).bytes(max(1, (len(data) - 128) // 2))
    data[128 : 128 + len(noise)] = noise
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "file", ["vectors", "first_chunk", "id_bytes", "id_ends", "term_hashes", "body_rows", "body_starts", "profiles"]
)
@pytest.mark.parametrize("checked", [0, 64_000_000])
def test_garbage_in_a_snapshot_is_mended_or_named(home: Path, folder: Path, file: str, checked: int) -> None:
    change_bytes(folder / "index" / "1" / f"{file}.npy")
    app = app_at(home, checked_bytes=checked)
    collection = app.collection(NAME)
    question = "Which sieve presses flour at Avignon Tamis and Bruges Sieve?"
    wanted = app_at(Path(str(home)), checked_bytes=64_000_000)
    if not checked:
        # Too large to be looked at when opened: it may answer, or say what is wrong.
        try:
            collection.search(question)
        except DamagedStoreError as error:
            assert f"{file}.npy" in error.message and "--repair" in error.fix
        assert any(f"{file}.npy" in line for line in collection.examine().derived)
        collection.repair()
    found = [item.document_id for item in collection.search(question).items]
    assert len(found) == 10
    assert collection.examine().sound
    assert [item.document_id for item in wanted.collection(NAME).search(question).items] == found


@pytest.mark.parametrize("how", ["missing", "truncated", "folder"])
def test_a_snapshot_that_is_not_all_there(tamis, folder: Path, how: str) -> None:
    path = folder / "index" / "1" / "vectors.npy"
    if how == "folder":
        shutil.rmtree(folder / "index")
    elif how == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-10])
    code, out, _ = tamis("doctor", "--name", NAME)
    assert code == 1 and "snapshot" in out
    assert tamis("doctor", "--name", NAME, "--repair")[0] == 0
    assert tamis("doctor", "--name", NAME)[0] == 0
    assert not (folder / "damaged-1").exists()


def test_a_full_text_index_that_says_something_else(tamis, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "collection.sqlite")) as connection, connection:
        connection.execute("DELETE FROM passages_fts_data WHERE id > 10")
    assert "full-text index" in tamis("doctor", "--name", NAME)[1]
    assert tamis("doctor", "--name", NAME, "--repair")[0] == 0
    assert tamis("doctor", "--name", NAME)[0] == 0


def test_a_sound_collection_is_left_alone(tamis, folder: Path) -> None:
    before = (folder / "collection.sqlite").read_bytes()
    assert tamis("doctor", "--name", NAME)[0] == 0
    code, out, _ = tamis("doctor", "--name", NAME, "--repair")
    assert code == 0 and "nothing was done" in out
    assert (folder / "collection.sqlite").read_bytes() == before


def test_a_repair_needs_a_name_and_a_collection(tamis) -> None:
    assert tamis("doctor", "--repair")[0] == 2
    assert tamis("doctor", "--name", "sifs")[0] == 2
    assert tamis("doctor", "--name", "sifs", "--repair")[0] == 2


def test_with_another_model_everything_readable_is_embedded_with_it(home: Path, folder: Path) -> None:
    zero_digests(folder)
    app = app_at(home, "other")
    health, aside = app.collection(NAME).repair()
    assert health.partial and aside
    assert app.collection(NAME).info().embedding == app.embedder.identity
    assert app.collection(NAME).examine().sound
    assert len(app.collection(NAME).examine().whole) == COUNT


def test_a_crawl_fetches_what_was_lost(home: Path, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "collection.sqlite")) as connection, connection:
        for number in range(COUNT):
            connection.execute(
                "INSERT INTO pages VALUES (?, 'done', 1, ?, 'e', 'm', 's', 200, '', '[]', 3)",
                (f"https://example.org/{number}", f"sieve-{number:02}.md"),
            )
    with closing(sqlite3.connect(folder / "collection.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    zero_documents(folder)
    app = app_at(home)
    app.collection(NAME).repair()
    with app.store.writer(NAME) as writer:
        pages = writer.pages()
    kept = app.collection(NAME).info().documents
    assert 0 < len(pages) == kept < COUNT
    assert {(page.etag, page.last_modified, page.sha256, page.seen) for page in pages.values()} == {("", "", "", 0)}


def test_a_newer_layout_is_not_repaired(home: Path, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "collection.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 99")
    for attempt in (app_at(home).collection(NAME).examine, app_at(home).collection(NAME).repair):
        with pytest.raises(SchemaVersionError):
            attempt()
