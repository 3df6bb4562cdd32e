"""Finding and reading files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamis.acquire.files import find, iter_file, read_file
from tamis.errors import UnreadableError, UsageError
from tamis.settings import ReadSettings

SETTINGS = ReadSettings()


def test_folders_are_searched_in_order_without_hidden_or_foreign_files(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.txt", "a/.hidden.md", ".git/x.md", "pic.png", "a/c.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("words")
    assert [found.document_id for found in find([tmp_path])] == ["a/c.html", "a/z.txt", "b.md"]


def test_link_loops_and_repeats_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.md").write_text("x")
    (tmp_path / "d" / "loop").symlink_to(tmp_path)
    assert [found.document_id for found in find([tmp_path, tmp_path / "d", tmp_path / "d" / "a.md"])] == ["d/a.md"]


def test_same_name_in_two_roots_gets_two_ids(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(folder)
    assert [found.document_id for found in find([tmp_path / "one", tmp_path / "two"])] == ["a.md", "two/a.md"]


def test_nothing_to_read_names_what_could_be(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.docx"):
        list(find([tmp_path]))
    with pytest.raises(UsageError, match="no such file"):
        list(find([tmp_path / "gone"]))


def test_file_gets_uri_and_relative_id(tmp_path: Path) -> None:
    path = tmp_path / "ä b.md"
    path.write_text("# Words")
    (found,) = find([tmp_path])
    document = read_file(found, SETTINGS).documents[0]
    assert (document.document_id, document.url) == ("ä b.md", path.as_uri())


def test_named_file_of_unknown_kind_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "pic.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (found,) = find([path])
    with pytest.raises(UnreadableError, match="no reader"):
        read_file(found, SETTINGS)


def test_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x" * 100)
    with pytest.raises(UnreadableError, match="100 bytes"):
        read_file(path, ReadSettings(max_file_bytes=99))


def test_datasets_are_streamed_in_batches(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"id": "{at}", "text": "row {at}"}}\n' for at in range(600)))
    pages = list(iter_file(path, SETTINGS))
    assert [len(page.documents) for page in pages] == [256, 256, 88]
    assert pages[2].documents[-1].document_id == "599"


def test_dataset_without_text_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1}\n')
    with pytest.raises(UnreadableError, match="row 1"):
        list(iter_file(path, SETTINGS))
