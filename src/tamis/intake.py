"""The first half of both walks: acquire → digest → store.

One bad document never stops a run: what could not be read is named with its reason in the summary. What did not change
is not digested again. Everything put is durable at once; `finish` makes it one snapshot.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.acquire.files import Found, find, iter_file, read_file
from tamis.acquire.opening import shown
from tamis.acquire.origins import NOTE, Origins, below
from tamis.acquire.outcome import Crawled, CrawlSummary
from tamis.acquire.request import CrawlRequest
from tamis.acquire.site import close_run, crawl_site, fetch_page, open_run
from tamis.digest.finish import finish
from tamis.errors import AcquireError, UnknownNameError, UsageError
from tamis.schema.document import Document, Page
from tamis.schema.progress import Progress
from tamis.store.nouns import PageRecord
from tamis.text import urls
from tamis.text.fingerprints import document_digest

if TYPE_CHECKING:
    from tamis.acquire.breaker import BreakerMemory
    from tamis.digest.digest import Digester
    from tamis.models.protocols import Embedder
    from tamis.settings import ReadSettings, Settings
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
        removed: documents taken out, because their file or their row in it is gone.
        chunks: passages written.
        skipped: (file or row, reason).
        seconds: wall time.
    """

    files: int = 0
    read: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0


class _Reading:
    """The files of one run on their way into a collection.

    Args:
        files: to read, in order.
        writer: of the collection.
        origins: of what it holds.
        settings: of the readers.
        summary: filled in.
        progress: told of every file whose documents are all stored.
    """

    def __init__(
        self,
        files: Sequence[Found],
        writer: CollectionWriter,
        origins: Origins,
        settings: ReadSettings,
        summary: IngestSummary,
        progress: Progress,
    ) -> None:
        self._files = files
        self._writer = writer
        self._origins = origins
        self._settings = settings
        self._summary = summary
        self._progress = progress
        self._begun = 0
        self._stored = 0
        # Files that are read, each with the number of documents that have to be stored before it is done.
        self._behind: deque[tuple[int, str]] = deque()
        self.places = [origins.place(found.path) for found in files]
        self.whole: set[str] = set()
        self.ids: set[str] = set()
        self.rows: dict[str, str] = {}
        self.digests: set[str] = set()
        """Of the documents that are new."""

    def fresh(self) -> Iterator[Document]:
        """Documents that are new or changed."""
        among = frozenset(self.places)
        for found, place in zip(self._files, self.places, strict=True):
            sound = True
            try:
                for page in iter_file(found, self._settings):
                    self._summary.skipped.extend((str(found), problem) for problem in page.problems)
                    sound = sound and not page.problems
                    yield from (document for document in page.documents if self._taken(document, found, among))
                self._summary.files += 1
                if sound:
                    self.whole.add(place)
            except AcquireError as error:
                self._summary.skipped.append((str(found), _reason(error, found.path)))
            self._behind.append((self._begun, found.name))
            self._tell()

    def stored(self, document: Document) -> None:
        """One of them is in the collection."""
        self._stored += 1
        self._progress.advance(0, f"{document.title or document.document_id} (document {self._stored:,})")
        self._tell()

    def _tell(self) -> None:
        while self._behind and self._behind[0][0] <= self._stored:
            self._progress.advance(1, self._behind.popleft()[1])

    def _taken(self, document: Document, found: Found, among: Collection[str]) -> bool:
        """Whether a document has to be digested."""
        name, summary = document.document_id, self._summary
        summary.read += 1
        refusal = "the same id came before in this run; the first one is kept" if name in self.ids else ""
        refusal = refusal or self._origins.refusal(name, among)
        if refusal:
            summary.skipped.append((name, refusal))
            return False
        self.ids.add(name)
        uri = found.path.absolute().as_uri()
        elsewhere = document.url.partition("#")[0] != uri
        if elsewhere:
            self.rows[name] = uri
        known, digest = self._writer.digest_of(name), document_digest(document)
        if known == digest and (elsewhere or not self._origins.moved(name, found.path)):
            summary.unchanged += 1
            return False
        summary.changed += bool(known)
        summary.new += not known
        if not known:
            self.digests.add(digest)
        self._begun += 1
        return True


def _reason(error: AcquireError, path: Path) -> str:
    """The reason alone: the path is named beside it."""
    return error.message.removeprefix(f"{path.absolute().as_uri()}: ").removeprefix(f"{shown(path)}: ")


