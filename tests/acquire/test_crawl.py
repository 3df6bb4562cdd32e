"""Crawling real sites on loopback: every page once, exact limits, and only what changed the next time."""

from __future__ import annotations

import asyncio
import random
from dataclasses import fields
from itertools import pairwise

import pytest
from loopback import HOST, Website, links, open_fetcher, read, serve

from tamis.acquire.crawl import crawl
from tamis.acquire.fetch import Fetcher
from tamis.acquire.outcome import CrawlSummary
from tamis.acquire.request import CrawlRequest
from tamis.errors import RefusedAddressError, UsageError
from tamis.settings import CrawlSettings, FetchSettings


class Visitor:
    """Crawls one site again and again, remembering records as a collection would. Use inside `with_site`."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.known: dict = {}
        self.runs = 0

    async def crawl(self, start="/", *, run=None, stop_after=None, retries=0, fetch=None, **options):
        """(crawled, summary); settings among the options by name."""
        asked = {field.name for field in fields(CrawlRequest)} & set(options)
        request = CrawlRequest(self.base + start, **{name: options.pop(name) for name in asked})
        names = set(CrawlSettings.model_fields) & set(options)
        settings = CrawlSettings.model_validate({name: options.pop(name) for name in names})
        self.runs = run if run is not None else self.runs + 1
        summary, crawled = CrawlSummary(), []
        async with open_fetcher(retries=retries, **(fetch or {})) as fetcher:
            stream = crawl(
                request,
                fetcher=fetcher,
                read=read,
                known=dict(self.known),
                settings=settings,
                run=self.runs,
                summary=summary,
                **options,
            )
            async for item in stream:
                crawled.append(item)
                self.known[item.record.url] = item.record
                if stop_after is not None and len(crawled) == stop_after:
                    await stream.aclose()
                    break
        return crawled, summary

    def paths(self, crawled, state="done"):
        return [item.record.url.removeprefix(self.base) or "/" for item in crawled if item.record.state == state]


def with_site(site, story):
    """Run `story(visitor)` while the site is served."""

    async def run():
        async with serve(site) as base:
            return await story(Visitor(base))

    return asyncio.run(run())


def tree():
    return Website(
        {
            "/": links("/a", "/b", "/missing", "/a#part", "/a?utm_source=x"),
            "/a": links("/c", "/", "/b", text="a"),
            "/b": links("/d", "/c", text="b"),
            "/c": links("/e", text="c"),
            "/d": links(text="d"),
            "/e": links(text="e"),
        }
    )


def test_breadth_first_every_page_once():
    site = tree()
    crawled, summary = with_site(site, lambda visitor: visitor.crawl(depth=9))
    urls = [item.record.url.rpartition("/")[2] for item in crawled]
    assert urls == ["", "a", "b", "missing", "c", "d", "e"]
    assert len(site.asked()) == len(set(site.asked())) == 7
    assert (summary.new, summary.failed, summary.fetched, summary.complete) == (6, 1, 7, True)


def test_the_order_does_not_depend_on_who_answers_first():
    dice = random.Random(7)
    orders = []
    for concurrency in (1, 2, 8):
        site = tree()
        site.delay = lambda _: dice.random() / 50

        async def story(visitor, concurrency=concurrency):
            crawled, _ = await visitor.crawl(depth=9, concurrency=concurrency)
            return [item.record.url.removeprefix(visitor.base) for item in crawled]

        orders.append(with_site(site, story))
    assert orders[0] == orders[1] == orders[2]


@pytest.mark.parametrize(("depth", "expected"), [(0, 1), (1, 3), (2, 5), (3, 6)])
def test_depth_is_exact(depth, expected):
    assert with_site(tree(), lambda visitor: visitor.crawl(depth=depth))[1].new == expected


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 7])
def test_the_page_limit_is_exact_and_nothing_more_is_asked_for(limit):
    site = tree()
    _, summary = with_site(site, lambda visitor: visitor.crawl(depth=9, max_pages=limit, concurrency=8))
    assert summary.stored == min(limit, 6)
    assert sum(status == 200 for path, status in site.log if path != "/robots.txt") == min(limit, 6)
    assert summary.limited is (limit < 6)


def test_only_the_same_site():
    async def story(visitor):
        async with serve(Website({"/": links(text="elsewhere")})) as other:
            visitor.site.pages["/"] = links(other + "/", "http://localhost:1/", "https://example.com/", "/a")
            return await visitor.crawl()

    site = Website({"/a": links(text="a")})

    async def run(visitor):
        visitor.site = site
        return await story(visitor)

    crawled, summary = with_site(site, run)
    assert summary.new == 2 and summary.failed == 0 and len(crawled) == 2


def test_globs_choose_by_path():
    site = Website(
        {
            "/": links("/docs/a.html", "/docs/old/b.html", "/blog/c.html"),
            "/docs/a.html": links("/docs/d.html", text="a"),
            "/docs/d.html": links(text="d"),
            "/docs/old/b.html": links(text="b"),
            "/blog/c.html": links(text="c"),
        }
    )

    async def story(visitor):
        crawled, _ = await visitor.crawl(include=["/docs/*"], exclude=["*/old/*"])
        return visitor.paths(crawled)

    assert with_site(site, story) == ["/docs/a.html", "/docs/d.html"]
    assert "/docs/old/b.html" not in site.asked() and "/blog/c.html" not in site.asked()


def test_files_without_text_cost_no_request_or_no_body():
    image = (200, {"Content-Type": "image/png", "Content-Length": "99999999"}, b"")
    site = Website({"/": links("/a.png", "/b.ZIP", "/show?id=1", "/c"), "/show?id=1": image, "/c": links(text="c")})
    crawled, summary = with_site(site, lambda visitor: visitor.crawl())
    assert sorted(site.asked()) == ["/", "/c", "/show?id=1"]
    assert summary.new == 2 and summary.skipped == 3
    assert any("image/png" in item.record.reason for item in crawled)


# The second time


def test_a_second_crawl_asks_only_whether_anything_changed():
    site = tree()

    async def story(visitor):
        await visitor.crawl(depth=9)
        site.log.clear()
        return await visitor.crawl(depth=9)

    crawled, summary = with_site(site, story)
    assert {status for path, status in site.log if path not in ("/missing", "/robots.txt", "/sitemap.xml")} == {304}
    assert (summary.unchanged, summary.new, summary.changed) == (6, 0, 0)
    assert all(item.page is None and item.unchanged for item in crawled if item.record.state == "done")


@pytest.mark.parametrize("validators", [True, False])
def test_only_what_changed_comes_back(validators):
    site = tree()
    site.validators = validators

    async def story(visitor):
        await visitor.crawl(depth=9)
        site.pages["/b"] = links("/d", "/new", text="b, rewritten")
        site.pages["/new"] = links(text="new")
        crawled, summary = await visitor.crawl(depth=9)
        return [item.record.url.removeprefix(visitor.base) for item in crawled if item.page is not None], summary

    fresh, summary = with_site(site, story)
    assert fresh == ["/b", "/new"]
    assert (summary.new, summary.changed, summary.unchanged) == (1, 1, 5)


def test_force_stores_everything_anew():
    site = tree()

    async def story(visitor):
        await visitor.crawl(depth=9)
        return await visitor.crawl(depth=9, force=True)

    crawled, summary = with_site(site, story)
    assert summary.changed == 6 and summary.unchanged == 0
    assert sum(item.page is not None for item in crawled) == 6


def test_gone_pages_vanish_linked_or_not_and_come_back():
    site = tree()

    async def story(visitor):
        await visitor.crawl(depth=9)
        d, root = site.pages.pop("/d"), site.pages["/"]
        site.pages["/"] = links("/a")
        site.pages["/a"] = links("/b", text="a")
        site.pages["/b"] = links("/d", text="b")  # /c and /e are linked no more
        site.pages.pop("/e")
        gone, summary = await visitor.crawl(depth=9)
        site.pages |= {"/d": d, "/": root}
        back, later = await visitor.crawl(depth=9)
        return visitor.paths(gone, "vanished"), visitor.paths(gone), summary, visitor.paths(back), later

    vanished, stayed, summary, back, later = with_site(site, story)
    assert vanished == ["/d", "/e"] and summary.vanished == 2
    assert "/c" in stayed, "a page that is still there has not vanished, whoever links to it"
    assert "/d" in back and later.vanished == 0


def test_a_site_that_fails_for_a_while_loses_nothing():
    site = tree()

    async def story(visitor):
        await visitor.crawl(depth=9)
        kept, site.pages["/a"] = site.pages["/a"], (500, {}, b"")
        crawled, during = await visitor.crawl(depth=9)
        site.pages["/a"] = kept
        _, after = await visitor.crawl(depth=9)
        return visitor.paths(crawled, "failed"), during, after

    failed, during, after = with_site(site, story)
    assert failed == ["/a", "/missing"] and during.unchanged == 5 and during.vanished == 0
    assert after.unchanged == 6 and after.changed == 0


def test_pages_left_out_by_the_limit_do_not_vanish():
    async def story(visitor):
        await visitor.crawl(depth=9)
        return await visitor.crawl(depth=9, max_pages=2)

    crawled, summary = with_site(tree(), story)
    assert summary.vanished == 0 and summary.unchanged == 2 and len(crawled) == 2


# Interrupted


@pytest.mark.parametrize("stop_after", [1, 2, 3, 4, 5, 6])
def test_an_interrupted_crawl_goes_on_without_loss_or_repetition(stop_after):
    site = tree()

    async def story(visitor):
        first, unfinished = await visitor.crawl(depth=9, stop_after=stop_after, run=1)
        site.log.clear()
        second, summary = await visitor.crawl(depth=9, run=1)
        return visitor.paths(first), unfinished, visitor.paths(second), summary

    before, unfinished, after, summary = with_site(site, story)
    assert not unfinished.complete and summary.complete
    assert sorted(before + after) == ["/", "/a", "/b", "/c", "/d", "/e"]
    assert not set(before) & set(site.asked())
    assert summary.stored == 6


def test_the_page_limit_counts_what_the_interrupted_part_stored():
    async def story(visitor):
        await visitor.crawl(depth=9, stop_after=2, run=1, max_pages=4)
        _, summary = await visitor.crawl(depth=9, run=1, max_pages=4)
        return sum(record.state == "done" for record in visitor.known.values()), summary

    stored, summary = with_site(tree(), story)
    assert stored == 4 and summary.stored == 4


# What sites say about their pages


def test_redirects_count_once():
    site = Website(
        {
            "/": links("/old", "/new", "/dir", "/loop", "/away"),
            "/old": (301, {"Location": "/new"}, b""),
            "/new": links(text="new"),
            "/dir": (301, {"Location": "/dir/"}, b""),
            "/dir/": links("page", text="dir"),
            "/dir/page": links(text="page"),
            "/loop": (302, {"Location": "/loop"}, b""),
            "/away": (302, {"Location": "http://169.254.169.254/"}, b""),
        }
    )

    async def story(visitor):
        crawled, summary = await visitor.crawl()
        return visitor.paths(crawled), visitor.paths(crawled, "failed"), summary

    done, failed, summary = with_site(site, story)
    assert done == ["/", "/new", "/dir", "/dir/page"] and failed == ["/loop"]
    assert site.asked().count("/new") == 1 and summary.skipped == 2


def test_the_start_page_may_move_to_another_site():
    async def run():
        async with serve(Website({"/": links("/x", text="home"), "/x": links(text="x")})) as new:
            moved = Website({"/": (301, {"Location": new + "/"}, b"")})
            async with serve(moved) as old:
                visitor = Visitor(old)
                crawled, summary = await visitor.crawl()
                return new, [item.record.url for item in crawled if item.record.state == "done"], summary

    new, done, summary = asyncio.run(run())
    assert done == [new + "/", new + "/x"] and summary.complete


def test_canonical_links_are_respected_where_they_can_be():
    def page(target, text):
        return links(text=text, head=f'<link rel="canonical" href="{target}">')

    site = Website(
        {
            "/": links("/a?view=print", "/a", "/broken?x=1", "/home", "/far"),
            "/a?view=print": page("/a", "a to print"),
            "/a": page("/a", "a"),
            "/broken?x=1": page("/nowhere", "keeps its text"),
            "/home": page("/", "names the front page like every other page here"),
            "/far": page("https://example.com/far", "mirrored"),
        }
    )

    async def story(visitor):
        first, _ = await visitor.crawl(run=1)
        second, summary = await visitor.crawl(run=2)
        return visitor.paths(first), visitor.paths(second), summary

    done, again, summary = with_site(site, story)
    assert sorted(done) == sorted(again) == ["/", "/a", "/broken?x=1", "/far", "/home"]
    assert summary.new == summary.changed == summary.vanished == 0


def test_noindex_and_nofollow():
    site = Website(
        {
            "/": links("/hidden", "/dead-end", "/header"),
            "/hidden": links("/behind", text="hidden", head='<meta name="robots" content="NOINDEX">'),
            "/behind": links(text="behind"),
            "/dead-end": links("/unreached", text="dead end", head='<meta name="robots" content="nofollow">'),
            "/unreached": links(text="unreached"),
            "/header": (200, {"Content-Type": "text/html", "X-Robots-Tag": "noindex, nofollow"}, b"<p>x"),
        }
    )

    async def story(visitor):
        crawled, _ = await visitor.crawl()
        return visitor.paths(crawled), visitor.paths(crawled, "skipped")

    assert with_site(site, story) == (["/", "/dead-end", "/behind"], ["/hidden", "/header"])


def test_a_page_that_asks_not_to_be_indexed_later_is_forgotten():
    site = tree()

    async def story(visitor):
        await visitor.crawl(depth=9)
        site.pages["/d"] = links(text="d", head='<meta name="robots" content="noindex">')
        crawled, _ = await visitor.crawl(depth=9)
        return [item.forget.removeprefix(visitor.base) for item in crawled if item.forget]

    assert with_site(site, story) == ["/d"]


def test_a_folder_and_its_index_page_are_one():
    page = links("/index.html", "/b", text="home")
    site = Website({"/": page, "/index.html": page, "/b": links("/", text="b")})

    async def story(visitor):
        first, _ = await visitor.crawl()
        site.log.clear()
        second, summary = await visitor.crawl()
        return visitor.paths(first), visitor.paths(second), summary.unchanged

    assert with_site(site, story) == (["/", "/b"], ["/", "/b"], 2)
    assert {status for path, status in site.log if path not in ("/robots.txt", "/sitemap.xml")} == {304}


def test_robots_refusals_are_recorded():
    site = tree()
    site.pages["/robots.txt"] = (200, {}, b"User-agent: tamis\nDisallow: /b\n")

    async def story(visitor):
        crawled, summary = await visitor.crawl(depth=9)
        return visitor.paths(crawled, "refused"), summary

    refused, summary = with_site(site, story)
    assert refused == ["/b"] and summary.refused == 1 and summary.new == 4
    assert "/b" not in site.asked() and summary.problems[0][1].startswith("robots.txt disallows")


def test_sitemaps_lead_to_pages_nobody_links_to():
    site = Website({"/": links("/a"), "/a": links(text="a"), "/island": links("/more", text="island")})

    async def story(visitor):
        body = f"<urlset><url><loc>{visitor.base}/island</loc></url><url><loc>http://x.example/</loc></url></urlset>"
        site.pages["/sitemap.xml"] = (200, {}, body.encode())
        crawled, _ = await visitor.crawl()
        without, _ = await Visitor(visitor.base).crawl(sitemap=False)
        return visitor.paths(crawled), len(without)

    assert with_site(site, story) == (["/", "/a", "/island"], 2)


def test_crawl_delay_spaces_the_requests():
    site = tree()
    site.pages["/robots.txt"] = (200, {}, b"User-agent: *\nCrawl-delay: 4\n")
    slept: list[float] = []

    async def run():
        async def sleep(seconds):
            slept.append(seconds)

        fetcher = Fetcher(FetchSettings(allow_hosts=(HOST,)), sleep=sleep, clock=lambda: 0.0)
        settings = CrawlSettings(concurrency=2)
        async with serve(site) as base, fetcher:
            return [x async for x in crawl(CrawlRequest(base), fetcher=fetcher, read=read, known={}, settings=settings)]

    assert len(asyncio.run(run())) == 7
    assert {round(later - sooner, 3) for sooner, later in pairwise(slept)} == {4.0} and len(slept) == 7


# Trouble


def test_broken_pages_are_reported_with_where_they_were_linked_from():
    _, summary = with_site(tree(), lambda visitor: visitor.crawl(depth=9))
    ((url, reason),) = summary.problems
    assert url.endswith("/missing") and reason.startswith("answered 404, linked from http://127.0.0.1")


def test_a_page_that_cannot_be_read_is_reported():
    site = Website({"/": links("/x"), "/x": (200, {"Content-Type": "text/csv"}, b"a,b")})
    crawled, summary = with_site(site, lambda visitor: visitor.crawl())
    assert summary.failed == 1 and crawled[1].record.status == 200 and "text/csv" in crawled[1].record.reason


def test_a_site_that_stops_answering_ends_the_crawl_and_keeps_it_open():
    site = Website({"/": links(*(f"/{number}" for number in range(20)))})
    site.pages |= {f"/{number}": (503, {}, b"") for number in range(20)}
    crawled, summary = with_site(site, lambda visitor: visitor.crawl())
    assert not summary.complete and summary.stopped and len(crawled) < 8


def test_a_start_page_nobody_serves():
    async def run():
        visitor = Visitor(f"http://{HOST}:9")
        return await visitor.crawl()

    crawled, summary = asyncio.run(run())
    assert summary.stored == 0 and len(crawled) == 1 and "no connection" in crawled[0].record.reason


@pytest.mark.parametrize("start", ["docs.example.com", "ftp://e.com/", "", "/tmp"])
def test_a_start_that_is_no_address(start):
    async def run():
        async with open_fetcher() as fetcher:
            async for _ in crawl(CrawlRequest(start), fetcher=fetcher, read=read, known={}, settings=CrawlSettings()):
                pass

    with pytest.raises(UsageError, match="not an http or https address"):
        asyncio.run(run())


def test_a_private_site_is_refused_and_the_way_out_named():
    with pytest.raises(RefusedAddressError) as caught:
        with_site(tree(), lambda visitor: visitor.crawl(fetch={"allow_hosts": ()}))
    assert "--allow-host 127.0.0.1" in caught.value.fix


def test_a_redirect_leads_to_nothing_that_robots_txt_closes():
    site = Website(
        {
            "/": links("/a", "/b"),
            "/a": (301, {"Location": "/a/"}, b""),
            "/a/": links(text="closed"),
            "/b": (301, {"Location": "/closed"}, b""),
            "/closed": links(text="closed too"),
            "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /a/\nDisallow: /closed\nSitemap: /map\n"),
            "/map": (302, {"Location": "/closed"}, b""),
        }
    )
    _, summary = with_site(site, lambda visitor: visitor.crawl())
    assert summary.new == 1 and not {"/a/", "/closed"} & set(site.asked())
