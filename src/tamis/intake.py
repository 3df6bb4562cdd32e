"""The first half of both walks: acquire → digest → store.

One bad document never stops a run: what could not be read is named with its reason in the summary. What did not change
is not digested again. Everything put is durable at once; `finish` makes it one snapshot.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.acquire.crawl import Crawled, CrawlSummary
from tamis.acquire.files import find, iter_file, read_file
from tamis.acquire.opening import shown
from tamis.acquire.request import CrawlRequest
from tamis.acquire.site import close_run, crawl_site, fetch_page, open_run
from tamis.digest.finish import finish
from tamis.errors import AcquireError, UsageError
from tamis.schema.document import Document, Page
from tamis.schema.progress import Progress
from tamis.store.nouns import PageRecord
from tamis.text import urls
from tamis.text.fingerprints import document_digest

if TYPE_CHECKING:
    from tamis.acquire.breaker import BreakerMemory
    from tamis.digest.digest import Digester
    from tamis.settings import Settings
    from tamis.store.protocols import CollectionWriter

_RECORDS_AT_ONCE = 20
"""Records of unchanged or failed pages are stored in batches: losing one costs a conditional request."""


@dataclass(slots=True)
class IngestSummary:
    """What an ingest did.

    Attributes:
        files: files read.
        read: documents found in them.
        new: documents that were not there before.
        changed: documents whose content differs from what was stored.
        unchanged: documents left as they were.
        chunks: passages written.
        skipped: (file or row, reason).
        seconds: wall time.
    """

    files: int = 0
    read: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    chunks: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0


def _documents(
    paths: Sequence[Path], settings: Settings, summary: IngestSummary, progress: Progress
) -> Iterator[Document]:
    for path in find(paths, problems=summary.skipped):
        try:
            for page in iter_file(path, settings.read):
                summary.skipped.extend((str(path), problem) for problem in page.problems)
                yield from page.documents
            summary.files += 1
        except AcquireError as error:
            summary.skipped.append((str(path), _reason(error, path.path)))
        progress.advance(0, path.name)


def _reason(error: AcquireError, path: Path) -> str:
    """The reason alone: the path is named beside it."""
    return error.message.removeprefix(f"{path.absolute().as_uri()}: ").removeprefix(f"{shown(path)}: ")


def _fresh(documents: Iterable[Document], writer: CollectionWriter, summary: IngestSummary) -> Iterator[Document]:
    """Those that are new or changed."""
    seen: set[str] = set()
    for document in documents:
        summary.read += 1
        if document.document_id in seen:
            summary.skipped.append((document.document_id, "the same id came before in this run; the first one is kept"))
            continue
        seen.add(document.document_id)
        known = writer.digest_of(document.document_id)
        if known == document_digest(document):
            summary.unchanged += 1
            continue
        summary.changed += bool(known)
        summary.new += not known
        yield document


def ingest(
    paths: Sequence[Path],
    *,
    writer: CollectionWriter,
    digester: Digester,
    settings: Settings,
    progress: Progress,
) -> IngestSummary:
    """Read files and folders into a collection.

    Raises:
        UsageError: there were files, and none of them could be read.
    """
    started = time.perf_counter()
    summary = IngestSummary()
    progress.stage("reading and embedding")
    fresh = _fresh(_documents(paths, settings, summary, progress), writer, summary)
    for stored in digester.digest_many(fresh, progress):
        writer.put(stored)
        summary.chunks += len(stored.chunks)
        progress.advance(1, stored.document.title or stored.document.document_id)
    if summary.skipped and not summary.read:
        path, reason = summary.skipped[0]
        raise UsageError(
            f"nothing could be read: {len(summary.skipped)} skipped, the first of them {path}: {reason}",
            fix="`tamis page FILE` shows what is read in a file",
        )
    progress.stage("indexing")
    finish(writer, digester.embedder, settings)
    progress.done()
    summary.seconds = time.perf_counter() - started
    return summary


def crawl(
    request: CrawlRequest,
    *,
    writer: CollectionWriter,
    digester: Digester,
    settings: Settings,
    breaker: BreakerMemory,
    progress: Progress,
) -> CrawlSummary:
    """Read a site into a collection."""
    summary = CrawlSummary()
    run = open_run(writer, request.url, force=request.force)
    progress.stage("crawling", request.over(settings.crawl).max_pages)
    found = crawl_site(
        request,
        fetch=settings.fetch,
        settings=settings.crawl,
        reading=settings.read,
        known=writer.pages(),
        run=run,
        summary=summary,
        memory=breaker,
    )
    _keep(found, writer, digester, progress)
    progress.stage("indexing")
    finish(writer, digester.embedder, settings)
    if summary.complete:
        close_run(writer, request.url)
    progress.done()
    return summary


def _keep(found: Iterator[Crawled], writer: CollectionWriter, digester: Digester, progress: Progress) -> None:
    """Digest and store what was crawled, in order; a page's record is stored together with its last document."""
    records: dict[str, PageRecord] = {}
    settled: list[PageRecord] = []

    def documents() -> Iterator[Document]:
        for crawled in found:
            progress.advance(1, crawled.record.url)
            if crawled.forget:
                writer.forget(crawled.forget, None if crawled.page else crawled.record)
            if crawled.page is None or not crawled.page.documents:
                settled.append(crawled.record)
                if len(settled) >= _RECORDS_AT_ONCE:
                    writer.put_pages(settled)
                    settled.clear()
                continue
            records[crawled.page.documents[-1].document_id] = crawled.record
            yield from crawled.page.documents

    for stored in digester.digest_many(documents(), progress):
        writer.put(stored, records.pop(stored.document.document_id, None))
    writer.put_pages(settled)


def read_one(target: str, settings: Settings, *, allow_hosts: Sequence[str] = ()) -> Page:
    """Read one page or file.

    Raises:
        AcquireError: it cannot be had or read.
        UsageError: neither a web address nor a file.
    """
    if not urls.is_web(target):
        path = Path(target)
        if not path.exists() or path.is_dir():
            raise UsageError(
                f"no such file: {urls.shown(target)}", fix="check the path; an address begins with https://"
            )
        return read_file(path, settings.read)
    fetch = settings.fetch.model_copy(update={"allow_hosts": (*settings.fetch.allow_hosts, *allow_hosts)})
    return fetch_page(target, fetch=fetch, reading=settings.read)
