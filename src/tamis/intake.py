"""The first half of both walks: acquire → digest → store.

One bad document never stops a run: what could not be read is named with its reason in the summary. What did not change is
not digested again. Everything put is durable at once; `finish` makes it one snapshot.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.acquire.files import find, iter_file
from tamis.digest.finish import finish
from tamis.errors import AcquireError
from tamis.schema.document import Document
from tamis.schema.progress import Progress

if TYPE_CHECKING:
    from tamis.digest.digest import Digester
    from tamis.models.protocols import Embedder
    from tamis.settings import Settings
    from tamis.store.protocols import CollectionWriter


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


def _documents(paths: Sequence[Path], settings: Settings, summary: IngestSummary, progress: Progress) -> Iterator[Document]:
    for path in find(paths, problems=summary.skipped):
        try:
            for page in iter_file(path, settings.read):
                summary.skipped.extend((str(path), problem) for problem in page.problems)
                yield from page.documents
            summary.files += 1
        except AcquireError as error:
            summary.skipped.append((str(path), error.message))
        progress.advance(0, path.name)


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
        if known == document.sha256:
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
    embedder: Embedder,
    settings: Settings,
    progress: Progress,
) -> IngestSummary:
    """Read files and folders into a collection."""
    started = time.perf_counter()
    summary = IngestSummary()
    progress.stage("reading and embedding")
    fresh = _fresh(_documents(paths, settings, summary, progress), writer, summary)
    for stored in digester.digest_many(fresh):
        writer.put(stored)
        summary.chunks += len(stored.chunks)
        progress.advance(1, stored.document.title or stored.document.document_id)
    progress.stage("indexing")
    finish(writer, embedder, settings)
    progress.done()
    summary.seconds = time.perf_counter() - started
    return summary
