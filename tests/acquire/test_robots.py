"""Who may fetch what."""

from __future__ import annotations

import asyncio

import pytest
from loopback import HOST, Website, open_fetcher, serve

from tamis.acquire.robots import agent_name, fetch_robots, parse
from tamis.errors import RefusedAddressError


def rules(answer):
    """The rules found on a site whose robots.txt is this (status, headers, body)."""

    async def run():
        async with serve(Website({"/robots.txt": answer})) as base, open_fetcher(retries=0) as fetcher:
            found = await fetch_robots(base + "/deep/page", fetcher)
            return base, found

    return asyncio.run(run())


def test_what_it_says():
    text = (
        "User-agent: tamis\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2.5\nSitemap: http://e.com/map.xml"
    )
    base, robots = rules((200, {}, text.encode()))
    assert not robots.allows(base + "/private/x") and robots.allows(base + "/private/open/x")
    assert robots.delay_seconds == 2.5 and robots.sitemaps == ("http://e.com/map.xml",)
    assert robots.reason == "robots.txt disallows it for tamis"


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_none_allows_everything(status):
    base, robots = rules((status, {}, b"User-agent: *\nDisallow: /"))
    assert robots.allows(base + "/") and robots.sitemaps == () and robots.delay_seconds == 0.0


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failing_one_forbids_everything(status):
    base, robots = rules((status, {}, b""))
    assert not robots.allows(base + "/") and str(status) in robots.reason


def test_no_answer_forbids_everything():
    async def run():
        async with open_fetcher(retries=0) as fetcher:
            return await fetch_robots(f"http://{HOST}:9/", fetcher)

    robots = asyncio.run(run())
    assert not robots.allows(f"http://{HOST}:9/") and "no connection" in robots.reason


def test_redirects_without_end_allow_everything():
    base, robots = rules((302, {"Location": "/robots.txt"}, b""))
    assert robots.allows(base + "/")


def test_a_refused_address_stays_refused():
    async def run():
        async with open_fetcher(allow_hosts=()) as fetcher:
            await fetch_robots(f"http://{HOST}:9/", fetcher)

    with pytest.raises(RefusedAddressError):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [("tamis/0.1", "tamis"), ("tamis", "tamis"), ("Mozilla/5.0 (X11)", "Mozilla"), ("My Bot/2", "My"), (" ", "tamis")],
)
def test_our_name_is_the_first_word(user_agent, name):
    assert agent_name(user_agent) == name


def test_names_end_at_a_blank_or_slash():
    text = "User-agent: Tamis/0.1 (crawler)\nDisallow: /a\n\nUser-agent: *\nDisallow: /"
    robots = parse(text, user_agent="tamis/0.1")
    assert robots.allows("http://e.com/b") and not robots.allows("http://e.com/a")


def test_a_byte_order_mark_and_bad_bytes_do_no_harm():
    base, robots = rules((200, {}, b"\xef\xbb\xbfUser-agent: *\n# \xff\nDisallow: /x"))
    assert not robots.allows(base + "/x") and robots.allows(base + "/y")
