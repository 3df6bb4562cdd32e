"""Every spelling of an address that must not be reached, through the real client against a real server.

A listener on loopback writes down every connection; the resolver is the system's for literals and a table for names.
Whatever the spelling, however it is come by, nothing may arrive.
"""

from __future__ import annotations

import asyncio

import pytest
from loopback import HOST, reply, serve

from tamis.acquire.crawl import crawl
from tamis.acquire.fetch import Fetcher
from tamis.acquire.guard import resolve
from tamis.acquire.request import CrawlRequest
from tamis.acquire.robots import parse
from tamis.acquire.sitemap import sitemap_urls
from tamis.errors import FetchError, RefusedAddressError, TamisError
from tamis.settings import CrawlSettings, FetchSettings
from tamis.text import urls

# "{port}" becomes the listener's.
PRIVATE = """
    127.0.0.1:{port} 127.1:{port} 127.0.1:{port} 2130706433:{port} 0x7f000001:{port} 0x7F.0x0.0x0.0x1:{port}
    0x7f.1:{port}
    017700000001:{port} 0177.0.0.01:{port} 0000177.0.0.1:{port} 127.0x0.1:{port} 127.0.0.2:{port} 127.255.255.254:{port}
    0:{port} 0.0.0.0:{port} 0x0:{port} 00.00.00.00:{port} 0.1:{port} 0x:{port}
    localhost:{port} LOCALHOST:{port} localhost.:{port} localhost。:{port} lOcAlHoSt:{port} ⓛocalhost:{port}
    local\u00adhost:{port} local%68ost:{port} %6cocalhost:{port} loc\u200balhost:{port}
    127。0。0。1:{port} 127．0．0．1:{port} 127｡0｡0｡1:{port} 127.0.0.1。:{port} １２７.０.０.１:{port} ①②⑦.⓪.⓪.①:{port}
    １２７。０。０。１:{port} 127%2e0%2e0%2e1:{port} %31%32%37.0.0.1:{port} %EF%BC%91%EF%BC%92%EF%BC%97.0.0.1:{port}
    𝟏𝟐𝟕.𝟎.𝟎.𝟏:{port} ₁₂₇.₀.₀.₁:{port} 0ₓ7f.1:{port} 127.0.0.1\u200b:{port} 127.0.0.1\ufe0f:{port}
    [::1]:{port} [0:0:0:0:0:0:0:1]:{port} [::]:{port} [0000::0001]:{port} [::127.0.0.1]:{port} [::ffff:127.0.0.1]:{port}
    [::ffff:7f00:1]:{port} [::FFFF:7F00:0001]:{port} [0:0:0:0:0:ffff:7f00:1]:{port} [::ffff:0:127.0.0.1]:{port}
    [64:ff9b::127.0.0.1]:{port} [64:ff9b::7f00:1]:{port} [64:ff9b:1::7f00:1]:{port} [2002:7f00:1::]:{port}
    [2002:7f00:0001::1]:{port} [2001:0:808:808:8000:63bf:80ff:fffe]:{port} [fe80::5efe:7f00:1]:{port}
    [fe80::1]:{port} [fd00::1]:{port} [fd00:ec2::254] [fec0::1] [ff02::1] [2001:db8::1] [100::1]
    user:secret@127.0.0.1:{port} public.example@127.0.0.1:{port} public.example:80@127.0.0.1:{port} @127.0.0.1:{port}
    a@b@127.0.0.1:{port} public.example%40127.0.0.1@127.0.0.1:{port} 127.0.0.1:{port}\\@public.example
    127.0.0.1:{port}#@public.example 127.0.0.1:{port}?@public.example 127.0.0.1:{port}/@public.example
    inside.example:{port} INSIDE.example.:{port} inside。example:{port} mixed.example:{port} mapped.example:{port}
    nat64.example:{port} sixtofour.example:{port} zone.example:{port} null.example:{port} short.example:{port}
    10.0.0.1 10.1 167772161 0xA000001 012.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 0xC0A80001 3232235521
    169.254.169.254 169.254.43518 2852039166 0xA9FEA9FE 0251.0376.0251.0376 100.100.100.200 192.0.0.192 168.63.129.16
    100.64.0.1 198.18.0.1 224.0.0.1 255.255.255.255 240.0.0.1 192.88.99.1
""".split()

