"""Fetching from well-behaved and hostile servers, all of them real and on loopback."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib

import brotli
import pytest
from loopback import HOST, open_fetcher, reply, serve

from tamis.acquire.fetch import Fetcher, fetch_once
from tamis.acquire.response import Response, demand, retry_after
from tamis.errors import FetchError, RefusedAddressError
from tamis.settings import FetchSettings


def get(handler, path="/", *, times=1, **changes):
    """Fetch one path from a server with this handler; (last response, paths asked for, fetcher)."""
    asked: list[str] = []

    async def recorded(request, writer):
        asked.append(request.path)
        await handler(request, writer)

    async def run():
        async with serve(recorded) as base, open_fetcher(**changes) as fetcher:
            for _ in range(times):
                response = await fetcher.get(base + path)
            return response, asked, fetcher

    return asyncio.run(run())


def answers(status=200, body=b"", headers=None):
    async def handler(_request, writer):
        reply(writer, status, body, headers)

    return handler


def test_a_page_with_what_the_server_says_about_it():
    headers = {"Content-Type": 'Text/HTML; Charset="utf-8"', "ETag": '"v1"', "Last-Modified": "Mon, 01 Jan 2024"}
    response, _, _ = get(answers(200, b"hello", headers), "/page#part")
    assert response.ok and response.body == b"hello" and response.url.endswith("/page")
    assert (response.media_type, response.charset, response.etag) == ("text/html", "utf-8", '"v1"')
    assert response.last_modified == "Mon, 01 Jan 2024"


def test_what_is_sent():
    seen: list[dict[str, str]] = []

    async def handler(request, writer):
        seen.append(request.headers)
        reply(writer, 304 if "if-none-match" in request.headers else 200, b"", {"Set-Cookie": "a=b"})

    async def run():
        async with serve(handler) as base, open_fetcher() as fetcher:
            await fetcher.get(base.replace("http://", "http://user:secret@") + "/")
            return await fetcher.get(base + "/", etag='"v1"', last_modified="Mon")

    assert asyncio.run(run()).status == 304
    assert "authorization" not in seen[0] and "if-none-match" not in seen[0]
    assert (seen[1]["if-none-match"], seen[1]["if-modified-since"]) == ('"v1"', "Mon")
    assert "cookie" not in seen[1]
    assert seen[0]["user-agent"] == "tamis/0.1"


PACKED = {
    "gzip": gzip.compress(b"hello " * 100),
    "deflate": zlib.compress(b"hello " * 100),
    "br": brotli.compress(b"hello " * 100),
    "identity": b"hello " * 100,
}


@pytest.mark.parametrize("coding", PACKED)
def test_packed_bodies_are_unpacked(coding):
    response, _, _ = get(answers(200, PACKED[coding], {"Content-Encoding": coding}))
    assert response.body == b"hello " * 100


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_a_decompression_bomb_is_stopped_at_the_limit(coding):
    packer = {"gzip": zlib.compressobj(wbits=31), "deflate": zlib.compressobj(), "br": brotli.Compressor(quality=3)}[
        coding
    ]
    put = packer.process if coding == "br" else packer.compress
    bomb = b"".join(put(bytes(1_000_000)) for _ in range(100))
    tracemalloc.start()
    with pytest.raises(FetchError, match="longer than 1,000,000 bytes"):
        get(answers(200, bomb, {"Content-Encoding": coding}), max_bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_an_endless_body_is_stopped_at_the_limit():
    sent = 0

    async def handler(_request, writer):
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(bytes(65_536))
            await writer.drain()
            sent += 65_536

    with pytest.raises(FetchError, match="longer than"):
        get(handler, max_bytes=500_000)
    assert sent < 20_000_000


def test_a_body_announced_as_too_long_is_not_downloaded():
    async def handler(_request, writer):
        reply(writer, headers={"Content-Length": "30000000"})

    with pytest.raises(FetchError, match="30,000,000"):
        get(handler, max_bytes=1_000)


def test_a_slow_drip_meets_the_deadline():
    async def handler(_request, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.05)

    with pytest.raises(FetchError, match=r"longer than 0\.4 s"):
        get(handler, total_seconds=0.4)


def test_a_silent_server_meets_the_deadline():
    async def handler(_request, _writer):
        await asyncio.sleep(60)

    with pytest.raises(FetchError, match="longer than"):
        get(handler, total_seconds=0.3)


@pytest.mark.parametrize("size", [80_000, 5_000_000])
def test_a_flood_of_headers_is_refused(size):
    async def handler(_request, writer):
        lines = "".join(f"X-{number}: {'a' * 100}\r\n" for number in range(size // 110))
        writer.write(f"HTTP/1.1 200 OK\r\n{lines}Content-Length: 0\r\n\r\n".encode())

    with pytest.raises(FetchError):
        get(handler, retries=0)


def test_a_body_shorter_than_announced_is_a_failure():
    async def handler(_request, writer):
        reply(writer, body=b"half", headers={"Content-Length": "8"})

    with pytest.raises(FetchError, match="broke off"):
        get(handler)


def test_a_packed_body_that_ends_early_is_a_failure():
    with pytest.raises(FetchError, match="compress"):
        get(answers(200, PACKED["gzip"][:-12], {"Content-Encoding": "gzip"}))


def test_garbage_in_place_of_compression_is_a_failure():
    with pytest.raises(FetchError, match="damaged compression"):
        get(answers(200, b"not packed at all", {"Content-Encoding": "gzip"}))


def test_an_early_reset_is_tried_again():
    count = 0

    async def handler(_request, writer):
        nonlocal count
        count += 1
        if count == 1:
            writer.transport.abort()
        else:
            reply(writer, body=b"there")

    response, asked, _ = get(handler)
    assert response.body == b"there" and len(asked) == 2


def test_nobody_listening_is_named():
    async def run():
        async with open_fetcher() as fetcher:
            await fetcher.get(f"http://{HOST}:9/")

    with pytest.raises(FetchError, match="no connection"):
        asyncio.run(run())


# Redirects


def redirects(table):
    async def handler(request, writer):
        if request.path in table:
            reply(writer, 302, headers={"Location": table[request.path]})
        else:
            reply(writer, body=b"arrived")

    return handler


def test_redirects_are_followed_and_remembered():
    response, asked, _ = get(redirects({"/": "/a", "/a": "b?x=1#y"}))
    assert response.body == b"arrived" and response.url.endswith("/b?x=1")
    assert len(response.redirects) == 2 and asked == ["/", "/a", "/b?x=1"]


def test_a_redirect_loop_ends():
    with pytest.raises(FetchError, match="circle"):
        get(redirects({"/": "/a", "/a": "/"}))


def test_endless_redirects_end():
    async def handler(request, writer):
        reply(writer, 302, headers={"Location": request.path + "x"})

    with pytest.raises(FetchError, match="more than 3 times"):
        get(handler, max_redirects=3)


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest/", "http://127.0.0.2/", "http://localhost/", "http://[::1]/", "http://2852039166/"],
)
def test_a_redirect_to_a_private_address_is_refused_before_connecting(target):
    with pytest.raises(RefusedAddressError, match="not a public address"):
        get(redirects({"/": target}))


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.com/", "javascript:alert(1)", "http://[bad/"])
def test_a_redirect_away_from_the_web_is_refused(target):
    with pytest.raises(RefusedAddressError):
        get(redirects({"/": target}))


def test_validators_stay_with_their_site():
    seen: list[dict[str, str]] = []

    async def handler(request, writer):
        seen.append(request.headers)
        reply(writer)

    async def run():
        async with serve(handler) as second, serve(redirects({"/": second + "/"})) as first, open_fetcher() as fetcher:
            await fetcher.get(first + "/", etag='"v1"')

    asyncio.run(run())
    assert len(seen) == 1 and "if-none-match" not in seen[0]


def test_the_caller_may_decline_a_redirect():
    async def run():
        async with serve(redirects({"/": "/a"})) as base, open_fetcher() as fetcher:
            return base, await fetcher.get(base + "/", follow=lambda _from, _to: False)

    base, response = asyncio.run(run())
    assert response.redirected and response.location == f"{base}/a" and response.status == 302


@pytest.mark.parametrize("url", ["ftp://example.com/", "file:///etc/passwd", "example.com", "http://", "gopher://x"])
def test_only_web_addresses_are_fetched(url):
    async def run():
        async with open_fetcher() as fetcher:
            await fetcher.get(url)

    with pytest.raises(RefusedAddressError):
        asyncio.run(run())


def test_an_unwanted_body_stays_on_the_server():
    async def handler(_request, writer):
        reply(writer, headers={"Content-Type": "image/png", "Content-Length": "30000000"})

    async def run():
        async with serve(handler) as base, open_fetcher() as fetcher:
            return await fetcher.get(base + "/x", wanted=lambda head: head.media_type == "text/html")

    response = asyncio.run(run())
    assert response.unwanted and response.body == b"" and response.media_type == "image/png"


# Retries and the breaker


def sequence(*replies):
    left = list(replies)

    async def handler(_request, writer):
        status, headers = left.pop(0) if len(left) > 1 else left[0]
        reply(writer, status, b"body", headers)

    return handler


def waits(handler, **changes):
    """(response, seconds waited between attempts)."""
    waited: list[float] = []

    async def sleep(seconds):
        waited.append(round(seconds, 2))

    async def run():
        settings = FetchSettings.model_validate({"allow_hosts": (HOST,)} | changes)
        async with serve(handler) as base, Fetcher(settings, sleep=sleep, clock=lambda: 0.0) as fetcher:
            return await fetcher.get(base + "/")

    return asyncio.run(run()), waited


def test_503_then_ok():
    response, waited = waits(sequence((503, {}), (200, {})))
    assert response.ok and waited[0] == 0.5


def test_429_waits_as_long_as_asked():
    response, waited = waits(sequence((429, {"Retry-After": "7"}), (200, {})))
    assert response.ok and max(waited) == 7.0


def test_a_retry_after_that_is_too_long_is_not_waited_for():
    response, waited = waits(sequence((429, {"Retry-After": "3600"}), (200, {})))
    assert response.status == 429 and waited == []


def test_retries_end():
    response, waited = waits(sequence((500, {})), retries=2)
    assert response.status == 500 and 0.5 in waited and 1.0 in waited


def test_404_is_not_tried_again():
    response, asked, _ = get(answers(404))
    assert response.status == 404 and asked == ["/"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 30.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_in_seconds_or_as_a_date(text, seconds):
    assert retry_after(Response("http://e.com/", 429, {"retry-after": text}), now=100.0) == seconds


def test_three_failures_open_the_circuit():
    asked = 0

    async def handler(_request, writer):
        nonlocal asked
        asked += 1
        reply(writer, 503)

    async def run():
        async with serve(handler) as base, open_fetcher(retries=0) as fetcher:
            for _ in range(3):
                assert (await fetcher.get(base + "/")).status == 503
            with pytest.raises(FetchError, match="3 times in a row"):
                await fetcher.get(base + "/")

    asyncio.run(run())
    assert asked == 3


def test_pages_that_are_broken_do_not_open_the_circuit():
    response, asked, _ = get(answers(500), times=5, retries=0)
    assert response.status == 500 and len(asked) == 5


def test_demand_names_the_status():
    with pytest.raises(FetchError, match="404") as caught:
        demand(Response("http://e.com/", 404))
    assert caught.value.status == 404


def test_fetch_once_is_synchronous():
    with pytest.raises(RefusedAddressError, match=r"--allow-host 127\.0\.0\.1"):
        fetch_once(f"http://{HOST}:9/", FetchSettings())


@pytest.mark.parametrize("value", ["caf\xe9", "a" * 5_000, "\x01", "\xff\xfe", "a\tb"])
def test_a_validator_that_cannot_be_sent_back_is_none(value):
    response = Response("http://e.com/", 200, {"etag": value, "last-modified": value})
    assert response.etag == response.last_modified == ""


def test_a_site_with_such_a_validator_can_be_asked_again():
    headers = {"ETag": "caf\xe9", "Last-Modified": "\xff"}

    async def run():
        async def handler(_request, writer):
            reply(writer, headers=headers, body=b"x")

        async with serve(handler) as base, open_fetcher(retries=0) as fetcher:
            first = await fetcher.get(base + "/")
            return await fetcher.get(base + "/", etag=first.etag, last_modified=first.last_modified)

    assert asyncio.run(run()).body == b"x"