def ingest(
    paths: Sequence[Path],
    *,
    writer: CollectionWriter,
    digester: Digester,
    settings: Settings,
    progress: Progress,
    by_name: bool = False,
) -> IngestSummary:
    """Read files and folders into a collection, and take out what is gone from them.

    Args:
        paths: files and folders.
        writer: of the collection.
        digester: of the model in use.
        settings: sections ``read`` and those of `finish`.
        progress: listens.
        by_name: a file is told by its name alone, wherever it lies, and nothing is taken out: for another copy of what
            is in the collection.

    Raises:
        UsageError: there were files, and none of them could be read; nothing is taken out.
    """
    started = time.perf_counter()
    summary = IngestSummary()
    origins = Origins() if by_name else Origins(writer.locations(), writer.noted(NOTE))
    files = find(paths, problems=summary.skipped, origins=origins)
    progress.stage("reading and embedding files", len(files))
    reading = _Reading(files, writer, origins, settings.read, summary, progress)
    for stored in digester.digest_many(reading.fresh(), progress):
        writer.put(stored)
        summary.chunks += len(stored.chunks)
        reading.stored(stored.document)
    if summary.skipped and not summary.read:
        path, reason = summary.skipped[0]
        raise UsageError(
            f"nothing could be read: {len(summary.skipped)} skipped, the first of them {path}: {reason}",
            fix="`tamis page FILE` shows what is read in a file",
        )
    progress.stage("indexing")
    if not by_name:
        _take_out(paths, reading, writer, origins, summary)
    finish(writer, digester.embedder, settings)
    progress.done()
    summary.seconds = time.perf_counter() - started
    return summary


def _take_out(
    paths: Sequence[Path], reading: _Reading, writer: CollectionWriter, origins: Origins, summary: IngestSummary
) -> None:
    """Remove what is no longer in the files and folders that were read."""
    folders = [path for path in paths if path.is_dir()]
    # Where nothing is found at all, a disk may not be mounted.
    empty = [folder for folder in folders if not below(reading.places, folder)]
    summary.skipped.extend((shown(folder), "holds nothing to read; what came from there is kept") for folder in empty)
    gone = origins.vanished([folder for folder in folders if folder not in empty], reading.whole, reading.ids)
    # What was moved here from a place that was not searched is the same document, not a second one.
    left = [name for name in origins.lost(reading.ids) if writer.digest_of(name) in reading.digests]
    gone = sorted({*gone, *left})
    note = origins.note(reading.rows, reading.ids, frozenset(gone))
    for document_id in gone:
        writer.forget(document_id)
    # Only then: a run that dies before it still knows where the rest came from.
    if note != origins.noted:
        writer.note(NOTE, note)
    summary.removed = len(gone)


def forget(document_ids: Sequence[str], *, writer: CollectionWriter, embedder: Embedder, settings: Settings) -> int:
    """Remove single documents. What is read again comes back.

    Returns:
        How many.

    Raises:
        UnknownNameError: one of them is not there; then none is removed.
    """
    wanted = list(dict.fromkeys(document_ids))
    unknown = [document_id for document_id in wanted if not writer.digest_of(document_id)]
    if unknown:
        raise UnknownNameError(f"no document {unknown[0]!r}", fix=_nearest(unknown[0], writer))
    pages = {record.document_id: record for record in writer.pages().values() if record.document_id}
    with writer.together():
        for document_id in wanted:
            page = pages.get(document_id)
            # Without what it remembers of the page, the next crawl reads it again instead of finding it unchanged.
            writer.forget(
                document_id,
                page and replace(page, state="skipped", document_id="", sha256="", etag="", last_modified=""),
            )
    finish(writer, embedder, settings)
    return len(wanted)


def _nearest(document_id: str, writer: CollectionWriter) -> str:
    from rapidfuzz import fuzz, process

    ids = [found for found, _, _ in writer.locations()]
    near = [found[0] for found in process.extract(document_id, ids, scorer=fuzz.ratio, limit=3, score_cutoff=60)]
    return f"did you mean {', '.join(near)}?" if near else "`tamis search --json` prints the ids of documents"


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
        if path.is_dir():
            raise UsageError(
                f"{urls.shown(target)} is a folder",
                fix="name a file in it; `tamis ingest FOLDER --name N` reads a folder",
            )
        if not path.exists():
            if "://" in target:
                raise UsageError(
                    f"no web address: {urls.shown(target)}",
                    fix="an address is http:// or https:// and a host, as in https://example.org/page",
                )
            raise UsageError(
                f"no such file: {urls.shown(target)}", fix="check the path; an address begins with https://"
            )
        return read_file(path, settings.read)
    fetch = settings.fetch.model_copy(update={"allow_hosts": (*settings.fetch.allow_hosts, *allow_hosts)})
    return fetch_page(target, fetch=fetch, reading=settings.read)
