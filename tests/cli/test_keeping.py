"""Filling and keeping collections at the terminal: what is counted, named, asked and refused."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from bench.toys import ToyEmbedder, ToyRecogniser

from tamis.app import Tamis
from tamis.cli import main


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(Tamis, "embedder", ToyEmbedder())
    monkeypatch.setattr(Tamis, "recogniser", ToyRecogniser())
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("tea", "coffee", "bread"):
        (folder / f"{name}.md").write_text(f"# {name.title()}\n\nWhat there is to say about {name}.\n")
    assert main(["ingest", str(folder), "--name", "kitchen", "--quiet"]) == 0
    return folder


def failure(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    capsys.readouterr()
    assert main(words) == code
    out, err = capsys.readouterr()
    assert not out
    return err


def as_json(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_what_is_gone_is_counted(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (notes / "tea.md").unlink()
    assert main(["ingest", str(notes), "--name", "kitchen"]) == 0
    assert "0 new, 0 changed, 2 unchanged, 1 removed documents, 0 chunks, 0 skipped in" in capsys.readouterr().out
    (notes / "coffee.md").unlink()
    assert as_json(["ingest", str(notes), "--name", "kitchen"], capsys)["removed"] == 1


def test_many_skipped_files_are_counted(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(25):
        (notes / f"bad{number:02}.pdf").write_bytes(b"%PDF-1.7 cut off")
    assert main(["ingest", str(notes), "--name", "kitchen"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("skipped ")]
    assert len(lines) == 21
    assert lines[-1] == "skipped … and 5 more (--json has their names)"
    assert len(as_json(["ingest", str(notes), "--name", "kitchen"], capsys)["skipped"]) == 25


def test_single_documents_are_removed(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = failure(["collections", "forget", "kitchen", "tea.md", "cofee.md"], capsys)
    assert "cofee.md" in err and "did you mean coffee.md" in err
    assert main(["collections", "forget", "kitchen", "tea.md"]) == 0
    assert capsys.readouterr().out == "kitchen: 1 document removed\n"
    found = as_json(["collections", "forget", "kitchen", "coffee.md", "bread.md"], capsys)
    assert found == {"name": "kitchen", "removed": 2}
    assert as_json(["collections", "show", "kitchen"], capsys)["documents"] == 0


@pytest.mark.parametrize("words", [["show"], ["show", "--quarantine"], ["delete"], ["forget", "tea.md"]], ids=" ".join)
def test_nobody_is_told_to_make_what_is_not_there(
    notes: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command, *more = words
    near = failure(["collections", command, "kichen", *more], capsys)
    assert "did you mean kitchen?" in near and "crawl" not in near
    far = failure(["collections", command, "nonesuch", *more], capsys)
    assert "there are: kitchen" in far and "did you mean" not in far and "crawl" not in far
    assert main(["collections", "delete", "kitchen"]) == 0
    assert "there are none" in failure(["collections", command, "kitchen", *more], capsys)


@pytest.mark.parametrize(("reply", "kept"), [("n", True), ("", True), ("y", False)])
def test_a_person_is_asked_before_a_collection_is_deleted(
    reply: str, kept: bool, notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal(f"{reply}\n"))
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _prompt: reply)
    assert main(["collections", "delete", "kitchen"]) == 0
    assert ("kitchen is kept" in capsys.readouterr().err) is kept
    assert [each["name"] for each in as_json(["collections"], capsys)["collections"]] == ["kitchen"] * kept
    if kept:
        assert main(["collections", "delete", "kitchen", "--yes"]) == 0
        assert as_json(["collections"], capsys)["collections"] == []


@pytest.mark.parametrize("target", ["http://", "htp://foo", "https:///page"])
@pytest.mark.parametrize("command", ["page", "summarize"])
def test_what_is_no_address_is_not_called_a_file(command: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = failure([command, target], capsys)
    assert f"no web address: {target}" in err and "https://example.org" in err


def test_a_run_that_cannot_be_written_is_refused_before_the_work(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.csv").write_text("_id,text\n1,tea\n")
    words = ["search", "--name", "kitchen", "--queries", str(tmp_path / "q.csv"), "--run"]
    err = failure([*words, str(tmp_path / "nowhere" / "out.trec")], capsys)
    assert f"no folder {tmp_path / 'nowhere'}" in err and "make it first" in err
    assert main([*words, str(tmp_path / "out.trec")]) == 0
    assert "1 question, " in capsys.readouterr().out


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc")
def test_a_home_that_cannot_be_made_is_not_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAMIS_HOME", "/proc/nope/deeper")
    assert "/proc/nope" in failure(["collections"], capsys, 1)
    monkeypatch.setenv("TAMIS_HOME", str(tmp_path / "not" / "yet"))
    assert main(["collections"]) == 0
    assert "no collections yet" in capsys.readouterr().err
    assert not (tmp_path / "not").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_home_that_may_not_be_read_is_not_an_empty_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "home").mkdir(mode=0)
    assert str(tmp_path / "home") in failure(["collections"], capsys, 1)


@pytest.fixture
def site() -> Iterator[str]:
    pages = {
        "/": '<a href="/one">One</a> <a href="/two">Two</a> <a href="/hidden">Hidden</a> <a href="/a.png">Image</a>',
        "/one": "The first page of this small site says a little about tea.",
        "/two": "The second page of this small site says a little about coffee.",
        "/hidden": "Not to be indexed.",
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path, "")
            head = '<meta name="robots" content="noindex">' if self.path == "/hidden" else ""
            page = f"<html><head><title>{self.path}</title>{head}</head><body><main><p>{body}</p></main></body></html>"
            self.send_response(200 if body else int(self.path[1:]) if self.path[1:].isdigit() else 404)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(page)))
            if body:
                self.send_header("etag", f'"{len(page)}"')
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_a_crawl_says_what_it_skipped_and_how_it_ended(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["crawl", site, "--name", "site", "--allow-host", "127.0.0.1", "--delay", "0"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "every page in reach was visited" in out
    assert "complete" not in out and "limited" not in out
    assert f"skipped {site}hidden: the page asks not to be indexed" in err
    assert f"skipped {site}a.png: its name says" in err
    found = as_json([*words, "--max-pages", "1"], capsys)
    assert (found["complete"], found["limited"]) == (True, True)
    assert main([*words, "--max-pages", "1"]) == 0
    assert "stopped at 1 page; crawl again with a larger --max-pages for the rest" in capsys.readouterr().out


def test_a_forgotten_page_comes_back_with_the_next_crawl(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["crawl", site, "--name", "site", "--allow-host", "127.0.0.1", "--delay", "0"]
    assert main(words) == 0
    assert main(["collections", "forget", "site", f"{site}one"]) == 0
    found = as_json(words, capsys)
    assert (found["new"], found["unchanged"]) == (1, 2)


@pytest.mark.parametrize(("path", "told"), [("nope", "misspellings"), ("403", "in a browser"), ("501", "try again")])
def test_a_page_that_is_not_had_comes_with_a_remedy(
    path: str, told: str, site: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = failure(["page", f"{site}{path}", "--allow-host", "127.0.0.1"], capsys, 1)
    assert "answered" in err.splitlines()[0] and told in err.splitlines()[1]