MALFORMED = """
    http:// http:/// http://: http://:{port}/ http://@/ http://a@/ http://u:p@/ http://./ http://../ http://。/ http://#a
    http://?a
    http:///127.0.0.1:{port}/ http:127.0.0.1:{port}/ http:/127.0.0.1:{port}/ 127.0.0.1:{port}/ //127.0.0.1:{port}/
    http://[::1%25lo]:{port}/ http://[::1%lo]:{port}/ http://[fe80::1%25eth0]/ http://[::1].public.example/ http://[::1]a/
    http://[127.0.0.1]:{port}/ http://[v1.1]/ http://[::1 http://::1]:{port}/ http://[]/ http://[:::1]:{port}/
    http://127.0.0.1:-1/ http://127.0.0.1:+80/ http://127.0.0.1:65536/ http://127.0.0.1:８０/
    http://127.0.0.1:80:80/ http://127.0.0.1:0x50/ http://127.0.0.1:a/ http://256.0.0.1:{port}/ http://127.0.0.0.1:{port}/
    http://4294967296:{port}/ http://0x100000000:{port}/ http://08.0.0.1/ http://127.0.0.1%00.public.example/
    http://127.0.0.1%0a:{port}/ http://١٢٧.٠.٠.١:{port}/ http://a%zz/ http://%ff/
    file:///etc/passwd file://127.0.0.1/etc/passwd file:/etc/passwd data:text/html,<a> data:, ftp://127.0.0.1:{port}/
    ftp://user:secret@public.example/ javascript:alert(1) gopher://127.0.0.1:{port}/_x dict://127.0.0.1:{port}/ ldap://127.0.0.1/
    ws://127.0.0.1:{port}/ view-source:http://127.0.0.1:{port}/ jar:http://127.0.0.1:{port}!/ blob:http://127.0.0.1:{port}/
    about:blank unix:/run/docker.sock http+unix://%2frun%2fdocker.sock/ mailto:a@127.0.0.1 tel:1 netdoc:///etc/passwd
""".split()

