"""Real documentation sites, served by a real nginx."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from acquire.loopback import HOST, read
from services.nginx import Site, served_folder
from tamis.acquire.bridge import iterate
from tamis.acquire.crawl import crawl
from tamis.acquire.fetch import Fetcher
from tamis.acquire.outcome import CrawlSummary
from tamis.acquire.request import CrawlRequest
from tamis.settings import CrawlSettings, FetchSettings
from tamis.text import urls

PYTHON = Path("/usr/share/doc/python3.11/html")
SQLITE = Path("/usr/share/doc/sqlite3")

pytestmark = [pytest.mark.service, pytest.mark.slow]


class Visitor:
    def __init__(self, site: Site) -> None:
        self.site = site
        self.known: dict = {}
        self.runs = 0

    def crawl(self, *, run=None, stop_after=None, **settings):
        """(crawled, summary, requests by status)."""
        self.runs = run if run is not None else self.runs + 1
        before, summary, known = len(self.site.requests()), CrawlSummary(), dict(self.known)

        async def source():
            async with Fetcher(FetchSettings(allow_hosts=(HOST,))) as fetcher:
                async for item in crawl(
                    CrawlRequest(self.site.url),
                    fetcher=fetcher,
                    read=read,
                    known=known,
                    settings=CrawlSettings.model_validate({"depth": 6, "max_pages": 600} | settings),
                    run=self.runs,
                    summary=summary,
                ):
                    yield item

        crawled = []
        stream = iterate(source)
        for item in stream:
            crawled.append(item)
            self.known[item.record.url] = item.record
            if len(crawled) == stop_after:
                stream.close()
                break
        return crawled, summary, self.site.requests()[before:]


def pages(requests, status):
    return [path for code, path in requests if code == status and path not in ("/robots.txt", "/sitemap.xml")]


@pytest.fixture
def python_docs(nginx):
    return Visitor(nginx(served_folder("python3.11-doc", PYTHON)))


@pytest.fixture
def copied(nginx, tmp_path):
    """A changeable copy of a part of the Python documentation, with the validators asked for."""
    source = served_folder("python3.11-doc", PYTHON)

    def serve(*, validators: bool) -> tuple[Visitor, Path]:
        root = tmp_path / "site"
        for name in ("tutorial", "howto", "distributing"):
            shutil.copytree(source / name, root / name)
        for name in ("index.html", "about.html", "contents.html"):
            shutil.copy(source / name, root / name)
        return Visitor(nginx(root, validators=validators)), root

    return serve


def test_every_reachable_page_once_and_the_second_time_only_questions(python_docs):
    crawled, summary, requests = python_docs.crawl()
    keys = [item.record.url for item in crawled]
    assert len(keys) == len(set(keys)) and len(set(requests)) == len(requests)
    assert summary.complete and not summary.limited and summary.new > 500
    stored = {item.record.url for item in crawled if item.record.state == "done"}
    linked = {urls.canonical(link) for item in crawled for link in item.record.links}
    visited = set(keys)
    missed = {link for link in linked - visited if link.endswith(".html")}
    assert not missed

    started = time.perf_counter()
    again, second, requests = python_docs.crawl()
    assert time.perf_counter() - started < 10.0
    assert pages(requests, 200) == [] and len(pages(requests, 304)) >= len(stored)
    assert second.unchanged == len(stored) and second.new == second.changed == second.vanished == 0
    assert [item.record.url for item in again] == keys


@pytest.mark.parametrize("limit", [1, 50])
def test_the_limit_is_exact(python_docs, limit):
    _, summary, requests = python_docs.crawl(max_pages=limit, concurrency=8)
    assert summary.stored == limit
    assert len(pages(requests, 200)) <= limit + summary.skipped


@pytest.mark.parametrize("validators", [True, False])
def test_three_touched_pages_are_the_three_that_changed(copied, validators):
    visitor, root = copied(validators=validators)
    _, first, _ = visitor.crawl()
    touched = ["tutorial/classes.html", "howto/sorting.html", "about.html"]
    for name in touched:
        page = root / name
        page.write_text(page.read_text("utf-8").replace("</body>", "<p>A new last word.</p></body>"), "utf-8")
    crawled, summary, requests = visitor.crawl()
    fresh = [item.record.url.removeprefix(visitor.site.url) for item in crawled if item.page is not None]
    assert sorted(fresh) == sorted(touched)
    assert summary.unchanged == first.new - 3
    assert (len(pages(requests, 304)) > 0) is validators


def test_an_interrupted_crawl_goes_on_where_it_was(python_docs):
    first, _, _ = python_docs.crawl(run=1, stop_after=100)
    second, summary, requests = python_docs.crawl(run=1)
    before = {item.record.url for item in first if item.record.state == "done"}
    after = {item.record.url for item in second if item.record.state == "done"}
    assert not before & after and len(before | after) == summary.stored
    assert not {visited.removeprefix(python_docs.site.url[:-1]) for visited in before} & set(pages(requests, 200))


def test_broken_links_are_reported_and_do_no_harm(nginx):
    visitor = Visitor(nginx(served_folder("sqlite3-doc", SQLITE)))
    crawled, summary, requests = visitor.crawl(depth=9, max_pages=2_000)
    broken = [item for item in crawled if item.record.state == "failed"]
    assert summary.complete and len(broken) == summary.failed == len(set(pages(requests, 404))) > 50
    assert {item.record.status for item in broken} == {404}
    assert all("linked from" in reason for _, reason in summary.problems)
