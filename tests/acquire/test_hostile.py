"""Servers that break the protocol or use it as a weapon: raw sockets, because a framework would be too polite.

Each ends in an answer or in an error that names the page, within its deadline, and without filling the memory.
"""

from __future__ import annotations

import asyncio
import gzip
import random
import re
import ssl
import time
import zlib
from contextlib import asynccontextmanager, suppress

import brotli
import pytest
from loopback import HOST, Peak, open_fetcher, serve

from tamis.acquire.fetch import Fetcher
from tamis.acquire.response import Response
from tamis.errors import AcquireError, FetchError, RefusedAddressError
from tamis.settings import FetchSettings

MB = 1_000_000
DEADLINE = 1.0
LIMIT = 2_000_000


@asynccontextmanager
async def raw(script):
    """The URL of a server that runs ``script(reader, writer)`` on each connection, requests unread."""
    tasks, writers = set(), []

    async def connection(reader, writer):
        tasks.add(asyncio.current_task())
        writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await script(reader, writer)
        writer.close()

    server = await asyncio.start_server(connection, HOST, 0)
    try:
        yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0)


async def asked(reader):
    """The path of the next request."""
    head = await reader.readuntil(b"\r\n\r\n")
    return head.split()[1].decode()


def once(data, *, then=None):
    """A script: read a request, send these bytes, then do something and hang up."""

    async def script(reader, writer):
        await asked(reader)
        writer.write(data)
        await writer.drain()
        if then is not None:
            await then(writer)

    return script


def forever(piece, pause=0.0):
    async def then(writer):
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return then


async def silence(_writer):
    await asyncio.sleep(60)


async def reset(writer):
    writer.transport.abort()


def fetch(script, *, path="/", retries=0, **changes):
    """(the answer or the error, seconds, MB by which the process grew at most)."""

    limits = {"total_seconds": DEADLINE, "max_bytes": LIMIT} | changes

    async def run():
        async with raw(script) as base, open_fetcher(retries=retries, **limits) as fetcher:
            try:
                return await fetcher.get(base + path)
            except AcquireError as error:
                return error

    began = time.monotonic()
    with Peak() as peak:
        outcome = asyncio.run(run())
    return outcome, time.monotonic() - began, peak.megabytes


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP = OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n"


def bomb(packer, megabytes=60):
    put = packer.process if hasattr(packer, "process") else packer.compress
    data = b"".join(put(bytes(MB)) for _ in range(megabytes))
    return data + (packer.finish() if hasattr(packer, "finish") else packer.flush())


GZIP_BOMB = bomb(zlib.compressobj(9, wbits=31))

