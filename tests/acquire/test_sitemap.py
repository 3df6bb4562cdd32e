"""Pages a site lists by itself."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from loopback import Website, open_fetcher, serve

from tamis.acquire.robots import Robots, parse
from tamis.acquire.sitemap import parse as parse_map
from tamis.acquire.sitemap import sitemap_urls

URLSET = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
INDEX = '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'


def urlset(*pages):
    return URLSET.format("".join(f"<url><loc> {page} </loc></url>" for page in pages)).encode()


def found(pages, *, robots=None, limit=100):
    """URLs found on a site serving these bodies; ``{base}`` in them is its URL."""
    site = Website({})

    async def run():
        async with serve(site) as base, open_fetcher(retries=0) as fetcher:
            for path, body in pages.items():
                filled = gzip.compress(body.replace(b"{base}", base.encode())) if path.endswith(".gz") else body
                site.pages[path] = (200, {}, filled.replace(b"{base}", base.encode()) if body is filled else filled)
            rules = robots(base) if robots else Robots("tamis")
            result = await sitemap_urls(base + "/start", fetcher, rules, limit=limit)
            return [url.removeprefix(base) for url in result]

    return asyncio.run(run()), site


def test_the_usual_place():
    assert found({"/sitemap.xml": urlset("{base}/a", "{base}/b", "{base}/a")})[0] == ["/a", "/b"]


def test_an_index_and_packed_maps():
    index = INDEX.format("<sitemap><loc>{base}/one.xml.gz</loc></sitemap><sitemap><loc>{base}/two.xml</loc></sitemap>")
    pages = {
        "/sitemap.xml": index.encode(),
        "/one.xml.gz": urlset("{base}/1"),
        "/two.xml": urlset("{base}/2"),
    }
    assert found(pages)[0] == ["/1", "/2"]


def test_what_robots_txt_lists_replaces_the_usual_place():
    def robots(base):
        return parse(f"Sitemap: {base}/map.txt\nSitemap: http://other.example/map.xml", user_agent="tamis")

    result, site = found(
        {"/map.txt": b"{base}/x\nnot a url\n{base}/y\n", "/sitemap.xml": urlset("{base}/z")}, robots=robots
    )
    assert result == ["/x", "/y"] and site.asked(without=()) == ["/map.txt"]


def test_maps_that_list_each_other_end():
    index = INDEX.format("<sitemap><loc>{base}/sitemap.xml</loc></sitemap><sitemap><loc>{base}/b.xml</loc></sitemap>")
    assert found({"/sitemap.xml": index.encode(), "/b.xml": index.encode()})[0] == []


def test_the_limit_holds():
    pages = [f"{{base}}/{number}" for number in range(50)]
    assert len(found({"/sitemap.xml": urlset(*pages)}, limit=7)[0]) == 7


def test_none_is_no_harm():
    assert found({})[0] == []


@pytest.mark.parametrize("body", [b"", b"<", b"\x1f\x8bnot gzip", b"<html><body>not found</body></html>", b"\xff\xfe"])
def test_damaged_maps_are_empty(body):
    assert found({"/sitemap.xml": body})[0] == []


def test_entities_are_not_expanded():
    body = b"""<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b "http://e.com/b">]>
    <urlset><url><loc>&a;</loc></url><url><loc>http://e.com/c</loc></url></urlset>"""
    pages, _ = parse_map(body)
    assert "http://e.com/c" in pages and not any("root:" in page for page in pages)
