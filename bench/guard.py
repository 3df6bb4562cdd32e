"""What the network guard costs: the same crawl over the loopback interface, with it and without."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

import httpcore

from bench.material import Bench, Spent, timed
from bench.table import Row, median
from tamis.acquire.crawl import crawl
from tamis.acquire.fetch import Fetcher
from tamis.acquire.outcome import CrawlSummary
from tamis.acquire.request import CrawlRequest
from tamis.acquire.site import page_of
from tamis.settings import CrawlSettings, FetchSettings, ReadSettings

_HOST = "127.0.0.1"
_PAGES, _QUICK_PAGES = 200, 60
_ROUNDS, _QUICK_ROUNDS = 7, 3
_WORDS = "A paragraph of a page about sieves, flour and the patience of cooks, as long as others on such pages are. "


class _Pages(BaseHTTPRequestHandler):
    """``/0``, ``/1`` … as many as the path says there are, each leading to the next ten."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = int(self.path[1:]) if self.path[1:].isdigit() else -1
        links = "".join(f'<a href="/{number + step}">the page after it, {step}</a> ' for step in range(1, 11))
        body = f"<html><body><main><h1>Page {number}</h1><p>{_WORDS * 12}</p>{links}</main></body></html>".encode()
        self.send_response(200 if number >= 0 else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


def _serve(told: Connection):
    with ThreadingHTTPServer((_HOST, 0), _Pages) as server:
        told.send(server.server_port)
        server.serve_forever()


@contextmanager
def _site() -> Iterator[str]:
    """The site's first page, served by a process of its own, so that its work is not counted."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://{_HOST}:{ours.recv()}/0"
    finally:
        process.terminate()
        process.join()


def _crawled(start: str, pages: int, *, guarded: bool) -> None:
    fetcher = Fetcher(FetchSettings(allow_hosts=(_HOST,)))
    if not guarded:
        setattr(fetcher, "_backend", httpcore.AnyIOBackend())  # noqa: B010 - a crawl offers no way around its guard
    reading, summary = ReadSettings(), CrawlSummary()

    async def run():
        async with fetcher:
            request = CrawlRequest(start, depth=pages, max_pages=pages)
            settings = CrawlSettings(sitemap=False)
            visit = crawl(
                request,
                fetcher=fetcher,
                read=lambda response: page_of(response, reading),
                known={},
                settings=settings,
                summary=summary,
            )
            async for _ in visit:
                pass

    asyncio.run(run())
    if summary.stored != pages:
        raise RuntimeError(f"{summary.stored} pages of {pages} were crawled: {summary.problems[:1]}")


def measure(bench: Bench) -> list[Row]:
    """Pages per second of processor time, fetched and read, alternating with and without the guard."""
    pages, rounds = (_QUICK_PAGES, _QUICK_ROUNDS) if bench.quick else (_PAGES, _ROUNDS)
    spent: dict[bool, list[Spent]] = {True: [], False: []}
    with _site() as start:
        # One unmeasured round: the readers are loaded.
        _crawled(start, 10, guarded=True)
        for number in range(rounds):
            for guarded in (True, False) if number % 2 else (False, True):
                spent[guarded].append(timed(lambda way=guarded: _crawled(start, pages, guarded=way)))
    with_guard, without = (median([one.cpu for one in spent[way]]) for way in (True, False))
    walls = " and ".join(f"{median([one.wall for one in spent[way]]):.2f} s" for way in (True, False))
    return [
        Row(
            "crawl through the network guard",
            pages / with_guard,
            "pages/s",
            peer=pages / without,
            peer_name="no guard",
            ratio_at_least=0.95,
            note=f"{pages} pages fetched and read, processor time, median of {rounds}; wall {walls}",
        )
    ]