FAILURES = {
    # Framing
    "a body shorter than announced": (once(OK + b"Content-Length: 100\r\n\r\nhalf"), "broke off"),
    "a body cut by a reset": (once(OK + b"Content-Length: 100\r\n\r\nhalf", then=reset), "broke off"),
    "a reset before the answer": (once(b"", then=reset), "broke off"),
    "nothing at all": (once(b""), "broke off"),
    "silence": (once(b"", then=silence), "took longer than"),
    "half a status line": (once(b"HTTP/1.1 20"), "broke off"),
    "half a head": (once(OK), "broke off"),
    "an answer of HTTP/0.9": (once(b"<html>no head at all</html>\r\n\r\n"), "broke off"),
    "another protocol": (once(b"SSH-2.0-OpenSSH_9.2\r\n", then=silence), "took longer|broke off"),
    "a status of two digits": (once(b"HTTP/1.1 20 OK\r\n\r\n"), "broke off"),
    "a status of letters": (once(b"HTTP/1.1 abc OK\r\n\r\n"), "broke off"),
    "two lengths": (once(OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!"), "broke off"),
    "a negative length": (once(OK + b"Content-Length: -1\r\n\r\n"), "broke off"),
    "a length of letters": (once(OK + b"Content-Length: many\r\n\r\nok"), "broke off"),
    "a length of 5,000 digits": (
        once(OK + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\nok"),
        "broke off|is .* bytes",
    ),
    "a length of a terabyte": (once(OK + b"Content-Length: 1000000000000\r\n\r\n"), "1,000,000,000,000 bytes long"),
    "an unknown transfer coding": (once(OK + b"Transfer-Encoding: gzip\r\n\r\nok"), "broke off"),
    "chunks of garbage": (once(CHUNKED + b"zz\r\nhello\r\n"), "broke off"),
    "a chunk longer than announced": (once(CHUNKED + b"2\r\nhello\r\n0\r\n\r\n"), "broke off"),
    "a chunk cut off": (once(CHUNKED + b"ff\r\nhello"), "broke off"),
    "chunks without an end": (once(CHUNKED + b"5\r\nhello\r\n"), "broke off"),
    "a chunk of 2^64 bytes": (once(CHUNKED + b"ffffffffffffffffffff\r\nhello", then=silence), "took longer|broke off"),
    "an endless chunk extension": (once(CHUNKED + b"5;", then=forever(b"a" * 65_536)), "broke off|sent more than"),
    "endless trailers": (once(CHUNKED + b"0\r\n", then=forever(b"X-A: b\r\n" * 4_096)), "broke off|sent more than"),
    "chunks of one byte, forever": (once(CHUNKED, then=forever(b"1\r\na\r\n" * 8_192)), "took longer|longer than|more"),
    "a name with a blank": (once(b"HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\nok"), "broke off"),
    "a NUL in a header": (once(b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok"), "broke off"),
    "a switch of protocols": (
        once(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", then=forever(b"x" * 9_999)),
        "broke off",
    ),
    # Floods
    "headers without an end": (once(OK, then=forever(b"X-A: b\r\n" * 1_024)), r"65,536 bytes of headers"),
    "one endless header": (once(OK + b"X: ", then=forever(b"a" * 65_536)), r"65,536 bytes of headers"),
    "an endless status line": (once(b"HTTP/1.1 200 ", then=forever(b"a" * 65_536)), r"65,536 bytes of headers"),
    "a head of many small headers": (once(OK + b"X: a\r\n" * 20_000 + b"\r\n"), r"65,536 bytes of headers"),
    "100 Continue, forever": (
        once(b"", then=forever(b"HTTP/1.1 100 Continue\r\n\r\n" * 512)),
        r"65,536 bytes of headers",
    ),
    "103 Early Hints, forever": (
        once(b"", then=forever(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 512)),
        r"65,536 bytes of headers",
    ),
    "an endless body": (once(OK + b"\r\n", then=forever(bytes(65_536))), "longer than 2,000,000 bytes"),
    # Drips
    "a head, a byte at a time": (once(OK, then=forever(b"X", 0.05)), "took longer than 1 s"),
    "a body, a byte at a time": (
        once(OK + b"Content-Length: 900\r\n\r\n", then=forever(b"x", 0.05)),
        "took longer than",
    ),
    "interim answers, one at a time": (once(b"", then=forever(b"HTTP/1.1 102 P\r\n\r\n", 0.05)), "took longer than"),
    "chunks, one at a time": (once(CHUNKED, then=forever(b"1\r\nx\r\n", 0.05)), "took longer than"),
    "a packed body, a byte at a time": (
        once(GZIP + gzip.compress(b"hello")[:4], then=forever(b"\0", 0.05)),
        "took|damaged",
    ),
    # Compression
    "a gzip bomb": (once(GZIP + GZIP_BOMB), "longer than 2,000,000 bytes"),
    "a gzip bomb of a gzip bomb": (
        once(OK + b"Content-Encoding: gzip, gzip\r\n\r\n" + gzip.compress(GZIP_BOMB)),
        "is encoded as 'gzip, gzip'",
    ),
    "a coding named twice": (
        once(OK + b"Content-Encoding: gzip\r\nContent-Encoding: br\r\n\r\n" + GZIP_BOMB),
        "is encoded as 'gzip, br'",
    ),
    "a deflate bomb": (
        once(OK + b"Content-Encoding: deflate\r\n\r\n" + bomb(zlib.compressobj(9))),
        "longer than 2,000,000 bytes",
    ),
    "a brotli bomb": (
        once(OK + b"Content-Encoding: br\r\n\r\n" + bomb(brotli.Compressor(quality=5))),
        "longer than 2,000,000 bytes",
    ),
    "zstd, which was not offered": (
        once(OK + b"Content-Encoding: zstd\r\n\r\n\x28\xb5\x2f\xfd"),
        "is encoded as 'zstd'",
    ),
    "an endless row of empty gzip members": (
        once(GZIP, then=forever(gzip.compress(b"") * 2_000)),
        "longer than|took longer",
    ),
    "a gzip header without an end": (
        once(GZIP + b"\x1f\x8b\x08\x08" + bytes(6), then=forever(b"a" * 65_536)),
        "longer than|took",
    ),
    "text that says it is brotli": (once(OK + b"Content-Encoding: br\r\n\r\nhello, not packed"), "compress"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_ends_in_an_error_that_names_the_page(name):
    script, reason = FAILURES[name]
    outcome, seconds, grown = fetch(script)
    assert isinstance(outcome, FetchError), outcome
    assert re.search(reason, outcome.message), outcome.message
    assert HOST in outcome.message
    assert seconds < DEADLINE + 2.0
    assert grown < 150, f"grew by {grown:.0f} MB"


ANSWERS = {
    "a body longer than announced": (once(OK + b"Content-Length: 5\r\n\r\nhello and more"), 200, b"hello"),
    "a body without a length": (once(OK + b"\r\nhello"), 200, b"hello"),
    "HTTP/9.9": (once(b"HTTP/9.9 200 OK\r\nContent-Length: 5\r\n\r\nhello"), 200, b"hello"),
    "HTTP/1.0": (once(b"HTTP/1.0 200 OK\r\n\r\nhello"), 200, b"hello"),
    "bare line feeds": (once(b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"), 200, b"hello"),
    "no reason phrase": (once(b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello"), 200, b"hello"),
    "a few interim answers": (
        once(b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" * 3 + OK + b"Content-Length: 5\r\n\r\nhello"),
        200,
        b"hello",
    ),
    "chunks with extensions and trailers": (once(CHUNKED + b"5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n"), 200, b"hello"),
    "an error page that drips": (
        once(b"HTTP/1.1 404 No\r\nContent-Length: 900\r\n\r\n", then=forever(b"x", 0.05)),
        404,
        b"",
    ),
    "an endless error page": (once(b"HTTP/1.1 404 No\r\n\r\n", then=forever(bytes(65_536))), 404, b""),
    "an error page cut off": (once(b"HTTP/1.1 404 No\r\nContent-Length: 900\r\n\r\nhalf"), 404, b""),
    "a 304 with a body": (once(b"HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\nhello"), 304, b""),
    "a status nobody knows": (once(b"HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n"), 799, b""),
    "a Retry-After beyond all numbers": (
        once(b"HTTP/1.1 429 No\r\nRetry-After: " + b"9" * 5_000 + b"\r\nContent-Length: 0\r\n\r\n"),
        429,
        b"",
    ),
    "a date beyond all dates": (
        once(b"HTTP/1.1 503 No\r\nRetry-After: Fri, 31 Dec 99999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n"),
        503,
        b"",
    ),
    "headers in Latin-1": (once(OK + b"X-Name: caf\xe9\r\nContent-Length: 5\r\n\r\nhello"), 200, b"hello"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_ends_in_an_answer(name):
    script, status, body = ANSWERS[name]
    outcome, seconds, grown = fetch(script, total_seconds=3.0)
    assert isinstance(outcome, Response), outcome
    assert (outcome.status, outcome.body) == (status, body)
    assert seconds < DEADLINE + 2.0 and grown < 150


@pytest.mark.parametrize(
    "first",
    [
        OK + b"Content-Length: 5\r\n\r\nhello" + OK + b"Content-Length: 8\r\n\r\npoisoned",
        b"HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\n" + OK + b"Content-Length: 8\r\n\r\npoisoned",
        b"HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nsorry" + OK + b"Content-Length: 8\r\n\r\npoisoned",
        CHUNKED + b"5\r\nhello\r\n0\r\n\r\n" + OK + b"Content-Length: 8\r\n\r\npoisoned",
        b"HTTP/1.1 103 Early\r\n\r\n"
        + OK
        + b"Content-Length: 5\r\n\r\nhello"
        + OK
        + b"Content-Length: 8\r\n\r\npoisoned",
    ],
)
def test_what_a_server_sends_unasked_is_never_the_answer_to_the_next_request(first):
    async def script(reader, writer):
        while True:
            path = await asked(reader)
            writer.write(first if path == "/a" else OK + b"Content-Length: 4\r\n\r\ntrue")
            await writer.drain()

    async def run():
        async with raw(script) as base, open_fetcher(retries=0) as fetcher:
            await fetcher.get(base + "/a")
            return (await fetcher.get(base + "/b")).body

    assert asyncio.run(run()) == b"true"


def test_a_server_that_keeps_to_the_protocol_is_asked_on_one_connection():
    connections = 0

    async def script(reader, writer):
        nonlocal connections
        connections += 1
        while True:
            path = await asked(reader)
            answer = {
                "/length": OK + b"Content-Length: 5\r\n\r\nhello",
                "/chunks": CHUNKED + b"5\r\nhello\r\n0\r\n\r\n",
                "/gone": b"HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nsorry",
                "/same": b"HTTP/1.1 304 Not\r\n\r\n",
                "/hints": b"HTTP/1.1 103 E\r\nLink: </a>\r\n\r\n" + OK + b"Content-Length: 5\r\n\r\nhello",
            }[path]
            for piece in (answer[:30], answer[30:]):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.01)

    async def run():
        async with raw(script) as base, open_fetcher(retries=0) as fetcher:
            return [
                (await fetcher.get(base + path)).status
                for path in ("/length", "/chunks", "/gone", "/same", "/hints") * 2
            ]

    assert asyncio.run(run()) == [200, 200, 404, 304, 200] * 2
    assert connections == 1


def test_all_attempts_and_redirects_share_one_deadline():
    async def script(reader, writer):
        path = await asked(reader)
        await asyncio.sleep(0.4)
        status = b"503 Busy" if len(path) % 2 else b"302 On\r\nLocation: " + path.encode() + b"a"
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")

    outcome, seconds, _ = fetch(script, retries=2, max_redirects=20)
    assert isinstance(outcome, FetchError | Response) and seconds < DEADLINE + 1.0


def test_all_pauses_before_retries_share_one_allowance():
    waited: list[float] = []

    async def run():
        async def sleep(seconds):
            waited.append(seconds)

        async def handler(request, writer):
            head = "HTTP/1.1 429 No\r\nRetry-After: 40\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            writer.write(head.encode())

        settings = FetchSettings(allow_hosts=(HOST,), retries=5)
        async with serve(handler) as base, Fetcher(settings, sleep=sleep, clock=lambda: 0.0) as fetcher:
            return await fetcher.get(base + "/")

    assert asyncio.run(run()).status == 429
    assert max(waited) == 40.0 and waited.count(40.0) <= 2, "60 s in all, so a second pause of 40 s is not made"


@pytest.mark.parametrize("kind", ["self-signed", "no TLS at all", "TLS, then garbage"])
def test_tls_that_cannot_be_trusted(kind, tmp_path):
    context = None
    if kind != "no TLS at all":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(tmp_path))

    writers = []

    async def script(_reader, writer):
        writers.append(writer)
        writer.write(b"garbage" * 100)
        await writer.drain()

    async def run():
        server = await asyncio.start_server(lambda r, w: script(r, w), HOST, 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        try:
            async with open_fetcher(retries=0) as fetcher:
                await fetcher.get(f"https://{HOST}:{port}/")
        finally:
            server.close()
            for writer in writers:
                writer.transport.abort()
            await asyncio.sleep(0.01)

    with pytest.raises(FetchError, match=r"no connection|broke off"):
        asyncio.run(run())


def certificate(folder):
    """A certificate that nobody signed, made by the openssl on this machine."""
    import shutil
    import subprocess

    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine")
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [*"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -keyout".split(), key, "-out", cert],
        check=True,
        capture_output=True,
    )
    return cert, key


PIECES = [
    *(
        b"HTTP/1.1 ",
        b"HTTP/1.0 ",
        b"200 OK",
        b"404 No",
        b"302 Found",
        b"101 Up",
        b"100 Go",
        b"304 Not",
        b"999",
        b"\r\n",
        b"\n",
    ),
    *(
        b"\r\n\r\n",
        b"Content-Length: 5\r\n",
        b"Content-Length: 0\r\n",
        b"Content-Length: 99999999999999999999999\r\n",
        b"\0",
    ),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Content-Encoding: br\r\n",
        b"Location: /\r\n",
    ),
    *(
        b"Location: http://[\r\n",
        b"Retry-After: 0\r\n",
        b"Connection: close\r\n",
        b"Content-Type: text/html; charset=\xff\r\n",
    ),
    *(
        b"5\r\nhello\r\n",
        b"0\r\n\r\n",
        b"ffffffff\r\n",
        b"hello",
        gzip.compress(b"hello"),
        b"\x1f\x8b",
        b"\xff\xfe",
        b": ",
        b" ",
    ),
]


def test_any_bytes_end_in_an_answer_or_an_error_of_ours():
    dice = random.Random(11)
    sent = [b"".join(dice.choices(PIECES, k=dice.randrange(1, 14))) for _ in range(200)]
    sent += [b"HTTP/1.1 200 OK\r\n" + b"".join(dice.choices(PIECES, k=dice.randrange(1, 12))) for _ in range(200)]
    left = list(sent)

    async def script(reader, writer):
        while left:
            await asked(reader)
            writer.write(left.pop())
            await writer.drain()
            if dice.random() < 0.97:
                return

    async def run():
        outcomes = {"answers": 0, "errors": 0}
        settings = {"retries": 0, "total_seconds": 0.2, "breaker_failures": 10**6, "max_redirects": 1}
        async with raw(script) as base, open_fetcher(**settings) as fetcher:
            while left:
                try:
                    await fetcher.get(base + "/")
                    outcomes["answers"] += 1
                except (FetchError, RefusedAddressError):
                    outcomes["errors"] += 1
        return outcomes

    outcomes = asyncio.run(run())
    assert outcomes["answers"] > 4 and outcomes["errors"] > 100
