"""Sitemaps: pages a site lists by itself (sitemaps.org protocol)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tamis.acquire.bodies import gunzip
from tamis.acquire.fetch import Fetcher
from tamis.acquire.robots import Robots
from tamis.errors import AcquireError, FetchError
from tamis.text import urls

_MAX_FILES = 20
"""Sitemap files read of one site: an index may list thousands."""
_GZIP_MAGIC = b"\x1f\x8b"


async def sitemap_urls(start: str, fetcher: Fetcher, robots: Robots, *, limit: int) -> list[str]:
    """The pages in a site's sitemaps: those robots.txt lists, else ``/sitemap.xml``.

    A sitemap that is missing, damaged or too large is passed over: it is a hint, not a source.

    Args:
        start: any page of the site.
        fetcher: open.
        robots: of the site.
        limit: most URLs to return.

    Returns:
        In the order listed, none twice.
    """
    site = urls.site(start)
    waiting = deque(robots.sitemaps or (urls.join(start, "/sitemap.xml"),))
    read: set[str] = set()
    found: dict[str, None] = {}
    while waiting and len(read) < _MAX_FILES and len(found) < limit:
        address = urls.join(start, waiting.popleft())
        if not address or address in read or urls.site(address) != site or not robots.allows(address):
            continue
        read.add(address)
        try:
            response = await fetcher.get(address, follow=lambda _from, to: urls.site(to) == site)
            pages, maps = parse(_unpacked(response.body, fetcher, address) if response.ok else b"")
        except AcquireError:
            continue
        found |= dict.fromkeys(pages)
        waiting.extend(maps)
    return list(found)[:limit]


def parse(body: bytes) -> tuple[Sequence[str], Sequence[str]]:
    """Read a sitemap (XML or plain text) or a sitemap index.

    Args:
        body: unpacked bytes.

    Returns:
        (page URLs, sitemap URLs) as listed; both empty where nothing can be read.
    """
    if not body.strip():
        return (), ()
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = body.decode("utf-8", "replace").splitlines()
        return [line.strip() for line in lines if urls.is_web(line)], ()
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return (), ()
    pages: list[str] = []
    maps: list[str] = []
    for node in root.iter("{*}loc") if root is not None else ():
        parent = node.getparent()
        kind = etree.QName(parent).localname if parent is not None else ""
        if node.text and kind in ("url", "sitemap"):
            (pages if kind == "url" else maps).append(node.text.strip())
    return pages, maps


def _unpacked(body: bytes, fetcher: Fetcher, name: str) -> bytes:
    if not body.startswith(_GZIP_MAGIC):
        return body
    try:
        return gunzip(body, max_bytes=fetcher.settings.max_bytes, name=name)
    except FetchError:
        return b""
