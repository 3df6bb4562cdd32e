"""Crawling and fetching for synchronous callers, with the readers plugged in and runs numbered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Protocol

from tamis.acquire.breaker import BreakerMemory
from tamis.acquire.bridge import iterate
from tamis.acquire.crawl import crawl
from tamis.acquire.fetch import Fetcher, fetch_once
from tamis.acquire.outcome import Crawled, CrawlSummary
from tamis.acquire.readers import read
from tamis.acquire.request import CrawlRequest
from tamis.acquire.response import Response
from tamis.errors import AcquireError, FetchError, RobotsRefusedError
from tamis.schema.document import Page
from tamis.settings import CrawlSettings, FetchSettings, ReadSettings
from tamis.store.nouns import PageRecord
from tamis.text import urls


class Notes(Protocol):
    """What numbering runs needs of a collection's writer."""

    def note(self, key: str, value: str) -> None:
        """Keep a small fact."""
        ...

    def noted(self, key: str) -> str:
        """The fact, empty when there is none."""
        ...


def page_of(response: Response, settings: ReadSettings, *, source: str = "crawl") -> Page:
    """Read a response; a single document is known by its canonical URL.

    Raises:
        UnreadableError: no reader knows the format, or there is no text in it.
    """
    return read(
        response.body,
        url=response.url,
        media_type=response.media_type,
        charset=response.charset,
        source=source,
        settings=settings,
        document_id=urls.canonical(response.url),
    )


def fetch_page(url: str, *, fetch: FetchSettings, reading: ReadSettings) -> Page:
    """Fetch and read one page.

    Raises:
        AcquireError: refused, not had, or not readable.
    """
    return page_of(fetch_once(url, fetch), reading)


def crawl_site(
    request: CrawlRequest,
    *,
    fetch: FetchSettings,
    settings: CrawlSettings,
    reading: ReadSettings,
    known: Mapping[str, PageRecord],
    run: int,
    summary: CrawlSummary | None = None,
    progress: Callable[[CrawlSummary], None] = lambda _: None,
    memory: BreakerMemory | None = None,
) -> Iterator[Crawled]:
    """Visit the pages of a site, one by one; fetching goes on while the caller works on a page.

    Args:
        request: what is asked for.
        fetch: limits and allowed hosts.
        settings: what the request leaves open.
        reading: limits of the readers.
        known: page records of the collection.
        run: from `open_run`.
        summary: filled in, when given.
        progress: called after every page, in the crawl's thread.
        memory: where the circuit breaker survives the process.

    Yields:
        Visited pages, as `tamis.acquire.crawl.crawl` does.

    Raises:
        UsageError: a number of the request is out of range.
        RefusedAddressError: the guard refuses the site.
        RobotsRefusedError: robots.txt left nothing to read; raised at the end.
        FetchError: nothing could be read for another reason; raised at the end.
    """
    summary = summary or CrawlSummary()
    visit = partial(
        crawl,
        request,
        read=lambda response: page_of(response, reading),
        known=known,
        settings=settings,
        run=run,
        summary=summary,
        progress=progress,
    )
    first: PageRecord | None = None
    fetcher = Fetcher(request.allowed(fetch), pace=request.over(settings), memory=memory)
    for crawled in iterate(lambda: _opened(visit, fetcher)):
        first = first or crawled.record
        yield crawled
    if first is not None and not summary.stored and not summary.vanished:
        raise _nothing_read(request.url, summary, first)


async def _opened(visit: Callable[..., AsyncIterator[Crawled]], fetcher: Fetcher) -> AsyncIterator[Crawled]:
    async with fetcher:
        async for crawled in visit(fetcher=fetcher):
            yield crawled


def _nothing_read(start: str, summary: CrawlSummary, first: PageRecord) -> AcquireError:
    reason = summary.problems[0][1] if summary.problems else first.reason
    message = f"no page of {start} could be stored: {reason}"
    if summary.refused and not summary.failed:
        return RobotsRefusedError(message, fix="Ask the site's owner, or ingest a copy you are allowed to read.")
    return FetchError(message, fix="Check the address; what an earlier crawl stored is kept.", status=first.status)


def open_run(notes: Notes, start: str, *, force: bool = False) -> int:
    """The number of the crawl that begins: that of an interrupted one from the same start, else the next.

    Args:
        notes: the collection's writer.
        start: the crawl's start page.
        force: begin anew whatever was interrupted.
    """
    opened = notes.noted(_open_key(start))
    if opened and not force:
        return int(opened)
    run = int(notes.noted("crawl.run") or 0) + 1
    notes.note("crawl.run", str(run))
    notes.note(_open_key(start), str(run))
    return run


def close_run(notes: Notes, start: str) -> None:
    """The crawl came to its end; the next one from this start looks at every page again."""
    notes.note(_open_key(start), "")


def _open_key(start: str) -> str:
    return f"crawl.open:{urls.canonical(start)}"
