"""Small real servers on loopback, well-behaved and hostile."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

import psutil
from lxml import html

from tamis.acquire.fetch import Fetcher
from tamis.acquire.response import Response
from tamis.errors import UnreadableError
from tamis.schema.document import Document, Link, Page
from tamis.settings import FetchSettings
from tamis.text import urls

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serve(handler: Handler) -> AsyncIterator[str]:
    """The URL (no trailing slash) of a server that hands each request to the handler and then closes."""
    tasks: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = (line.partition(":") for line in head[1:] if line)
            headers = {name.lower(): value.strip() for name, _, value in fields}
            await handler(Request(head[0].split()[1], headers), writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(connection, HOST, 0)
    try:
        yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def reply(
    writer: asyncio.StreamWriter, status: int = 200, body: bytes = b"", headers: dict[str, str] | None = None
) -> None:
    fields = {"Content-Length": str(len(body)), "Connection": "close"} | (headers or {})
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode("latin-1") + body)


@dataclass
class Website:
    """Pages in memory: path → HTML, or (status, headers, body). Serves ETags when `validators` is set."""

    pages: dict[str, str | tuple[int, dict[str, str], bytes]]
    validators: bool = True
    delay: Callable[[str], float] = lambda _: 0.0
    log: list[tuple[str, int]] = field(default_factory=list)
    bodies: int = 0

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(self.delay(request.path))
        page = self.pages.get(request.path, (404, {}, b"no such page"))
        if isinstance(page, str):
            page = (200, {"Content-Type": "text/html; charset=utf-8"}, page.encode())
        status, headers, body = page
        if status == 200 and self.validators:
            etag = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
            headers = headers | {"ETag": etag}
            if request.headers.get("if-none-match") == etag:
                status, body = 304, b""
        self.log.append((request.path, status))
        reply(writer, status, body, headers)

    def asked(self, *, without: tuple[str, ...] = ("/robots.txt", "/sitemap.xml")) -> list[str]:
        return [path for path, _ in self.log if path not in without]


def links(*targets: str, text: str = "", head: str = "") -> str:
    anchors = "".join(f'<a href="{target}">to {target}</a>' for target in targets)
    return f"<html><head>{head}</head><body><p>{text or 'A page that leads on.'}</p>{anchors}</body></html>"


def read(response: Response) -> Page:
    """A light reader: all text, all links, canonical link, robots directives."""
    if response.media_type not in ("text/html", "text/plain"):
        raise UnreadableError(f"{response.url} is {response.media_type}")
    tree = html.fromstring(response.body.decode("utf-8", "replace") or "<p></p>")
    text = tree.text_content().strip()
    found = [urls.join(response.url, anchor.get("href")) for anchor in tree.iter("a") if anchor.get("href")]
    canonical = tree.xpath("string(//link[@rel='canonical']/@href)")
    robots = tree.xpath("string(//meta[@name='robots']/@content)").lower().replace(",", " ").split()
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    document = Document(urls.canonical(response.url), response.url, "", text, sha256, "crawl", "text/html")
    return Page(
        documents=(document,) if text else (),
        links=tuple(Link(url, "") for url in dict.fromkeys(found) if url),
        canonical_url=canonical,
        robots=frozenset(robots),
    )


class Peak:
    """The most memory this process holds while the block runs, in MB above what it held before."""

    def __enter__(self) -> Self:
        gc.collect()
        self._process, self._done = psutil.Process(), threading.Event()
        self._before = self._most = self._process.memory_info().rss
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            self._most = max(self._most, self._process.memory_info().rss)

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._most = max(self._most, self._process.memory_info().rss)

    @property
    def megabytes(self) -> float:
        return (self._most - self._before) / 1_000_000


def open_fetcher(**changes: object) -> Fetcher:
    """A fetcher that may talk to loopback by its address, does not wait between retries, and gives up early."""
    defaults: dict[str, object] = {"allow_hosts": (HOST,), "total_seconds": 5.0}
    return Fetcher(FetchSettings.model_validate(defaults | changes), sleep=_no_wait)


async def _no_wait(_: float) -> None:
    await asyncio.sleep(0)
