"""Sites that are too much: bombs in robots.txt and sitemaps, pages without an end, links without number.

Each crawl ends by itself, within bounds of time and memory, and says what it left out.
"""

from __future__ import annotations

import asyncio
import gzip
import time
from itertools import count

import pytest
from loopback import HOST, Peak, links, open_fetcher, read, reply, serve

from tamis.acquire.crawl import crawl
from tamis.acquire.outcome import CrawlSummary
from tamis.acquire.request import CrawlRequest
from tamis.acquire.robots import parse as parse_robots
from tamis.acquire.sitemap import parse as parse_map
from tamis.settings import CrawlSettings

MB = 1_000_000
HTML = {"Content-Type": "text/html; charset=utf-8"}
URLSET = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
INDEX = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"


def measured(work):
    """(result, seconds, MB by which the process grew at most, the server and what it sends included)."""
    began = time.monotonic()
    with Peak() as peak:
        result = work()
    return result, time.monotonic() - began, peak.megabytes


def visited(answer, *, settings=None, fetch=None, **request):
    """Crawl a site whose every answer is ``answer(path, base)``: HTML, or (status, headers, body)."""
    asked: list[str] = []

    async def run():
        async def handler(incoming, writer):
            asked.append(incoming.path)
            page = answer(incoming.path, found["base"])
            status, headers, body = (200, HTML, page.encode()) if isinstance(page, str) else page
            reply(writer, status, body, headers)

        found: dict[str, str] = {}
        limits = {"retries": 0, "total_seconds": 10.0} | (fetch or {})
        async with serve(handler) as base, open_fetcher(**limits) as fetcher:
            found["base"] = base
            summary = CrawlSummary()
            stream = crawl(
                CrawlRequest(f"{base}/", **request),
                fetcher=fetcher,
                read=read,
                known={},
                settings=CrawlSettings.model_validate(settings or {}),
                summary=summary,
            )
            async for _ in stream:
                pass
            return summary

    summary, seconds, grown = measured(lambda: asyncio.run(run()))
    return summary, asked, seconds, grown


MISSING = (404, {}, b"no such page")


def with_files(files, page="<p>A page about sieves.</p>"):
    """A site of one page with these files of its own."""

    def answer(path, base):
        if path in files:
            body = files[path](base) if callable(files[path]) else files[path]
            return 200, {"Content-Type": "text/plain"}, body
        return page if path == "/" else MISSING

    return answer


# robots.txt