NAMES = {
    "inside.example": ["10.0.0.5"],
    "mixed.example": ["93.184.216.34", HOST],
    "mapped.example": ["::ffff:127.0.0.1"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "sixtofour.example": ["2002:7f00:1::"],
    "zone.example": ["fe80::1%lo"],
    "null.example": ["0.0.0.0"],
    "short.example": ["127.1"],
}


async def resolver(host, port):
    return NAMES[host] if host in NAMES else await resolve(host, port)


def reached(story):
    """What arrives at a listener on loopback while `story(fetcher, port)` runs, and what the story raised."""
    arrived: list[str] = []

    async def handler(request, writer):
        arrived.append(request.path)
        reply(writer, body=b"the secret")

    async def run():
        async with serve(handler) as base:
            settings = FetchSettings(retries=0, connect_seconds=2.0, total_seconds=3.0)
            async with Fetcher(settings, resolver=resolver) as fetcher:
                try:
                    await story(fetcher, int(base.rpartition(":")[2]))
                except TamisError as error:
                    return error
        return None

    return asyncio.run(run()), arrived


@pytest.mark.parametrize("address", PRIVATE)
def test_private_in_every_spelling(address):
    error, arrived = reached(lambda fetcher, port: fetcher.get(f"http://{address.format(port=port)}/"))
    assert arrived == []
    assert isinstance(error, RefusedAddressError), f"{address} ended in {error!r}"
    assert "secret" not in str(error)


@pytest.mark.parametrize("url", MALFORMED)
def test_what_is_no_web_address_is_refused_before_anything_is_looked_up(url):
    async def forbidden(host, port):
        raise AssertionError(f"looked up {host}")

    async def run():
        async with Fetcher(FetchSettings(), resolver=forbidden) as fetcher:
            await fetcher.get(url.format(port=8000))

    assert not urls.is_web(url.format(port=8000))
    with pytest.raises(RefusedAddressError, match="is not an http or https address") as caught:
        asyncio.run(run())
    assert "secret" not in str(caught.value)


SAMPLE = [
    "127.1:{port}",
    "0x7f.1:{port}",
    "[::ffff:7f00:1]:{port}",
    "127。0。0。1:{port}",
    "inside.example",
    "localhost.:{port}",
]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1@public.example/",
        "http://127.0.0.1;@public.example/",
        "http://127.0.0.1%2f@public.example/",
        "http://127.0.0.1:80@public.example/",
        "http://localhost@PUBLIC.example./",
        "http://public.example/@127.0.0.1/",
        "http://public.example\\@127.0.0.1/",
        "http://public.example?@127.0.0.1/",
        "http://public.example#@127.0.0.1/",
    ],
)
def test_what_only_looks_private_is_asked_of_the_host_it_names(url):
    asked: list[str] = []

    async def names(host, _port):
        asked.append(host)
        raise OSError("no such name here")

    async def run():
        async with Fetcher(FetchSettings(retries=0), resolver=names) as fetcher:
            await fetcher.get(url)

    with pytest.raises(FetchError, match="cannot be resolved"):
        asyncio.run(run())
    assert asked == ["public.example"]


class Outside:
    """A site that is allowed by name and hands out addresses that are not: each way a page can name one."""

    def __init__(self, target: str, way: str) -> None:
        self.target, self.way = target, way

    async def __call__(self, request, writer):
        target, way = self.target, self.way
        headers = {"Content-Type": "text/html"}
        if request.path == "/robots.txt":
            if way == "robots redirect":
                return reply(writer, 302, headers={"Location": target})
            listed = f"Sitemap: {target}\n" if way == "listed sitemap" else "Sitemap: /map.xml\n"
            return reply(writer, body=listed.encode(), headers={"Content-Type": "text/plain"})
        if request.path == "/map.xml":
            if way == "sitemap redirect":
                return reply(writer, 302, headers={"Location": target})
            kind = "sitemapindex><sitemap" if way == "sitemap index" else "urlset><url"
            inner, outer = kind.split("><")[1], kind.split("><")[0]
            loc = target if way in ("sitemap", "sitemap index") else "/"
            body = f"<{outer}><{inner}><loc>{loc}</loc></{inner}></{outer}>"
            return reply(writer, body=body.encode(), headers={"Content-Type": "application/xml"})
        if way == "start page":
            return reply(writer, 302, headers={"Location": target})
        if way in ("301", "302", "303", "307", "308") and request.path != "/":
            return reply(writer, int(way), headers={"Location": target})
        if way == "two hops" and request.path != "/":
            return reply(writer, 302, headers={"Location": target if request.path == "/b" else "/b"})
        if way in ("refresh header", "location with 200", "link header"):
            name = {"refresh header": "Refresh", "location with 200": "Location", "link header": "Link"}[way]
            headers[name] = {"Refresh": f"0; url={target}", "Location": target, "Link": f'<{target}>; rel="canonical"'}[
                name
            ]
        head = {
            "canonical": f'<link rel="canonical" href="{target}">',
            "meta refresh": f'<meta http-equiv="refresh" content="0; url={target}">',
            "base href": f'<base href="{target}">',
        }.get(way, "")
        link = target if way == "link" else "/a"
        extra = (
            f'<img src="{target}"><iframe src="{target}"></iframe><script src="{target}"></script>'
            if way == "embedded"
            else ""
        )
        text = "A paragraph about sieves that is long enough to be the main text of this page. " * 4
        body = (
            f'<html><head>{head}</head><body><p>{text}</p><a href="{link}">on</a><a href="b">b</a>{extra}</body></html>'
        )
        return reply(writer, body=body.encode(), headers=headers)


