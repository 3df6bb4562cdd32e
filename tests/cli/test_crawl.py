"""`tamis crawl` against a real server on loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tamis.cli import main

_PAGES = 6


def page(number: int) -> str:
    links = f'<a href="/p{number + 1}.html">The next page</a> <a href="/gone{number}.html">A page that is gone</a>'
    return (
        f"<html lang=en><head><title>Page {number}</title></head><body><main><h1>Page {number}</h1>"
        f"<p>Kettle model {number} boils a litre of water in {number + 2} minutes, as measured in a small kitchen.</p>"
        f"<p>It holds {number + 1} litres and switches itself off. {links}</p></main></body></html>"
    )


@dataclass
class Site:
    url: str = ""
    delay: float = 0.0
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            time.sleep(site.delay)
            name = self.path.strip("/").removesuffix(".html") or "p0"
            known = name.startswith("p") and name[1:].isdigit() and int(name[1:]) < _PAGES
            tag = f'"{name}"'
            if known and self.headers.get("if-none-match") == tag:
                self.send_response(304)
                self.end_headers()
                return
            body = page(int(name[1:])).encode() if known else b"not here"
            self.send_response(200 if known else 404)
            self.send_header("content-type", "text/html; charset=utf-8" if known else "text/plain")
            self.send_header("content-length", str(len(body)))
            if known:
                self.send_header("etag", tag)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site.url = f"http://127.0.0.1:{server.server_port}/p0.html"
        yield site
        server.shutdown()


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def crawl_words(site: Site, *more: str) -> list[str]:
    return ["crawl", site.url, "--name", "kettles", "--depth", "9", "--allow-host", "127.0.0.1", *more]


def crawled(site: Site, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert main(crawl_words(site, "--json", *more)) == 0
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)
    return value


def documents(capsys: pytest.CaptureFixture[str]) -> int:
    assert main(["collections", "show", "kettles", "--json"]) == 0
    return int(json.loads(capsys.readouterr().out)["documents"])


def test_a_site_is_read_once_and_then_only_asked_for_changes(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    crawled(site, capsys)
    assert documents(capsys) == _PAGES
    pages = [path for path in site.asked if path.startswith("/p")]
    assert sorted(pages) == sorted(set(pages)), "no page is asked for twice"
    second = crawled(site, capsys)
    assert second["unchanged"] == _PAGES
    assert documents(capsys) == _PAGES


def test_limits_hold(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    crawled(site, capsys, "--max-pages", "2")
    assert documents(capsys) == 2


def test_globs_filter(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    crawled(site, capsys, "--exclude", "*/p3.html")
    assert documents(capsys) == 3
    assert "/p3.html" not in site.asked


def test_a_private_address_must_be_named(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crawl", site.url, "--name", "kettles"]) == 2
    assert "127.0.0.1" in capsys.readouterr().err
    assert site.asked == []
    assert main(["collections", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["collections"] == []


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_crawl_goes_on_where_it_stopped(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.delay = 0.3
    code = f"import sys; from tamis.cli import main; sys.exit(main({crawl_words(site, '--concurrency', '1')!r}))"
    running = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while "/p3.html" not in site.asked and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, "state kept" in err) == (130, True), err
    site.delay = 0.0
    crawled(site, capsys)
    assert documents(capsys) == _PAGES