def test_a_robots_txt_of_50_mb_is_read_as_far_as_its_limit():
    body = b"User-agent: *\nDisallow: /hidden\n" + b"# nothing more to say\n" * (50 * MB // 22)
    page = links("/hidden", "/open")
    summary, asked, seconds, grown = visited(with_files({"/robots.txt": body}, page))
    assert summary.refused == 1 and summary.new == 1 and "/hidden" not in asked
    assert seconds < 20 and grown < 150


def test_a_robots_txt_bomb_is_read_as_far_as_its_limit():
    packed = gzip.compress(b"User-agent: *\nDisallow: /hidden\n" + bytes(60 * MB))

    def answer(path, _base):
        if path == "/robots.txt":
            return 200, {"Content-Encoding": "gzip", "Content-Type": "text/plain"}, packed
        return links("/hidden") if path == "/" else MISSING

    summary, asked, _, grown = visited(answer)
    assert summary.refused == 1 and "/hidden" not in asked and grown < 100


@pytest.mark.parametrize(
    "text",
    [
        " " * 500_000,
        "User-agent" + " " * 500_000 + ": tamis",
        ("User-agent: " + " " * 4_000 + "\n") * 120,
        "".join(f"User-agent: agent{number}\n" for number in range(15_000))
        + "".join(f"Disallow: /{number}\n" for number in range(15_000)),
        "User-agent: *\n" + "".join(f"Disallow: /*{number}*a*b*c*$\n" for number in range(20_000)),
        "User-agent: *\nDisallow: /" + "*a" * 200_000,
        "User-agent: *\n" + "Disallow: /" * 40_000,
        "User-agent: *\n" + "Crawl-delay: 1e999\n" * 20_000,
    ],
    ids=[
        "blanks",
        "blanks inside",
        "blank names",
        "agents × rules",
        "wildcards",
        "one wildcard rule",
        "one line",
        "delays",
    ],
)
def test_a_robots_txt_made_to_be_slow_is_not(text):
    def work():
        robots = parse_robots(text[: 512 * 1024], user_agent="tamis/0.1")
        return [robots.allows(f"http://e.com/{'a' * 2_000}{number}") for number in range(5)], robots.delay_seconds

    (_, delay), seconds, grown = measured(work)
    assert seconds < 10 and grown < 150 and delay < 1e9


def test_groups_keep_their_rules_for_us_and_for_everybody():
    first = "User-agent: a\nUser-agent: tamis\nUser-agent: b\nDisallow: /x\n\n"
    text = f"{first}User-agent: *\nDisallow: /y\nUser-agent: c\nDisallow: /z"
    ours, other = parse_robots(text, user_agent="tamis"), parse_robots(text, user_agent="somebody")
    assert [ours.allows(f"http://e.com/{path}") for path in "xyz"] == [False, True, True]
    assert [other.allows(f"http://e.com/{path}") for path in "xyz"] == [True, False, True]


def test_a_robots_txt_that_drips_stops_the_crawl_and_says_so():
    async def run():
        async def handler(incoming, writer):
            if incoming.path != "/robots.txt":
                return reply(writer, body=b"<p>x", headers=HTML)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while True:
                writer.write(b"#")
                await writer.drain()
                await asyncio.sleep(0.05)

        async with serve(handler) as base, open_fetcher(retries=0, total_seconds=0.5) as fetcher:
            summary = CrawlSummary()
            request = CrawlRequest(f"{base}/")
            stream = crawl(request, fetcher=fetcher, read=read, known={}, settings=CrawlSettings(), summary=summary)
            async for _ in stream:
                pass
            return summary

    summary = asyncio.run(run())
    assert summary.stored == 0 and "longer than 0.5 s (asked for robots.txt" in summary.stopped


# Sitemaps


def entries(kind, inner, numbers, base, prefix=""):
    body = "".join(f"<{inner}><loc>{base}/{prefix}{number}</loc></{inner}>" for number in numbers)
    return f"{kind}{body}</{kind[1:].split()[0]}>".encode()


def test_an_index_that_leads_to_itself_and_to_indexes_without_end():
    numbers = count()

    def index(base):
        return entries(INDEX, "sitemap", [next(numbers) for _ in range(500)], base, "map.xml?")

    def answer(path, base):
        if path == "/sitemap.xml" or path.startswith("/map.xml"):
            return 200, {"Content-Type": "application/xml"}, index(base)
        return "<p>A page.</p>" if path == "/" else MISSING

    summary, asked, seconds, grown = visited(answer)
    assert len([path for path in asked if "map.xml" in path]) == 20 and seconds < 15 and grown < 50
    assert summary.notes == ["it lists more than 20 sitemaps; only the first were read"]


def test_a_sitemap_of_a_million_pages():
    body = entries(URLSET, "url", range(200_000), "", "p")

    def answer(path, base):
        if path == "/sitemap.xml":
            return 200, {"Content-Type": "application/xml"}, body.replace(b"<loc>/", f"<loc>{base}/".encode())
        return f"<p>The page {path}.</p>"

    summary, asked, seconds, grown = visited(answer, max_pages=20, fetch={"max_bytes": 60 * MB})
    assert summary.new == 20 and summary.limited and len(asked) == 22
    assert "its sitemaps list more than 200 pages; only the first were looked at" in summary.notes
    assert seconds < 20 and grown < 250


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(bytes(60 * MB)),
        gzip.compress(entries(URLSET, "url", range(5), "http://e.com") + bytes(60 * MB)),
        b"<urlset>" * 200_000,
        b"<urlset><url><loc>" + b"a" * 5 * MB,
        b"<!DOCTYPE u [<!ENTITY a 'aaaaaaaaaa'>"
        + b"".join(f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>".encode() for n in range(12))
        + b"]><urlset><url><loc>&m;</loc></url></urlset>",
        b"<urlset " + b" ".join(f"a{n}='x'".encode() for n in range(200_000)) + b"/>",
        b"http://e.com/a\n" * 400_000,
        b"\n" * 5 * MB,
    ],
    ids=["gzip bomb", "sitemap and bomb", "depth", "one location", "entities", "attributes", "lines", "blank lines"],
)
def test_a_sitemap_made_to_be_heavy_is_passed_over(body):
    summary, _, seconds, grown = visited(with_files({"/sitemap.xml": body}))
    assert summary.new == 1 and seconds < 10 and grown < 150


def test_entries_are_read_one_by_one():
    body = entries(URLSET, "url", range(200_000), "http://e.com")
    (pages, _), seconds, grown = measured(lambda: parse_map(body))
    assert len(pages) == 50_000 and pages[0] == "http://e.com/0" and seconds < 5 and grown < 40


def test_sitemaps_that_drip_cost_their_time_and_no_more():
    def answer(path, base):
        if path.startswith("/sitemap"):
            time.sleep(0.15)
            return 200, {"Content-Type": "application/xml"}, entries(INDEX, "sitemap", range(20), base, "sitemap")
        return "<p>A page.</p>" if path == "/" else MISSING

    summary, _, _, _ = visited(answer, settings={"sitemap_seconds": 0.4})
    assert summary.new == 1 and summary.complete
    assert summary.notes == ["its sitemaps took longer than 0.4 s to read; the rest of them was left out"]


