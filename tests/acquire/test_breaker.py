"""A host that fails again and again is left alone."""

from __future__ import annotations

import pytest

from tamis.acquire.breaker import Breaker, BreakerFile, Circuit
from tamis.errors import FetchError


class Wall:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def opened(wall=None, memory=None):
    wall = wall or Wall()
    breaker = Breaker(failures=3, seconds=300.0, clock=wall, memory=memory)
    for _ in range(3):
        breaker.check("e.com")
        breaker.failed("e.com")
    return breaker, wall


def test_it_opens_after_failures_in_a_row():
    breaker, _ = opened()
    with pytest.raises(FetchError, match=r"e\.com failed 3 times in a row .* 300 s"):
        breaker.check("e.com")
    breaker.check("other.com")
    assert breaker.is_open("e.com") and not breaker.is_open("other.com")


def test_a_success_between_failures_keeps_it_closed():
    breaker = Breaker(failures=3, seconds=300.0, clock=Wall())
    for _ in range(5):
        breaker.failed("e.com")
        breaker.failed("e.com")
        breaker.succeeded("e.com")
    breaker.check("e.com")
    assert not breaker.is_open("e.com")


def test_half_open_lets_one_attempt_through():
    breaker, wall = opened()
    wall.now += 300.0
    breaker.check("e.com")
    with pytest.raises(FetchError):
        breaker.check("e.com")
    breaker.succeeded("e.com")
    breaker.check("e.com")
    breaker.check("e.com")


def test_a_failed_attempt_opens_it_for_the_whole_pause_again():
    breaker, wall = opened()
    wall.now += 300.0
    breaker.check("e.com")
    breaker.failed("e.com")
    wall.now += 299.0
    with pytest.raises(FetchError):
        breaker.check("e.com")


def test_an_attempt_that_tells_nothing_leaves_the_next_one_free():
    breaker, wall = opened()
    wall.now += 300.0
    breaker.check("e.com")
    breaker.abandoned("e.com")
    breaker.check("e.com")
    assert not breaker.is_open("e.com")


def test_it_survives_the_process(tmp_path):
    _, wall = opened(memory=BreakerFile(tmp_path / "state" / "breaker.json"))
    later = Breaker(failures=3, seconds=300.0, clock=wall, memory=BreakerFile(tmp_path / "state" / "breaker.json"))
    with pytest.raises(FetchError):
        later.check("e.com")
    wall.now += 301.0
    later.check("e.com")
    later.succeeded("e.com")
    assert BreakerFile(tmp_path / "state" / "breaker.json").load() == {}


def test_processes_do_not_overwrite_each_other(tmp_path):
    memory = BreakerFile(tmp_path / "breaker.json")
    first, second = (Breaker(failures=3, seconds=300.0, clock=Wall(), memory=memory) for _ in range(2))
    first.failed("a.com")
    second.failed("b.com")
    assert memory.load() == {"a.com": Circuit(1, 0.0), "b.com": Circuit(1, 0.0)}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"e.com": 3}', '{"e.com": ["x", 1]}', "\xff"])
def test_a_damaged_file_only_forgets(tmp_path, content):
    file = tmp_path / "breaker.json"
    file.write_bytes(content.encode("latin-1"))
    assert BreakerFile(file).load() == {}


def test_a_clock_set_back_does_not_keep_it_open():
    breaker, wall = opened()
    wall.now -= 10_000.0
    breaker.check("e.com")
    assert not breaker.is_open("e.com")
