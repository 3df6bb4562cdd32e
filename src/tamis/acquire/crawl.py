"""Crawling a site: breadth first, every page once, exact limits, and only what changed the next time (N1, N2).

Pages are fetched ahead, up to the concurrency, but handed out in the order of the frontier, so that the same site gives
the same crawl. What is handed out and stored is all the state there is: a crawl that dies is resumed by crawling again
with the same run number and the records stored so far.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

from tamis.acquire.fetch import Fetcher
from tamis.acquire.frontier import Entry, Frontier, Scope, as_globs, holds_no_text, same_site
from tamis.acquire.outcome import Crawled, CrawlSummary
from tamis.acquire.request import CrawlRequest
from tamis.acquire.response import Response
from tamis.acquire.robots import Robots, fetch_robots
from tamis.acquire.sitemap import sitemap_urls
from tamis.acquire.traps import Visits
from tamis.acquire.visit import Judge, Visit, readable
from tamis.errors import AcquireError, FetchError, RefusedAddressError, RobotsRefusedError
from tamis.schema.document import Page
from tamis.settings import CrawlSettings
from tamis.store.nouns import PageRecord
from tamis.text import urls

Read = Callable[[Response], Page]
"""Makes a page of a response; raises `AcquireError` where it cannot."""

_FEWEST_VISITS = 100
"""Visits every crawl may make, whatever its page limit: redirects and missing pages store nothing."""
_SITEMAP_FACTOR = 10
"""Sitemap entries looked at, for each page that may be stored: enough to survive filters, not a whole newspaper."""


async def crawl(
    request: CrawlRequest,
    *,
    fetcher: Fetcher,
    read: Read,
    known: Mapping[str, PageRecord],
    settings: CrawlSettings,
    run: int = 1,
    summary: CrawlSummary | None = None,
    progress: Callable[[CrawlSummary], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[Crawled]:
    """Visit the pages of a site.

    Args:
        request: what is asked for.
        fetcher: open; paces and guards every request, and has the last word on the hosts allowed.
        read: turns a response into a page; runs outside the event loop, one page at a time.
        known: records of earlier runs by canonical URL. Those with ``seen == run`` and state "done" are taken as done.
        settings: what the request leaves open.
        run: number of this run, the same again to resume it.
        summary: filled in, when given.
        progress: called after every page with the summary.
        clock: monotonic seconds.

    Yields:
        Every visited page, in the order of the frontier. Store it before asking for the next one.

    Raises:
        UsageError: a number of the request is out of range.
        RefusedAddressError: the guard refuses the site.
    """
    start, settings = request.url, request.over(settings)
    scope = Scope(urls.site(start), settings.depth, as_globs(request.include), as_globs(request.exclude))
    work = _Crawl(fetcher, read, known, settings, scope, run, request.force, summary or CrawlSummary())
    began = clock()
    try:
        async for crawled in work.pages(urls.normalise(start)):
            work.summary.seconds = clock() - began
            work.summary.url = crawled.record.url
            progress(work.summary)
            yield crawled
    finally:
        work.summary.seconds = clock() - began
        await work.close()


class _Crawl:
    """The state of one running crawl."""

    def __init__(
        self,
        fetcher: Fetcher,
        read: Read,
        known: Mapping[str, PageRecord],
        settings: CrawlSettings,
        scope: Scope,
        run: int,
        force: bool,
        summary: CrawlSummary,
    ) -> None:
        self.summary = summary
        self._fetcher = fetcher
        self._read = read
        self._known = known
        self._settings = settings
        self._scope = scope
        self._run = run
        self._force = force
        self._judge = self._judge_of(scope)
        self._visits = Visits(settings.visits_per_page * settings.max_pages + _FEWEST_VISITS)
        self._frontier = Frontier(self._visits.limit)
        self._robots = Robots("")
        self._ahead: deque[tuple[Entry, asyncio.Task[Response] | None]] = deque()
        # Pages set aside for the page they name as canonical, by its key, until that one proves to be there.
        self._set_aside: dict[str, list[Entry]] = {}
        self._records: dict[str, PageRecord] = {}

    def _judge_of(self, scope: Scope) -> Judge:
        return Judge(scope, self._run, max_links=self._settings.max_links, force=self._force)

    async def close(self) -> None:
        """Stop what is still under way."""
        tasks = [task for _, task in self._ahead if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._ahead.clear()

    async def pages(self, start: str) -> AsyncIterator[Crawled]:
        """Everything from the start page on, then the known pages that nothing leads to any more."""
        await self._enter(start)
        self._frontier.add(Entry(start, 0))
        async for crawled in self._drain():
            yield crawled
        if not self.summary.limited and not self.summary.stopped:
            self._add_unlinked()
            async for crawled in self._drain():
                yield crawled
        self.summary.complete = not self.summary.stopped
        if self.summary.limited:
            turned_away = self._frontier.turned_away
            self.summary.notes.extend(self._visits.notes(stored=self.summary.stored, turned_away=turned_away))

    async def _drain(self) -> AsyncIterator[Crawled]:
        """Visit until the frontier is empty, the limit reached or the site no longer answers."""
        while True:
            self._fetch_ahead()
            if not self._ahead:
                self.summary.limited = len(self._frontier) > 0 or self._frontier.turned_away > 0
                return
            entry, task = self._ahead.popleft()
            if task is None:
                self._resume(entry)
                continue
            visit = await self._visited(entry, task)
            await self._follow(entry, visit)
            self._count(entry, visit)
            yield Crawled(visit.record, visit.page, visit.unchanged, self._forgotten(visit))
            silent = self._robots.unreadable or self._fetcher.breaker.is_open(self._scope.site)
            if visit.record.state == "failed" and silent:
                self.summary.stopped = visit.record.reason
                return

    def _fetch_ahead(self) -> None:
        """Start requests up to the concurrency, but never more than pages may still be stored."""
        room = min(self._settings.concurrency, self._settings.max_pages - self.summary.stored)
        while len(self._ahead) < room and len(self._frontier) and self._visits.left > 0:
            entry = self._frontier.take()
            old = self._known.get(entry.key)
            done = old is not None and old.state == "done" and old.seen == self._run
            if not done:
                self._visits.add(entry.url)
            self._ahead.append((entry, None if done else asyncio.create_task(self._fetch(entry, old))))

    async def _fetch(self, entry: Entry, old: PageRecord | None) -> Response:
        if self._robots.unreadable:
            raise FetchError(self._robots.unreadable)
        if not self._robots.allows(entry.url):
            raise RobotsRefusedError(self._robots.reason)
        ask = (
            not self._force
            and old is not None
            and (old.document_id != "" or self._repeats(entry.key, old, self._known))
        )
        self.summary.fetched += 1
        return await self._fetcher.get(
            entry.url,
            etag=old.etag if old is not None and ask else "",
            last_modified=old.last_modified if old is not None and ask else "",
            wanted=readable,
            # Another spelling of the same page is the same page; anything else has its own place in the frontier.
            follow=self._same_page,
        )

    def _same_page(self, source: str, target: str) -> bool:
        return urls.canonical(source) == urls.canonical(target) and self._robots.allows(target)

    async def _visited(self, entry: Entry, task: asyncio.Task[Response]) -> Visit:
        old = self._known.get(entry.key)
        try:
            visit = await self._judged(entry, old, await task)
            if visit.record.state == "skipped" and visit.unchanged and not self._repeats(entry.key, old, self._records):
                visit = await self._judged(entry, None, await self._fetch(entry, None))
        except RobotsRefusedError as error:
            return self._judge.failure(entry, old, error, state="refused")
        except RefusedAddressError as error:
            if entry.depth == 0:
                raise
            return self._judge.failure(entry, old, error)
        except AcquireError as error:
            return self._judge.failure(entry, old, error)
        if visit.record.state == "done" and self._repeats(entry.key, visit.record, self._records):
            return self._judge.repeat(visit)
        return visit

    async def _judged(self, entry: Entry, old: PageRecord | None, response: Response) -> Visit:
        visit = self._judge.answer(entry, old, response)
        if visit is None:
            try:
                page = await asyncio.to_thread(self._read, response)
            except AcquireError as error:
                return self._judge.failure(entry, old, error, status=response.status)
            visit = self._judge.page(entry, old, response, page)
        return visit

    def _repeats(self, key: str, record: PageRecord | None, among: Mapping[str, PageRecord]) -> bool:
        """Whether a folder and its index page, of which this is one, are both there with the same content."""
        if record is None or not record.sha256:
            return False
        found = (among.get(twin) for twin in urls.twins(key))
        return any(twin is not None and twin.state == "done" and twin.sha256 == record.sha256 for twin in found)

    async def _follow(self, entry: Entry, visit: Visit) -> None:
        """Queue what the visit leads to."""
        record = visit.record
        # Without its links: those of all pages together can be more than fits into memory.
        self._records[entry.key] = replace(record, links=())
        if visit.stands_for:
            await self._defer(entry, visit)
        if entry.leads_on:
            self._queue(record.links, entry)
        if record.state in ("failed", "refused", "vanished"):
            for waiting in self._set_aside.pop(entry.key, []):
                self._frontier.again(replace(waiting, alone=True))
        if entry.depth == 0 and not visit.stands_for and record.state in ("done", "skipped"):
            await self._add_sitemaps(entry.url)

    async def _defer(self, entry: Entry, visit: Visit) -> None:
        """Queue the page that holds this one's content, on the same level."""
        target = Entry(visit.stands_for, entry.depth, entry.hops + 1, leads_on=entry.leads_on)
        if not self._scope.near(target.url):
            await self._enter(target.url)
        if visit.canonical:
            known = self._records.get(target.key)
            if known is not None and known.state in ("failed", "refused", "vanished"):
                self._frontier.again(replace(entry, alone=True))
                return
            self._set_aside.setdefault(target.key, []).append(entry)
        if target.hops <= self._fetcher.settings.max_redirects:
            self._frontier.add(target)

    def _queue(self, links: Sequence[str], page: Entry) -> None:
        depth = page.depth + 1
        if depth > self._settings.depth:
            return
        for link in links:
            if not self._scope.stores(link) or self._frontier.knows(urls.canonical(link)):
                continue
            if holds_no_text(link):
                self._frontier.pass_over(link)
                self.summary.skip(link, "its name says that it holds no text")
            else:
                self._frontier.add(Entry(link, depth, linked_from=page.url))

    def _resume(self, entry: Entry) -> None:
        """A page that this run stored before it was interrupted."""
        record = self._known[entry.key]
        self._records[entry.key] = replace(record, links=())
        self.summary.unchanged += 1
        if entry.leads_on:
            self._queue(record.links, entry)

    async def _enter(self, url: str) -> None:
        """Make the site of a URL the site of the crawl."""
        if self._force:
            self._fetcher.breaker.succeeded(urls.site(url))
        self._scope = replace(self._scope, site=urls.site(url))
        self._judge = self._judge_of(self._scope)
        self._robots = await fetch_robots(url, self._fetcher)
        self._fetcher.pacer.ask(urls.host(url), self._robots.delay_seconds)

    async def _add_sitemaps(self, start: str) -> None:
        """Queue what the sitemaps list, as if the start page linked to it."""
        if self._settings.sitemap and self._settings.depth > 0:
            found = await sitemap_urls(
                start,
                self._fetcher,
                self._robots,
                limit=_SITEMAP_FACTOR * self._settings.max_pages,
                seconds=self._settings.sitemap_seconds,
                notes=self.summary.notes,
            )
            self._queue(same_site(found, self._scope, len(found)), Entry(start, 0))

    def _add_unlinked(self) -> None:
        """Queue stored pages that nothing led to: they are gone only if the site says so when asked."""
        for key in sorted(self._known):
            record = self._known[key]
            inside = self._scope.near(key) and self._scope.stores(key) and record.depth <= self._settings.depth
            if record.state == "done" and record.seen != self._run and inside:
                self._frontier.add(Entry(key, record.depth, leads_on=False))

    def _forgotten(self, visit: Visit) -> str:
        known = self._known.get(visit.record.url)
        return known.document_id if known is not None and visit.record.state == "skipped" else ""

    def _count(self, entry: Entry, visit: Visit) -> None:
        record = visit.record
        known = self._known.get(record.url)
        if record.state == "done":
            kind = "unchanged" if visit.unchanged else "changed" if known and known.document_id else "new"
        elif record.state == "vanished":
            kind = "failed" if known and known.state == "vanished" else "vanished"
        else:
            kind = record.state
        if kind == "skipped":
            self.summary.skip(record.url, record.reason)
            return
        setattr(self.summary, kind, getattr(self.summary, kind) + 1)
        if kind in ("failed", "refused", "vanished"):
            origin = f", linked from {entry.linked_from}" if entry.linked_from else ""
            self.summary.problems.append((record.url, record.reason + origin))