# Pages


def calendar(path, _base):
    if path in ("/robots.txt", "/sitemap.xml"):
        return MISSING
    month = int(path.partition("month=")[2] or 0)
    following = [f"/calendar?month={month + step}" for step in (1, 2, 3)]
    return links(*following, text=f"Nothing happens in month {month} of this calendar.")


def test_an_endless_calendar_ends_at_the_page_limit_and_is_named():
    summary, asked, seconds, grown = visited(calendar, depth=1_000, max_pages=60)
    assert summary.stored == 60 and summary.limited and summary.complete and len(asked) < 70
    assert (
        summary.notes
        == ["59 of 60 visits went to addresses like /calendar?month; --exclude '/calendar' leaves them out"]
        and seconds < 20
        and grown < 50
    )


def test_the_advice_given_for_a_trap_works():
    summary, asked, _, _ = visited(calendar, depth=1_000, max_pages=60, exclude=("/calendar",))
    assert summary.new == 1 and not summary.limited and asked == ["/robots.txt", "/", "/sitemap.xml"]


def test_a_path_that_grows_by_itself_is_named():
    def answer(path, _base):
        if path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        return f'<p>The page {path}.</p><a href="deeper/">on</a>'

    summary, _, _, _ = visited(answer, depth=1_000, max_pages=30)
    assert summary.stored == 30 and "addresses like /deeper/" in summary.notes[0]


@pytest.mark.parametrize("kind", ["missing", "not to be indexed", "empty", "redirects"])
def test_pages_that_store_nothing_do_not_go_on_for_ever(kind):
    numbers = count()

    def answer(path, _base):
        if path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        fresh = [f"/p{next(numbers)}" for _ in range(130)]
        if path == "/":
            return links(*fresh)
        return {
            "missing": MISSING,
            "not to be indexed": links(*fresh, head='<meta name="robots" content="noindex">'),
            "empty": "".join(f'<a href="{link}"></a>' for link in fresh),
            "redirects": (302, {"Location": fresh[0]}, b""),
        }[kind]

    summary, asked, seconds, grown = visited(answer, depth=1_000, max_pages=2, fetch={"breaker_failures": 10**6})
    assert summary.stored == 1 and len(asked) <= 120 + 2, len(asked)
    assert summary.limited and summary.complete
    assert summary.notes[0] == "120 pages were asked for and 1 stored; a crawl ends there (crawl.visits_per_page)"
    assert seconds < 20 and grown < 60


def test_links_without_number():
    body = "".join(f'<a href="/{number:x}">x</a>' for number in range(12_000))

    def answer(path, _base):
        return MISSING if path in ("/robots.txt", "/sitemap.xml") else f"<p>The page {path}.</p>{body}"

    summary, asked, seconds, grown = visited(answer, depth=9, max_pages=3, settings={"max_links": 300})
    assert summary.new == 3 and summary.limited and len(asked) <= 10
    assert any("links were not followed" in note for note in summary.notes)
    assert seconds < 20 and grown < 100


def test_addresses_too_long_to_be_one_are_not_followed():
    def answer(path, _base):
        if path in ("/robots.txt", "/sitemap.xml"):
            return MISSING
        return links(*(f"/{'a' * 5_000}{number}" for number in range(50)), "/short", text=f"The page {path}.")

    summary, asked, _, _ = visited(answer)
    assert summary.new == 2 and max(map(len, asked)) < 20


def test_every_page_at_its_slowest_ends_the_crawl_and_says_why():
    async def run():
        async def handler(incoming, writer):
            if incoming.path in ("/robots.txt", "/sitemap.xml"):
                return reply(writer, 404)
            if incoming.path == "/":
                return reply(writer, body=links(*(f"/{n}" for n in range(50))).encode(), headers=HTML)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n")
            while True:
                writer.write(b".")
                await writer.drain()
                await asyncio.sleep(0.05)

        async with serve(handler) as base, open_fetcher(retries=0, total_seconds=0.5) as fetcher:
            summary, began = CrawlSummary(), time.monotonic()
            request = CrawlRequest(f"{base}/")
            stream = crawl(request, fetcher=fetcher, read=read, known={}, settings=CrawlSettings(), summary=summary)
            async for _ in stream:
                pass
            return summary, time.monotonic() - began

    summary, seconds = asyncio.run(run())
    assert HOST in summary.stopped and "longer than 0.5 s" in summary.stopped
    assert summary.stored == 1 and not summary.complete and seconds < 5
