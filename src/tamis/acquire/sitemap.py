"""Sitemaps: pages a site lists by itself (sitemaps.org protocol)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import islice

from tamis.acquire.bodies import gunzip
from tamis.acquire.fetch import Fetcher
from tamis.acquire.robots import Robots
from tamis.errors import AcquireError, FetchError
from tamis.text import urls

_MAX_FILES = 20
"""Sitemap files read of one site: an index may list thousands."""
_MAX_ENTRIES = 50_000
"""Entries read of one file, which is as many as the protocol allows."""
_GZIP_MAGIC = b"\x1f\x8b"


async def sitemap_urls(
    start: str, fetcher: Fetcher, robots: Robots, *, limit: int, seconds: float = 60.0, notes: list[str] | None = None
) -> list[str]:
    """The pages in a site's sitemaps: those robots.txt lists, else ``/sitemap.xml``.

    A sitemap that is missing, damaged or too large is passed over: it is a hint, not a source.

    Args:
        start: any page of the site.
        fetcher: open.
        robots: of the site.
        limit: most URLs to return.
        seconds: for all sitemaps together.
        notes: told which limit left something unread.

    Returns:
        In the order listed, none twice.
    """
    reading = _Reading(urls.site(start), robots, limit)
    reading.offer(urls.join(start, listed) for listed in robots.sitemaps or ("/sitemap.xml",))
    try:
        async with asyncio.timeout(seconds):
            while (address := reading.next()) and len(reading.pages) < limit:
                await _read(address, fetcher, reading)
    except TimeoutError:
        reading.left_out = f"its sitemaps took longer than {seconds:g} s to read; the rest of them was left out"
    if reading.left_out and notes is not None:
        notes.append(reading.left_out)
    return list(reading.pages)[:limit]


class _Reading:
    """Sitemaps of one site: those still to read and what was found in the others."""

    def __init__(self, site: str, robots: Robots, limit: int) -> None:
        self.pages: dict[str, None] = {}
        self.left_out = ""
        self._site = site
        self._robots = robots
        self._limit = limit
        self._waiting: deque[str] = deque()
        self._known: set[str] = set()

    def offer(self, maps: Iterable[str]) -> None:
        """Queue sitemaps of this site that were not offered before."""
        for address in maps:
            if address in self._known or not self.may_read(address):
                continue
            if len(self._known) >= _MAX_FILES:
                self.left_out = f"it lists more than {_MAX_FILES} sitemaps; only the first were read"
                return
            self._known.add(address)
            self._waiting.append(address)

    def may_read(self, address: str) -> bool:
        """Whether an address is on this site and open to us."""
        return urls.site(address) == self._site and self._robots.allows(address)

    def next(self) -> str:
        """The sitemap to read now, empty when there is none."""
        return self._waiting.popleft() if self._waiting else ""

    def take(self, address: str, body: bytes) -> None:
        """Note what a sitemap lists."""
        pages, maps = parse(body)
        self.offer(urls.join(address, listed) for listed in maps)
        for page in pages:
            if len(self.pages) >= self._limit:
                self.left_out = f"its sitemaps list more than {self._limit:,} pages; only the first were looked at"
                return
            self.pages[page] = None


async def _read(address: str, fetcher: Fetcher, reading: _Reading) -> None:
    try:
        response = await fetcher.get(address, follow=lambda _from, to: reading.may_read(to))
        if response.ok:
            reading.take(address, _unpacked(response.body, fetcher, address))
    except AcquireError:
        return


def parse(body: bytes) -> tuple[Sequence[str], Sequence[str]]:
    """Read a sitemap (XML or plain text) or a sitemap index.

    Args:
        body: unpacked bytes.

    Returns:
        (page URLs, sitemap URLs) as listed, as many as one file may list; both empty where nothing can be read.
    """
    if not body.strip():
        return (), ()
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = (line.decode("utf-8", "replace").strip() for line in islice(BytesIO(body), _MAX_ENTRIES))
        return [line for line in lines if urls.is_web(line)], ()
    found: dict[str, list[str]] = {"url": [], "sitemap": []}
    for kind, location in islice(_entries(body), _MAX_ENTRIES):
        found.get(kind, []).append(location)
    return found["url"], found["sitemap"]


def _entries(body: bytes) -> Iterator[tuple[str, str]]:
    """(name of the entry's element, its location), one by one, without keeping the tree."""
    from lxml import etree

    events = etree.iterparse(
        BytesIO(body),
        events=("end",),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        huge_tree=False,
    )
    try:
        for _, node in events:
            parent = node.getparent()
            if etree.QName(node).localname == "loc":
                if node.text and parent is not None:
                    yield etree.QName(parent).localname, node.text.strip()
                continue
            node.clear()
            while parent is not None and node.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError:
        return


def _unpacked(body: bytes, fetcher: Fetcher, name: str) -> bytes:
    if not body.startswith(_GZIP_MAGIC):
        return body
    try:
        return gunzip(body, max_bytes=fetcher.settings.max_bytes, name=name)
    except FetchError:
        return b""
