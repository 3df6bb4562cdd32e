"""Asynchronous streams for synchronous callers."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tamis.acquire.bridge import iterate


def counting(log, limit=5):
    async def stream():
        try:
            for number in range(limit):
                yield number
                await asyncio.sleep(0)
        finally:
            log.append("closed")

    return stream


def test_items_in_order_and_closed_at_the_end():
    log: list[str] = []
    assert list(iterate(counting(log))) == [0, 1, 2, 3, 4]
    assert log == ["closed"]


def test_leaving_early_closes_the_stream_and_its_thread():
    log: list[str] = []
    items = iterate(counting(log))
    assert next(items) == 0
    items.close()
    assert log == ["closed"]
    assert not [thread for thread in threading.enumerate() if thread.name == "tamis-acquire"]


def test_errors_of_the_stream_reach_the_caller():
    async def stream():
        yield 1
        raise ValueError("broken")

    items = iterate(stream)
    assert next(items) == 1
    with pytest.raises(ValueError, match="broken"):
        next(items)


def test_an_interrupt_in_the_caller_closes_the_stream():
    log: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        for _ in iterate(counting(log)):
            raise KeyboardInterrupt
    assert not [thread for thread in threading.enumerate() if thread.name == "tamis-acquire"]


def test_background_work_goes_on_while_the_caller_is_busy():
    async def stream():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        task = asyncio.create_task(tick())
        try:
            yield 0
            yield ticks
        finally:
            task.cancel()

    items = iterate(stream)
    next(items)
    time.sleep(0.3)
    assert next(items) >= 5
    items.close()
