"""When the next request to a host may start."""

from __future__ import annotations

import asyncio

import pytest

from tamis.acquire.pace import Pacer, is_loopback
from tamis.settings import CrawlSettings


class Time:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def pacer(**changes):
    time = Time()
    return Pacer(CrawlSettings.model_validate(changes), clock=time, sleep=time.sleep), time


def starts(pace, time, host, count=4):
    async def run():
        found = []
        for _ in range(count):
            await pace.turn(host)
            found.append(round(time.now - 100.0, 6))
        return found

    return asyncio.run(run())


def test_a_fixed_pause_spaces_the_starts():
    pace, time = pacer(delay_seconds=0.5)
    assert starts(pace, time, "e.com") == [0.0, 0.5, 1.0, 1.5]


def test_the_adaptive_pause_follows_the_response_time():
    pace, _ = pacer(delay_factor=2.0)
    assert pace.delay("e.com") == 0.0
    pace.observe("e.com", 0.2)
    assert pace.delay("e.com") == pytest.approx(0.4)
    for _ in range(50):
        pace.observe("e.com", 1.0)
    assert pace.delay("e.com") == pytest.approx(2.0, rel=0.01)
    assert pace.delay("other.com") == 0.0


def test_the_adaptive_pause_is_capped():
    pace, _ = pacer(max_delay_seconds=3.0)
    pace.observe("e.com", 60.0)
    assert pace.delay("e.com") == 3.0


def test_what_robots_txt_asks_for_is_the_least_and_capped():
    pace, _ = pacer(delay_seconds=0.5, max_delay_seconds=3.0)
    pace.ask("e.com", 2.0)
    assert pace.delay("e.com") == 2.0
    pace.ask("e.com", 600.0)
    assert pace.delay("e.com") == 3.0


def test_this_machine_is_not_spared_but_a_set_pause_holds_there_too():
    pace, _ = pacer()
    pace.observe("127.0.0.1", 5.0)
    assert pace.delay("127.0.0.1") == 0.0
    assert pacer(delay_seconds=0.5)[0].delay("127.0.0.1") == 0.5


def test_a_held_host_waits_and_others_do_not():
    pace, time = pacer()
    pace.hold("e.com", 5.0)
    assert starts(pace, time, "other.com", 1) == [0.0]
    assert starts(pace, time, "e.com", 1) == [5.0]


def test_callers_at_once_queue_up_one_pause_apart():
    slept: list[float] = []

    async def sleep(seconds):
        slept.append(round(seconds, 6))

    pace = Pacer(CrawlSettings(delay_seconds=1.0), clock=lambda: 0.0, sleep=sleep)

    async def run():
        await asyncio.gather(*(pace.turn("e.com") for _ in range(4)))

    asyncio.run(run())
    assert slept == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("e.com", False),
    ],
)
def test_loopback_by_name(host, expected):
    assert is_loopback(host) is expected
