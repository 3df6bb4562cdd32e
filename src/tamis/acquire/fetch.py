"""Fetching one URL: limits on everything, redirects hop by hop, retries, politeness, circuit breaker (S3, S7).

No cookies, no credentials and no proxy from the environment: what is sent depends on the URL and the settings alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Self

import httpcore

from tamis.acquire.bodies import ACCEPT_ENCODING, Body
from tamis.acquire.breaker import Breaker, BreakerMemory
from tamis.acquire.guard import GuardedBackend, Resolve, resolve
from tamis.acquire.pace import Pacer
from tamis.acquire.response import Response, demand, retry_after
from tamis.acquire.wire import WireLimitError, WireLimits
from tamis.errors import FetchError, RefusedAddressError
from tamis.settings import CrawlSettings, FetchSettings
from tamis.text import urls

_RETRIED = frozenset({429, 500, 502, 503, 504})
# A page that is broken (500) says nothing about the host; these do.
_HOST_IN_TROUBLE = frozenset({429, 502, 503, 504})
_BACKOFF_SECONDS = 0.5
_DRAINED_BYTES = 65_536
_DRAINED_SECONDS = 1.0
"""An unwanted body within both is read to its end, because a kept connection is cheaper than a new one."""
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"


Wanted = Callable[[Response], bool]
"""Given a response without its body: whether the body is worth downloading."""
Exchange = Callable[[], Awaitable[Response]]
"""One request and its answer."""
Follow = Callable[[str, str], bool]
"""(from, to): whether to follow this redirect; where not, the redirect itself is the answer."""


@dataclass(slots=True)
class _Budget:
    """What is left for one page.

    Attributes:
        seconds: for exchanges, all redirects and retries included.
        waiting: seconds, for pauses before retries.
    """

    seconds: float
    waiting: float


class _BrokenConnectionError(Exception):
    """The connection broke; trying again may help."""


class _BodyError(Exception):
    """The host answered, but with something that is not accepted: no reason to retry or to distrust the host."""

    def __init__(self, reason: FetchError) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Fetcher:
    """Fetches URLs politely and safely. Use as an async context manager.

    Args:
        settings: limits, allowed hosts, retries, breaker.
        pace: pauses between requests to a host.
        memory: where the circuit breaker survives the process.
        clock: monotonic seconds.
        wall_clock: seconds since the epoch, for Retry-After dates and the breaker.
        sleep: waits that many seconds.
        resolver: finds the addresses of a name.
    """

    def __init__(
        self,
        settings: FetchSettings,
        *,
        pace: CrawlSettings | None = None,
        memory: BreakerMemory | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        resolver: Resolve = resolve,
    ) -> None:
        self.settings = settings
        self.pacer = Pacer(pace if pace is not None else CrawlSettings(), clock=clock, sleep=sleep)
        self.breaker = Breaker(
            failures=settings.breaker_failures, seconds=settings.breaker_seconds, clock=wall_clock, memory=memory
        )
        self.requests = 0
        self._clock = clock
        self._wall_clock = wall_clock
        self._sleep = sleep
        # Framing may cost as much again as what it frames: chunks of a few bytes are legal.
        limits = WireLimits(settings.max_header_bytes, 2 * (settings.max_bytes + settings.max_header_bytes))
        self._backend = GuardedBackend(settings.allow_hosts, limits=limits, resolver=resolver)
        self._pool: httpcore.AsyncConnectionPool | None = None

    async def __aenter__(self) -> Self:
        self._pool = httpcore.AsyncConnectionPool(
            network_backend=self._backend, max_connections=64, max_keepalive_connections=16, keepalive_expiry=15.0
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None

    async def get(
        self,
        url: str,
        *,
        etag: str = "",
        last_modified: str = "",
        wanted: Wanted = lambda _: True,
        follow: Follow = lambda _from, _to: True,
        at_most: int | None = None,
    ) -> Response:
        """Fetch a URL.

        Args:
            url: http or https; sent as `tamis.text.urls.normalise` spells it.
            etag: validator of an earlier answer; the answer may then be 304 without a body.
            last_modified: likewise.
            wanted: asked before the body of a 2xx answer is downloaded.
            follow: asked before a redirect is followed.
            at_most: bytes of the body after which the rest is left on the server; None fails at the limit of the
                settings instead.

        Returns:
            The last answer, whatever its status.

        Raises:
            RefusedAddressError: scheme or address refused, at any hop.
            FetchError: no answer, a limit passed, too many redirects, or the host's circuit is open.
        """
        if not urls.is_web(url):
            raise RefusedAddressError(
                f"{urls.shown(url)!r} is not an http or https address", fix="Give the full URL: https://…"
            )
        address = urls.normalise(url)
        validators = {"if-none-match": etag, "if-modified-since": last_modified}
        passed: list[str] = []
        budget = _Budget(self.settings.total_seconds, self.settings.max_retry_after_seconds)
        while True:
            exchange = partial(self._exchange, address, validators, wanted, at_most)
            response = await self._persistently(budget, address, exchange)
            if not response.redirected or (response.location and not follow(address, response.location)):
                return replace(response, redirects=tuple(passed))
            passed.append(address)
            address = self._next(response, passed)
            if urls.site(address) != urls.site(passed[0]):
                validators = {}

    def _next(self, response: Response, passed: list[str]) -> str:
        target = response.location
        if not target:
            raise RefusedAddressError(
                f"{response.url} redirects to {urls.shown(response.headers['location'])!r}, which is not an http or "
                "https address"
            )
        if target in passed:
            raise FetchError(f"{passed[0]} redirects in a circle, through {target}", status=response.status)
        if len(passed) > self.settings.max_redirects:
            raise FetchError(
                f"{passed[0]} redirects more than {self.settings.max_redirects} times, last to {target}",
                fix="Raise fetch.max_redirects if that is right.",
                status=response.status,
            )
        return target

    async def _persistently(self, budget: _Budget, url: str, exchange: Exchange) -> Response:
        """One URL, no redirects, with retries; the breaker hears of the outcome once."""
        site = urls.site(url)
        self.breaker.check(site)
        told = False
        try:
            for attempt in range(self.settings.retries + 1):
                last = attempt == self.settings.retries
                try:
                    response = await self._once(budget, url, exchange)
                except _BrokenConnectionError as error:
                    if last:
                        raise FetchError(f"{url} broke off: {error}") from error
                    pause = _BACKOFF_SECONDS * 2**attempt
                else:
                    asked = self._retry_after(response)
                    pause = max(asked or 0.0, _BACKOFF_SECONDS * 2**attempt)
                    if response.status not in _RETRIED or last or pause > budget.waiting:
                        told = True
                        self._tell(site, response)
                        return response
                    self.pacer.hold(urls.host(url), pause)
                budget.waiting -= pause
                await self._sleep(pause)
        except FetchError:
            told = True
            self.breaker.failed(site)
            raise
        except _BodyError as error:
            told = True
            self.breaker.succeeded(site)
            raise error.reason from error
        finally:
            if not told:
                self.breaker.abandoned(site)
        raise AssertionError("the last attempt returns or raises")

    def _tell(self, site: str, response: Response) -> None:
        if response.status in _HOST_IN_TROUBLE:
            self.breaker.failed(site)
        else:
            self.breaker.succeeded(site)

    def _retry_after(self, response: Response) -> float | None:
        return retry_after(response, now=self._wall_clock())

    async def _once(self, budget: _Budget, url: str, exchange: Exchange) -> Response:
        host = urls.host(url)
        await self.pacer.turn(host)
        started = self._clock()
        try:
            async with asyncio.timeout(budget.seconds):
                response = await exchange()
        except TimeoutError as error:
            raise FetchError(
                f"{url} took longer than {self.settings.total_seconds:g} s", fix="Raise fetch.total_seconds."
            ) from error
        except WireLimitError as error:
            raise FetchError(f"{url} sent {error}") from error
        except httpcore.ConnectTimeout as error:
            raise FetchError(f"{url}: no connection within {self.settings.connect_seconds:g} s") from error
        except httpcore.ConnectError as error:
            raise FetchError(f"{url}: no connection: {error}", fix="Check the address and that it is up.") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise _BrokenConnectionError(str(error) or type(error).__name__) from error
        finally:
            taken = self._clock() - started
            budget.seconds = max(0.001, budget.seconds - taken)
        self.pacer.observe(host, taken)
        return replace(response, seconds=taken)

    async def _exchange(self, url: str, validators: Mapping[str, str], wanted: Wanted, at_most: int | None) -> Response:
        if self._pool is None:
            raise RuntimeError("use the fetcher as an async context manager")
        headers: dict[bytes | str, bytes | str] = {
            "host": urls.site(url),
            "user-agent": self.settings.user_agent,
            "accept": _ACCEPT,
            "accept-encoding": ACCEPT_ENCODING,
        }
        headers.update({name: value for name, value in validators.items() if value})
        timeout = {"connect": self.settings.connect_seconds, "pool": self.settings.total_seconds}
        self.requests += 1
        async with self._pool.stream("GET", url, headers=headers, extensions={"timeout": timeout}) as answer:
            response = Response(url, answer.status, _joined(answer.headers))
            if not response.ok:
                await _drain(answer)
                return response
            if not wanted(response):
                return replace(response, unwanted=True)
            try:
                return replace(response, body=await self._body(response, answer, at_most))
            except FetchError as error:
                raise _BodyError(error) from error

    async def _body(self, response: Response, answer: httpcore.Response, at_most: int | None) -> bytes:
        limit = self.settings.max_bytes if at_most is None else at_most
        announced = response.headers.get("content-length", "")
        if at_most is None and announced.isdecimal() and int(announced) > limit:
            raise FetchError(
                f"{response.url} is {int(announced):,} bytes long; the limit is {limit:,}",
                fix="Raise fetch.max_bytes if the page is worth it.",
            )
        coding = response.headers.get("content-encoding", "")
        body = Body(coding, max_bytes=limit, name=response.url, cut=at_most is not None)
        async for piece in answer.aiter_stream():
            body.feed(piece)
            if body.full:
                break
        return body.close()


async def _drain(answer: httpcore.Response) -> None:
    """Read what nobody wants; how it ends matters to nobody either."""
    size = 0
    with suppress(TimeoutError, WireLimitError, httpcore.NetworkError, httpcore.ProtocolError):
        async with asyncio.timeout(_DRAINED_SECONDS):
            async for piece in answer.aiter_stream():
                size += len(piece)
                if size > _DRAINED_BYTES:
                    return


def _joined(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("ascii").lower(), raw_value.decode("latin-1").strip()
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def fetch_once(url: str, settings: FetchSettings) -> Response:
    """Fetch one page from synchronous code (`tamis page URL`).

    Raises:
        AcquireError: refused, failed, or answered with anything but a page.
    """

    async def run() -> Response:
        async with Fetcher(settings) as fetcher:
            return demand(await fetcher.get(url))

    return asyncio.run(run())
