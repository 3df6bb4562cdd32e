"""An asynchronous stream for synchronous callers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def iterate(source: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
    """Items of an asynchronous iterator, one by one.

    The event loop runs in a thread of its own, so that requests under way go on, and their deadlines stay true, while
    the caller works on an item. Closing the generator, an error or an interrupt in the caller ends the stream and
    waits for its clean-up.

    Args:
        source: makes the iterator, inside the loop's thread.

    Yields:
        Its items.

    Raises:
        Exception: whatever the iterator raises.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="tamis-acquire", daemon=True)
    thread.start()
    stream = source()
    try:
        while True:
            step = asyncio.run_coroutine_threadsafe(_next(stream), loop)
            try:
                found, item = step.result()
            except BaseException:
                step.cancel()
                raise
            if not found:
                return
            yield item[0]
    finally:
        with suppress(asyncio.CancelledError):
            asyncio.run_coroutine_threadsafe(_close(stream), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _next(stream: AsyncIterator[T]) -> tuple[bool, tuple[T, ...]]:
    # A StopAsyncIteration cannot cross a future, so the end is told by the flag.
    try:
        return True, (await anext(stream),)
    except StopAsyncIteration:
        return False, ()


async def _close(stream: AsyncIterator[T]) -> None:
    this = asyncio.current_task()
    others = [task for task in asyncio.all_tasks() if task is not this]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
