"""Crawling and fetching for synchronous callers."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from dataclasses import fields

import pytest
from loopback import HOST, Website, links, serve

from tamis.acquire.breaker import BreakerFile
from tamis.acquire.outcome import CrawlSummary
from tamis.acquire.request import CrawlRequest
from tamis.acquire.site import close_run, crawl_site, fetch_page, open_run
from tamis.errors import FetchError, RefusedAddressError, RobotsRefusedError
from tamis.settings import CrawlSettings, FetchSettings, ReadSettings

FETCH = FetchSettings(allow_hosts=(HOST,), retries=0)
PROSE = "A paragraph about sieves that is long enough to be taken for the main text of its page. " * 4


@contextmanager
def served(site):
    """The site's URL, served from a thread of its own."""
    started, stop = threading.Event(), None
    found: dict = {}

    async def run():
        nonlocal stop
        stop = asyncio.Event()
        async with serve(site) as base:
            found.update(base=base, loop=asyncio.get_running_loop())
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert started.wait(10)
    try:
        yield found["base"]
    finally:
        found["loop"].call_soon_threadsafe(stop.set)
        thread.join()


class Notes:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def note(self, key, value):
        self.kept[key] = value

    def noted(self, key):
        return self.kept.get(key, "")


def site():
    return Website({"/": links("/a/", text=PROSE), "/a/": links("/b", text=PROSE + "a"), "/b": links(text=PROSE + "b")})


def crawled(base, known, run, **options):
    names = {field.name for field in fields(CrawlRequest)} & set(options)
    request = CrawlRequest(base, **{name: options.pop(name) for name in names})
    found = crawl_site(
        request, fetch=FETCH, settings=CrawlSettings(), reading=ReadSettings(), known=known, run=run, **options
    )
    return list(found)


def test_pages_come_read_and_known_by_their_canonical_url():
    with served(site()) as base:
        summary = CrawlSummary()
        found = crawled(base, {}, 1, summary=summary)
        again = crawled(base, {item.record.url: item.record for item in found}, 2)
    assert [item.record.document_id for item in found] == [f"{base}/", f"{base}/a", f"{base}/b"]
    assert found[1].page.documents[0].url == f"{base}/a/" and "sieves" in found[1].page.documents[0].text
    assert summary.complete and summary.new == 3
    assert all(item.unchanged for item in again)


def test_leaving_a_crawl_early_is_clean():
    with served(site()) as base:
        found = crawl_site(
            CrawlRequest(base), fetch=FETCH, settings=CrawlSettings(), reading=ReadSettings(), known={}, run=1
        )
        next(found)
        found.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "tamis-acquire"]


def test_one_page():
    with served(site()) as base:
        page = fetch_page(base + "/a/", fetch=FETCH, reading=ReadSettings())
        assert page.documents[0].document_id == f"{base}/a" and page.links[0].url == f"{base}/b"
        with pytest.raises(FetchError, match="404"):
            fetch_page(base + "/nothing", fetch=FETCH, reading=ReadSettings())
        with pytest.raises(RefusedAddressError):
            fetch_page(base, fetch=FetchSettings(), reading=ReadSettings())


def test_the_circuit_breaker_outlives_a_crawl(tmp_path):
    failing = Website({"/robots.txt": (503, {}, b"")})
    memory = BreakerFile(tmp_path / "breaker.json")
    with served(failing) as base:
        for _ in range(3):
            with pytest.raises(FetchError, match="503"):
                crawled(base, {}, 1, memory=memory)
        before = len(failing.log)
        with pytest.raises(FetchError, match="in a row"):
            crawled(base, {}, 1, memory=memory)
        assert len(failing.log) == before
        failing.pages = {"/": links(text=PROSE)}
        assert crawled(base, {}, 1, memory=memory, force=True)[0].record.state == "done"


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ({}, "answered 404"),
        ({"/": (200, {"Content-Type": "image/png"}, b"")}, "image/png"),
        ({"/": links(head='<meta name="robots" content="noindex">', text=PROSE)}, "not to be indexed"),
    ],
)
def test_a_start_that_yields_nothing_is_an_error_with_its_reason(pages, reason):
    with served(Website(pages)) as base, pytest.raises(FetchError, match=reason):
        crawled(base, {}, 1)


def test_nobody_there_is_an_error_with_its_reason():
    with pytest.raises(FetchError, match="no connection"):
        crawled(f"http://{HOST}:9/", {}, 1)


def test_a_site_that_refuses_is_named_as_such():
    closed = Website({"/": links(text=PROSE), "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /")})
    with served(closed) as base, pytest.raises(RobotsRefusedError, match=r"robots\.txt disallows it for tamis"):
        crawled(base, {}, 1)


def test_a_site_that_is_down_keeps_what_is_known():
    with served(site()) as base:
        known = {item.record.url: item.record for item in crawled(base, {}, 1)}
    found = crawl_site(
        CrawlRequest(base), fetch=FETCH, settings=CrawlSettings(), reading=ReadSettings(), known=known, run=2
    )
    record = next(found).record
    assert record.state == "failed" and record.document_id == f"{base}/" and record.links
    with pytest.raises(FetchError, match="no connection"):
        next(found)


def test_runs_are_numbered_and_resumed():
    notes = Notes()
    assert open_run(notes, "http://e.com/docs/") == 1
    assert open_run(notes, "http://e.com/docs") == 1, "the same start, interrupted"
    assert open_run(notes, "http://e.com/other") == 2
    close_run(notes, "http://e.com/docs")
    assert open_run(notes, "http://e.com/docs") == 3
    assert open_run(notes, "http://e.com/docs", force=True) == 4