WAYS = [
    *("301", "302", "303", "307", "308", "two hops", "refresh header", "location with 200", "link header", "canonical"),
    *(
        "meta refresh",
        "base href",
        "link",
        "embedded",
        "robots redirect",
        "listed sitemap",
        "sitemap redirect",
        "sitemap",
    ),
    *("sitemap index", "start page"),
]


@pytest.mark.parametrize("address", SAMPLE)
@pytest.mark.parametrize("way", WAYS)
def test_nothing_a_site_says_leads_a_crawl_inside(way, address):
    """The crawl itself with the real readers; the site is allowed by name and port, its target is not."""
    from tamis.acquire.site import page_of
    from tamis.settings import ReadSettings

    arrived: list[str] = []

    async def inside(request, writer):
        arrived.append(request.path)
        reply(writer, body=b"the secret")

    async def run():
        async with serve(inside) as hidden:
            target = f"http://{address.format(port=hidden.rpartition(':')[2])}/hidden"
            async with serve(Outside(target, way)) as base:
                port = base.rpartition(":")[2]
                settings = FetchSettings(allow_hosts=(f"site.example:{port}",), retries=0, total_seconds=3.0)

                async def names(host, number):
                    return [HOST] if host == "site.example" else await resolver(host, number)

                async with Fetcher(settings, resolver=names) as fetcher:
                    request = CrawlRequest(f"http://site.example:{port}/", depth=3)
                    stream = crawl(
                        request,
                        fetcher=fetcher,
                        read=lambda response: page_of(response, ReadSettings()),
                        known={},
                        settings=CrawlSettings(delay_seconds=0.0),
                    )
                    return [crawled async for crawled in stream]

    try:
        crawled = asyncio.run(run())
    except FetchError:
        crawled = []
    except RefusedAddressError:
        assert way in ("robots redirect", "start page")
        crawled = []
    assert arrived == []
    assert not any("secret" in document.text for item in crawled if item.page for document in item.page.documents)
    assert crawled or way in ("robots redirect", "start page")


def test_a_sitemap_elsewhere_is_not_asked_for():
    async def story(fetcher, port):
        robots = parse(f"Sitemap: http://127.0.0.1:{port}/map.xml", user_agent="tamis")
        assert await sitemap_urls("http://site.example/", fetcher, robots, limit=10) == []

    assert reached(story) == (None, [])


def test_the_host_header_says_what_the_address_says_and_nothing_else():
    """Credentials, spellings and redirects change neither whom we ask nor whom we say we ask."""
    seen: list[tuple[str, str]] = []

    async def names(host, number):
        return [HOST] if host.endswith(".example") else await resolver(host, number)

    async def run():
        async def handler(request, writer):
            seen.append((request.headers["host"], request.path))
            if request.path == "/first":
                target = f"http://user:secret@Second.example:{port}/next"
                headers = {"Location": target, "Set-Cookie": "a=b; Domain=example", "Host": "third.example"}
                reply(writer, 302, headers=headers)
            else:
                assert not {"cookie", "authorization", "referer"} & set(request.headers)
                reply(writer)

        async with serve(handler) as base:
            port = base.rpartition(":")[2]
            allowed = (f"first.example:{port}", f"second.example:{port}")
            async with Fetcher(FetchSettings(allow_hosts=allowed), resolver=names) as fetcher:
                await fetcher.get(f"http://user:secret@FIRST.example.:{port}/first")
        return port

    port = asyncio.run(run())
    assert seen == [(f"first.example:{port}", "/first"), (f"second.example:{port}", "/next")]
