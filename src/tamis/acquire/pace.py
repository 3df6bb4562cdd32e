"""Politeness: when the next request to a host may start."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tamis.settings import CrawlSettings

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

_SMOOTHING = 0.3
"""Weight of the newest response time in the running mean: about the last six responses count."""


@dataclass(slots=True)
class _Host:
    free_at: float = 0.0
    mean_seconds: float | None = None
    asked_seconds: float = 0.0


class Pacer:
    """Spaces the requests to each host.

    The pause is the running mean of the host's response times, times a factor: a slow server is asked slowly. A fixed
    pause from the settings replaces it. What robots.txt asks for is the least either may be, up to
    ``max_delay_seconds``.

    Args:
        settings: pauses and their cap.
        clock: monotonic seconds.
        sleep: waits that many seconds.
    """

    def __init__(self, settings: CrawlSettings, *, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}

    def delay(self, host: str) -> float:
        """Seconds between the starts of two requests to the host, as things stand."""
        known = self._hosts.get(host, _Host())
        settings = self._settings
        if settings.delay_seconds is not None:
            chosen = settings.delay_seconds
        elif is_loopback(host):
            chosen = settings.loopback_delay_seconds
        else:
            chosen = min(settings.delay_factor * (known.mean_seconds or 0.0), settings.max_delay_seconds)
        return max(chosen, min(known.asked_seconds, settings.max_delay_seconds))

    def ask(self, host: str, seconds: float) -> None:
        """Remember the pause the host's robots.txt asks for."""
        self._hosts.setdefault(host, _Host()).asked_seconds = seconds

    def observe(self, host: str, seconds: float) -> None:
        """Learn from a response that took this long."""
        known = self._hosts.setdefault(host, _Host())
        mean = known.mean_seconds
        known.mean_seconds = seconds if mean is None else mean + _SMOOTHING * (seconds - mean)

    def hold(self, host: str, seconds: float) -> None:
        """Let nobody ask the host for this long (Retry-After)."""
        known = self._hosts.setdefault(host, _Host())
        known.free_at = max(known.free_at, self._clock() + seconds)

    async def turn(self, host: str) -> None:
        """Wait for the next free start; concurrent callers queue up one pause apart."""
        known = self._hosts.setdefault(host, _Host())
        now = self._clock()
        start = max(now, known.free_at)
        known.free_at = start + self.delay(host)
        if start > now:
            await self._sleep(start - now)


def is_loopback(host: str) -> bool:
    """Whether the host, by its name alone, is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
