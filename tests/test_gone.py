"""Files of the same name stay apart, and what is gone from a file or folder is gone from its collection."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from bench.toys import ToyEmbedder, ToyRecogniser

from tamis.app import Tamis
from tamis.collection import Collection
from tamis.errors import UnknownCollectionError, UnknownNameError, UsageError
from tamis.intake import IngestSummary
from tamis.schema.progress import Silence
from tamis.settings import Settings


@pytest.fixture
def app(tmp_path: Path) -> Tamis:
    app = Tamis(settings=Settings(), home=tmp_path / "home")
    app.embedder, app.recogniser = ToyEmbedder(), ToyRecogniser()
    return app


@pytest.fixture
def docs(app: Tamis) -> Collection:
    return app.collection("docs")


def folder(path: Path, **files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / f"{name}.md").write_text(f"{text} {path.name}")
    return path


def rows(path: Path, *found: Mapping[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in found))
    return path


def held(collection: Collection) -> dict[str, str]:
    """Document id → text."""
    with collection._app.shelf.reader(collection.name) as reader:
        return {document.document_id: document.text for document in reader.iter_documents()}


def counts(summary: IngestSummary) -> tuple[int, int, int, int]:
    return summary.new, summary.changed, summary.unchanged, summary.removed


def test_files_of_one_name_in_two_folders_are_two_documents(docs: Collection, tmp_path: Path) -> None:
    one, two = folder(tmp_path / "one", notes="About", own="Only"), folder(tmp_path / "two", notes="About")
    assert counts(docs.ingest([one])) == (2, 0, 0, 0)
    assert counts(docs.ingest([two])) == (1, 0, 0, 0)
    both = {"notes.md": "About one", "own.md": "Only one", "two/notes.md": "About two"}
    assert held(docs) == both
    for again in ([two], [one], [one, two], [two, one], [two / "notes.md"], [tmp_path / "one" / ".." / "two"]):
        summary = docs.ingest(again)
        assert (summary.new, summary.changed, summary.removed) == (0, 0, 0)
        assert held(docs) == both
    (two / "notes.md").write_text("Other words two")
    assert counts(docs.ingest([two])) == (0, 1, 0, 0)
    assert held(docs) == both | {"two/notes.md": "Other words two"}


def test_as_much_of_the_path_is_put_in_front_as_it_takes(docs: Collection, tmp_path: Path) -> None:
    for place in ("a/x", "b/x", "c/x"):
        docs.ingest([folder(tmp_path / place, n="About") / "n.md"])
    assert sorted(held(docs)) == ["c/x/n.md", "n.md", "x/n.md"]
    assert docs.ingest([tmp_path / "b" / "x", tmp_path / "c" / "x"]).unchanged == 2


def test_a_file_read_as_part_of_another_folder_stays_one_document(docs: Collection, tmp_path: Path) -> None:
    folder(tmp_path / "all" / "part", a="About")
    docs.ingest([tmp_path / "all"])
    assert counts(docs.ingest([tmp_path / "all" / "part"])) == (0, 0, 1, 0)
    assert list(held(docs)) == ["part/a.md"]


def test_a_folder_that_was_moved_replaces_the_old_one(docs: Collection, tmp_path: Path) -> None:
    docs.ingest([folder(tmp_path / "old", a="About")])
    (tmp_path / "old").rename(tmp_path / "new")
    assert counts(docs.ingest([tmp_path / "new"])) == (0, 1, 0, 0)
    with docs._app.shelf.reader("docs") as reader:
        (document,) = reader.iter_documents()
    assert (document.document_id, document.url) == ("a.md", (tmp_path / "new" / "a.md").as_uri())
    assert counts(docs.ingest([tmp_path / "new"])) == (0, 0, 1, 0)


def test_a_moved_folder_whose_names_were_taken_leaves_nothing_behind(docs: Collection, tmp_path: Path) -> None:
    for name in ("a", "b"):
        docs.ingest([folder(tmp_path / name, notes=f"Notes of {name}, which are long enough to be read.")])
    (tmp_path / "b").rename(tmp_path / "c")
    assert docs.ingest([tmp_path / "c"]).removed == 1
    assert sorted(held(docs)) == ["c/notes.md", "notes.md"]


def test_another_copy_is_taken_by_name_where_it_is_asked_for(docs: Collection, tmp_path: Path) -> None:
    docs.ingest([folder(tmp_path / "one", a="About", b="About")])
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "b.md").unlink()
    assert counts(docs.ingest([tmp_path / "two"], by_name=True)) == (0, 0, 1, 0)
    assert sorted(held(docs)) == ["a.md", "b.md"]


def test_datasets_of_one_name_keep_their_rows_apart(docs: Collection, tmp_path: Path) -> None:
    for place in ("one", "two"):
        rows(tmp_path / place / "rows.jsonl", {"text": f"First of {place}"}, {"text": f"Second of {place}"})
        assert docs.ingest([tmp_path / place]).new == 2
    assert sorted(held(docs)) == ["rows.jsonl#1", "rows.jsonl#2", "two/rows.jsonl#1", "two/rows.jsonl#2"]
    assert counts(docs.ingest([tmp_path / "two"])) == (0, 0, 2, 0)


@pytest.mark.parametrize("own", [{}, {"url": "https://example.org/x"}], ids=["no url", "url of its own"])
def test_a_row_whose_id_another_file_has_is_named(docs: Collection, tmp_path: Path, own: dict[str, str]) -> None:
    first = rows(tmp_path / "a.jsonl", {"id": "x", "text": "First.", **own})
    second = rows(tmp_path / "b.jsonl", {"id": "x", "text": "Second.", **own}, {"id": "y", "text": "More."})
    docs.ingest([first])
    summary = docs.ingest([second])
    assert counts(summary) == (1, 0, 0, 0)
    assert [(name, str(first) in reason) for name, reason in summary.skipped] == [("x", True)]
    assert held(docs) == {"x": "First.", "y": "More."}
    first.unlink()
    assert counts(docs.ingest([second])) == (0, 1, 1, 0)
    assert held(docs) == {"x": "Second.", "y": "More."}


def test_a_row_that_moves_to_another_file_of_the_run_is_kept(docs: Collection, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    x, y, z = ({"id": name, "text": f"Row {name}."} for name in "xyz")
    docs.ingest([rows(first, y), rows(second, x, z)])
    assert docs.ingest([rows(first, y, x), rows(second, z)]).removed == 0
    assert sorted(held(docs)) == ["x", "y", "z"]
    assert docs.ingest([rows(first, y)]).removed == 1
    assert sorted(held(docs)) == ["y", "z"]


def test_what_is_gone_from_a_folder_is_taken_out(docs: Collection, tmp_path: Path) -> None:
    one, two = folder(tmp_path / "one", a="About", b="More"), folder(tmp_path / "two", c="Other", d="Last")
    folder(one / "deep", e="Below")
    docs.ingest([one, two])
    (one / "b.md").unlink()
    (two / "d.md").unlink()
    shutil.rmtree(one / "deep")
    assert counts(docs.ingest([one])) == (0, 0, 1, 2)
    assert sorted(held(docs)) == ["a.md", "c.md", "d.md"]
    assert counts(docs.ingest([one])) == (0, 0, 1, 0)
    assert counts(docs.ingest([two / "c.md"])) == (0, 0, 1, 0)
    assert counts(docs.ingest([tmp_path])) == (0, 0, 2, 1)


@pytest.mark.parametrize("own", [False, True], ids=["no url", "url of its own"])
def test_rows_that_are_gone_are_taken_out(docs: Collection, tmp_path: Path, own: bool) -> None:
    file = tmp_path / "set" / "a.jsonl"
    row = [{"id": n, "text": f"Row {n}.", **({"url": f"https://e.org/{n}"} if own else {})} for n in "uvwxyz"]
    docs.ingest([rows(file, *row)])
    assert counts(docs.ingest([rows(file, *row[:4])])) == (0, 0, 4, 2)
    with rows(file, *row[:3]).open("a") as stream:
        stream.write("no JSON\n")
    summary = docs.ingest([file])
    assert (summary.removed, len(summary.skipped)) == (0, 1), "what else is in it cannot be known"
    assert sorted(held(docs)) == list("uvwx")
    rows(tmp_path / "set" / "b.jsonl", {"id": "other", "text": "Other."})
    file.unlink()
    assert counts(docs.ingest([tmp_path / "set"])) == (1, 0, 0, 4)
    assert list(held(docs)) == ["other"]


def test_a_file_that_cannot_be_read_keeps_what_was_read(docs: Collection, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", a="About", b="More")
    docs.ingest([one])
    (one / "b.md").write_bytes(bytes(range(32)) * 99)
    summary = docs.ingest([one])
    assert summary.removed == 0 and len(summary.skipped) == 1
    (one / "b.md").unlink()
    (one / "b.md").symlink_to(tmp_path / "nowhere")
    assert docs.ingest([one]).removed == 0
    assert sorted(held(docs)) == ["a.md", "b.md"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may look everywhere")
def test_a_folder_that_may_not_be_looked_into_keeps_what_was_read(docs: Collection, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", a="About")
    folder(one / "deep", b="More")
    docs.ingest([one])
    (one / "deep").chmod(0)
    try:
        assert docs.ingest([one]).removed == 0
    finally:
        (one / "deep").chmod(0o700)


def test_an_empty_folder_takes_nothing_out(docs: Collection, tmp_path: Path) -> None:
    one, two = folder(tmp_path / "one", a="About"), folder(tmp_path / "two", b="More")
    docs.ingest([one, two])
    (two / "b.md").unlink()
    with pytest.raises(UsageError, match="nothing to read"):
        docs.ingest([two])
    summary = docs.ingest([one, two])
    assert summary.removed == 0
    assert [(path, "is kept" in reason) for path, reason in summary.skipped] == [(str(two), True)]
    shutil.rmtree(two)
    with pytest.raises(UsageError, match="no such file"):
        docs.ingest([two])
    assert sorted(held(docs)) == ["a.md", "b.md"]


def test_a_folder_reached_through_a_link_is_the_same_folder(docs: Collection, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", a="About", b="More")
    (tmp_path / "link").symlink_to(one)
    docs.ingest([one])
    (one / "b.md").unlink()
    assert counts(docs.ingest([tmp_path / "link"])) == (0, 0, 1, 1)


def test_names_of_any_bytes_are_found_again(docs: Collection, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", a="About")
    odd = [Path(os.fsdecode(os.fsencode(one) + b"/" + name)) for name in (b"\xff\xfe.md", b"50% #1?.md")]
    for path in odd:
        path.write_text("odd words")
    assert docs.ingest([one]).new == 3
    assert counts(docs.ingest([one])) == (0, 0, 3, 0)
    for path in odd:
        path.unlink()
    assert counts(docs.ingest([one])) == (0, 0, 1, 2)


class Listener(Silence):
    def __init__(self) -> None:
        self.total: int | None = None
        self.done_after: list[tuple[str, int]] = []
        self.count = 0

    def stage(self, name: str, total: int | None = None) -> None:
        self.total = self.total or total

    def advance(self, n: int = 1, note: str = "") -> None:
        self.count += n
        if n:
            self.done_after.append((note, self.count))


def test_progress_counts_files_of_files(docs: Collection, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", a="About", b="More")
    rows(one / "c.jsonl", *({"id": str(n), "text": f"Row {n}."} for n in range(9)))
    (one / "d.pdf").write_bytes(b"%PDF-1.7 cut off")
    for _ in range(2):
        listener = Listener()
        docs.ingest([one], progress=listener)
        assert listener.total == 4
        assert listener.done_after == [("a.md", 1), ("b.md", 2), ("c.jsonl", 3), ("d.pdf", 4)]


def test_single_documents_are_forgotten_until_they_are_read_again(docs: Collection, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", alpha="About", beta="More", gamma="Last")
    docs.ingest([one])
    with pytest.raises(UnknownNameError, match=r"alpah\.md") as raised:
        docs.forget(["beta.md", "alpah.md"])
    assert "alpha.md" in raised.value.fix
    assert len(held(docs)) == 3
    assert docs.forget(["beta.md", "alpha.md", "beta.md"]) == 2
    assert list(held(docs)) == ["gamma.md"]
    assert docs.forget(["gamma.md"]) == 1
    assert docs.ingest([one]).new == 3
    with pytest.raises(UnknownCollectionError):
        docs._app.collection("nowhere").forget(["a"])
    assert docs._app.store.names() == ["docs"]


def test_the_example_is_one_whatever_copy_it_is_read_from(
    app: Tamis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[bool] = []

    def ingest(_self: Collection, _paths: Sequence[Path], *, by_name: bool = False, progress: object = None) -> None:
        calls.append(by_name)
        raise UsageError("enough")

    monkeypatch.setattr(Collection, "ingest", ingest)
    with pytest.raises(UsageError, match="enough"):
        app.demo()
    assert calls == [True]
