"""Finding and reading files."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import IO

import pytest

from tamis.acquire import opening
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


def special_files(folder: Path) -> socket.socket:
    """A folder with everything that is no file in it, under names that a reader knows."""
    (folder / "fine.md").write_text("# Fine\n\nwords")
    os.mkfifo(folder / "pipe.md")
    (folder / "null.md").symlink_to("/dev/zero")
    (folder / "gone.md").symlink_to(folder / "nowhere")
    (folder / "self.md").symlink_to(folder / "self.md")
    (folder / "loop").symlink_to(folder)
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(folder / "socket.md"))
    return bound


def test_what_is_no_file_is_named_and_never_opened(tmp_path: Path) -> None:
    problems: list[tuple[str, str]] = []
    with special_files(tmp_path):
        found = [str(one.document_id) for one in find([tmp_path], problems=problems)]
        reasons = {Path(path).name: reason for path, reason in problems}
    assert found == ["fine.md"]
    assert reasons.pop("self.md")
    assert reasons == {
        "gone.md": "is a link that leads nowhere, not a file",
        "null.md": "is a device, not a file",
        "pipe.md": "is a pipe, not a file",
        "socket.md": "is a socket, not a file",
    }


@pytest.mark.parametrize("name", ["pipe.md", "null.md", "socket.md", "gone.md", "self.md"])
@pytest.mark.parametrize("end", ["md", "jsonl"])
def test_what_is_no_file_is_refused_when_named(tmp_path: Path, name: str, end: str) -> None:
    with special_files(tmp_path):
        path = tmp_path / name
        renamed = path.rename(path.with_suffix(f".{end}"))
        with pytest.raises(UnreadableError, match=r"not a file|No such file|Too many levels"):
            list(iter_file(renamed, SETTINGS))


def test_names_of_any_bytes_can_be_printed_and_stored(tmp_path: Path) -> None:
    for name in (b"a\nb.md", b"a\x1b[31m.md", b"\xff\xfe.md", "\u202ea.md".encode()):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_text("words")
    ids = [one.document_id for one in find([tmp_path])]
    assert sorted(ids) == ["\\u202ea.md", "\\xff\\xfe.md", "a\\nb.md", "a\\x1b[31m.md"]
    for one in find([tmp_path]):
        document = read_file(one, SETTINGS).documents[0]
        assert f"{document.document_id}{document.url}{one}".isprintable()


def test_a_file_that_vanishes_is_named(tmp_path: Path) -> None:
    for name in ("a.md", "b.jsonl"):
        (tmp_path / name).write_text("{}")
    for one in list(find([tmp_path])):
        one.path.unlink()
        with pytest.raises(UnreadableError, match="No such file"):
            list(iter_file(one, SETTINGS))


def test_a_file_that_is_written_to_is_read_when_it_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.txt"
    path.write_text("first line\n")
    whole = opening._up_to
    writes = iter([True, True, False])

    def meanwhile(stream: IO[bytes], limit: int) -> bytes:
        data = whole(stream, limit)
        if next(writes):
            with path.open("a") as log:
                log.write("another line\n")
        return data

    monkeypatch.setattr(opening, "_up_to", meanwhile)
    assert read_file(path, SETTINGS).documents[0].text.count("another line") == 2
    writes = iter([True] * 9)
    with pytest.raises(UnreadableError, match="is being written to"):
        read_file(path, SETTINGS)


def test_a_file_that_grows_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x" * 100)
    with path.open("rb") as stream:
        assert len(opening._up_to(stream, 50)) > 50
    with pytest.raises(UnreadableError, match="above the limit"):
        opening.contents(path, 99)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    path.chmod(0)
    with pytest.raises(UnreadableError, match="Permission denied"):
        read_file(path, SETTINGS)


def test_a_page_without_words_is_named_when_it_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<html><body><nav><a href=x>x</a></nav></body></html>")
    with pytest.raises(UnreadableError, match="holds no main text"):
        list(iter_file(path, SETTINGS))


def test_long_rows_are_handed_on_in_smaller_batches(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"id": "{at}", "text": "{"word " * 300_000}"}}\n' for at in range(6)))
    assert [len(page.documents) for page in iter_file(path, SETTINGS)] == [3, 3]
