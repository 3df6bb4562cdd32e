"""Reading files into a collection: what counts as changed, and what a person hears meanwhile."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from bench.toys import ToyEmbedder, ToyRecogniser

from tamis.app import Tamis
from tamis.cli import progress
from tamis.schema.progress import Silence
from tamis.settings import Settings

PROSE = "The Avignon Tamis is a drum of wire and cloth. It presses flour until only bran is left. "


@pytest.fixture
def app(tmp_path: Path) -> Tamis:
    app = Tamis(settings=Settings(), home=tmp_path / "home")
    app.embedder, app.recogniser = ToyEmbedder(), ToyRecogniser()
    return app


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntitle: Drum\n---\n\nBody.\n\n", "---\ntitle: Sieve\n---\n\nBody.\n\n"),
        ("---\ntitle: Drum\nauthor: Ann\n---\n\n", "---\ntitle: Drum\nauthor: Bea\n---\n\n"),
        ("---\ntitle: Drum\ndate: 2020-01-02\n---\n\n", "---\ntitle: Drum\ndate: 2021-01-02\n---\n\n"),
    ],
)
def test_a_change_outside_the_text_is_noticed(app: Tamis, tmp_path: Path, before: str, after: str) -> None:
    file, collection = tmp_path / "a.md", app.collection("docs")
    file.write_text(before + PROSE * 5)
    assert collection.ingest([file]).new == 1
    assert collection.ingest([file]).unchanged == 1
    file.write_text(after + PROSE * 5)
    assert collection.ingest([file]).changed == 1
    with app.shelf.reader("docs") as reader:
        (document,) = reader.iter_documents()
    told = f"{document.title} {document.author} {document.published}"
    assert any(word in told for word in ("Sieve", "Bea", "2021"))
    assert collection.ingest([file]).unchanged == 1


class Slow(ToyEmbedder):
    def passages(self, texts):
        time.sleep(0.02 * (len(texts) > 20))
        return super().passages(texts)


class Listener(Silence):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def advance(self, n: int = 1, note: str = "") -> None:
        if not n:
            self.notes.append(note)


def test_a_long_document_is_seen_moving(app: Tamis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tamis.digest.digest._LOOK_SECONDS", 0.01)
    app.embedder = Slow()
    # A plain text is one document, whatever its size.
    (tmp_path / "long.txt").write_text("\n\n".join(f"Number {n}. {PROSE * 4}" for n in range(700)))
    listener = Listener()
    app.collection("docs").ingest([tmp_path / "long.txt"], progress=listener)
    moving = [note for note in listener.notes if ": passage " in note]
    assert len(set(moving)) >= 2
    counts = [int(note.rpartition(": passage ")[2].split()[0].replace(",", "")) for note in moving]
    assert counts == sorted(counts)

    app.embedder = ToyEmbedder("other")
    del app.store
    listener = Listener()
    app.collection("docs").reembed(progress=listener)
    assert len([note for note in listener.notes if ": passage " in note]) >= 2


def test_a_log_shows_what_moves(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_SIGN_OF_LIFE_SECONDS", 0.0)
    with progress.Plain() as plain:
        plain.stage("embedding", 3)
        plain.advance(0, "Long: passage 64 of 700")
        plain.advance(1, "Long")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "embedding: 0 of 3 (Long: passage 64 of 700) …" and lines[1] == "embedding: 1 of 3 …"


def test_pieces_make_the_same_vectors(app: Tamis) -> None:
    from tamis.digest.digest import embed_slowly

    texts = [f"passage number {n}" for n in range(150)]
    told: list[tuple[int, int]] = []
    vectors = embed_slowly(texts, app.embedder, lambda done, total: told.append((done, total)))
    assert (vectors == app.embedder.passages(texts)).all()
    assert told == [(64, 150), (128, 150)]
    assert embed_slowly([], app.embedder, lambda *_: None).shape == (0, 16)


@pytest.mark.parametrize("place", ["home", "home/below"])
def test_a_home_that_is_a_file_is_said_to_be_one(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tamis.cli import main

    (tmp_path / "home").write_text("not a folder")
    monkeypatch.setenv("TAMIS_HOME", str(tmp_path / place))
    monkeypatch.setattr(Tamis, "embedder", ToyEmbedder())
    (tmp_path / "a.md").write_text(PROSE)
    for words in (
        ["collections"],
        ["search", "x", "--name", "docs"],
        ["ingest", str(tmp_path / "a.md"), "--name", "d"],
    ):
        assert main(words) == 1
        err = capsys.readouterr().err
        assert str(tmp_path / "home") in err and "is a file" in err and "TAMIS_HOME" in err
