"""Fetching one URL: limits on everything, redirects hop by hop, retries, politeness, circuit breaker (S3, S7).

No cookies, no credentials and no proxy from the environment: what is sent depends on the URL and the settings alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self

import httpcore

from tamis.acquire.bodies import ACCEPT_ENCODING, Body
from tamis.acquire.breaker import Breaker, BreakerMemory
from tamis.acquire.guard import GuardedBackend, Resolve, resolve
from tamis.acquire.pace import Pacer
from tamis.errors import FetchError, RefusedAddressError
from tamis.settings import CrawlSettings, FetchSettings
from tamis.text import urls

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RETRIED = frozenset({429, 500, 502, 503, 504})
# A page that is broken (500) says nothing about the host; these do.
_HOST_IN_TROUBLE = frozenset({429, 502, 503, 504})
_BACKOFF_SECONDS = 0.5
_DRAINED_BYTES = 65_536
"""An unwanted body up to this size is read to its end, because a kept connection is cheaper than a new one."""
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered.

    Attributes:
        url: that answered, after redirects, as requested.
        status: HTTP status.
        headers: by lower-case name; repeated ones joined with a comma.
        body: decompressed; empty where it was not wanted or the status is not 2xx.
        seconds: from the request to the last byte.
        redirects: URLs that led here, in order.
        unwanted: the body was left on the server because the caller did not want this kind.
    """

    url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0
    redirects: tuple[str, ...] = ()
    unwanted: bool = False

    @property
    def ok(self) -> bool:
        """Whether a page came."""
        return 200 <= self.status < 300

    @property
    def media_type(self) -> str:
        """Lower-case, without parameters; empty when the server did not say."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """As the server declares it, empty when it does not."""
        for parameter in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip("\"'")
        return ""

    @property
    def etag(self) -> str:
        """Validator for If-None-Match, empty when there is none."""
        return self.headers.get("etag", "")

    @property
    def last_modified(self) -> str:
        """Validator for If-Modified-Since, empty when there is none."""
        return self.headers.get("last-modified", "")

    @property
    def location(self) -> str:
        """Where a redirect leads, normalised; empty when this is none or it leads nowhere that can be fetched."""
        target = self.headers.get("location", "") if self.status in _REDIRECTS else ""
        return urls.join(self.url, target) if target else ""

    @property
    def redirected(self) -> bool:
        """Whether this is a redirect that was not followed."""
        return self.status in _REDIRECTS and "location" in self.headers


Wanted = Callable[[Response], bool]
"""Given a response without its body: whether the body is worth downloading."""
Follow = Callable[[str, str], bool]
"""(from, to): whether to follow this redirect; where not, the redirect itself is the answer."""


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
        self._backend = GuardedBackend(settings.allow_hosts, resolver=resolver)
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
    ) -> Response:
        """Fetch a URL.

        Args:
            url: http or https; sent as `tamis.text.urls.normalise` spells it.
            etag: validator of an earlier answer; the answer may then be 304 without a body.
            last_modified: likewise.
            wanted: asked before the body of a 2xx answer is downloaded.
            follow: asked before a redirect is followed.

        Returns:
            The last answer, whatever its status.

        Raises:
            RefusedAddressError: scheme or address refused, at any hop.
            FetchError: no answer, a limit passed, too many redirects, or the host's circuit is open.
        """
        if not urls.is_web(url):
            raise RefusedAddressError(f"{url!r} is not an http or https address", fix="Give the full URL: https://…")
        address = urls.normalise(url)
        validators = {"if-none-match": etag, "if-modified-since": last_modified}
        passed: list[str] = []
        left = self.settings.total_seconds
        while True:
            response = await self._persistently(address, validators, wanted, left)
            left = max(0.001, left - response.seconds)
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
                f"{response.url} redirects to {response.headers['location']!r}, which is not an http or https address"
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

    async def _persistently(self, url: str, validators: Mapping[str, str], wanted: Wanted, seconds: float) -> Response:
        """One URL, no redirects, with retries; the breaker hears of the outcome once."""
        site = urls.site(url)
        self.breaker.check(site)
        told = False
        try:
            for attempt in range(self.settings.retries + 1):
                last = attempt == self.settings.retries
                try:
                    response = await self._once(url, validators, wanted, seconds)
                except _BrokenConnectionError as error:
                    if last:
                        raise FetchError(f"{url} broke off: {error}") from error
                    pause = _BACKOFF_SECONDS * 2**attempt
                else:
                    asked = self._retry_after(response)
                    too_long = asked is not None and asked > self.settings.max_retry_after_seconds
                    if response.status not in _RETRIED or last or too_long:
                        told = True
                        self._tell(site, response)
                        return response
                    pause = max(asked or 0.0, _BACKOFF_SECONDS * 2**attempt)
                    self.pacer.hold(urls.host(url), pause)
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

    async def _once(self, url: str, validators: Mapping[str, str], wanted: Wanted, seconds: float) -> Response:
        host = urls.host(url)
        await self.pacer.turn(host)
        started = self._clock()
        try:
            async with asyncio.timeout(seconds):
                response = await self._exchange(url, validators, wanted)
        except TimeoutError as error:
            raise FetchError(f"{url} took longer than {seconds:g} s", fix="Raise fetch.total_seconds.") from error
        except httpcore.ConnectTimeout as error:
            raise FetchError(f"{url}: no connection within {self.settings.connect_seconds:g} s") from error
        except httpcore.ConnectError as error:
            raise FetchError(f"{url}: no connection: {error}", fix="Check the address and that it is up.") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise _BrokenConnectionError(str(error) or type(error).__name__) from error
        taken = self._clock() - started
        self.pacer.observe(host, taken)
        return replace(response, seconds=taken)

    async def _exchange(self, url: str, validators: Mapping[str, str], wanted: Wanted) -> Response:
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
            size = sum(len(name) + len(value) + 4 for name, value in answer.headers)
            if size > self.settings.max_header_bytes:
                raise _BodyError(
                    FetchError(f"{url} sent {size:,} bytes of headers; the limit is {self.settings.max_header_bytes:,}")
                )
            response = Response(url, answer.status, _joined(answer.headers))
            if not response.ok:
                await _drain(answer)
                return response
            if not wanted(response):
                return replace(response, unwanted=True)
            try:
                return replace(response, body=await self._body(response, answer))
            except FetchError as error:
                raise _BodyError(error) from error

    async def _body(self, response: Response, answer: httpcore.Response) -> bytes:
        limit = self.settings.max_bytes
        announced = response.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > limit:
            raise FetchError(
                f"{response.url} is {int(announced):,} bytes long; the limit is {limit:,}",
                fix="Raise fetch.max_bytes if the page is worth it.",
            )
        body = Body(response.headers.get("content-encoding", ""), max_bytes=limit, name=response.url)
        async for piece in answer.aiter_stream():
            body.feed(piece)
        return body.close()


async def _drain(answer: httpcore.Response) -> None:
    size = 0
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


def retry_after(response: Response, *, now: float) -> float | None:
    """Seconds the server asks to wait.

    Args:
        response: any.
        now: seconds since the epoch, to which a date is relative.

    Returns:
        None when it does not say, or not understandably.
    """
    text = response.headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError):
        return None


def demand(response: Response) -> Response:
    """The response, if a page came.

    Raises:
        FetchError: any other status.
    """
    if response.ok:
        return response
    raise FetchError(f"{response.url} answered {response.status}", status=response.status)


def fetch_once(url: str, settings: FetchSettings) -> Response:
    """Fetch one page from synchronous code (`tamis page URL`).

    Raises:
        AcquireError: refused, failed, or answered with anything but a page.
    """

    async def run() -> Response:
        async with Fetcher(settings) as fetcher:
            return demand(await fetcher.get(url))

    return asyncio.run(run())
