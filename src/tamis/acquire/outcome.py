"""What a crawl hands out, and what it says about itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from tamis.schema.document import Page
from tamis.store.nouns import PageRecord

_NAMED = 1_000
"""Skipped pages that are named."""


@dataclass(frozen=True, slots=True)
class Crawled:
    """One visited page.

    Attributes:
        record: to be stored, together with the page where there is one.
        page: what was read; None where nothing new is to be stored.
        unchanged: the stored document still stands.
        forget: id of a stored document whose page is no longer one of its own (now a redirect, a duplicate, or not to
            be indexed); empty when there is none. A vanished page keeps its document, hidden by its record.
    """

    record: PageRecord
    page: Page | None = None
    unchanged: bool = False
    forget: str = ""


@dataclass(slots=True)
class CrawlSummary:
    """What a crawl did. Filled in while it runs.

    Attributes:
        fetched: pages the site was asked for.
        new: stored for the first time.
        changed: stored anew.
        unchanged: found as they were stored, those of an earlier, interrupted part of the run included.
        vanished: stored once and now gone.
        failed: not had, for the reason in their record.
        refused: by robots.txt.
        skipped: not pages of their own (redirects, duplicates), not to be indexed, or nothing to read.
        seconds: so far.
        complete: everything in scope was visited, or the page limit reached; False when the crawl stopped before.
        limited: the page limit left pages unvisited.
        stopped: why it stopped before its end, empty when it did not.
        url: the page handed out last.
        problems: (URL, why) of pages that failed, vanished or were refused, in order.
        notes: limits that left something out, and what they were spent on.
        left_out: (URL, why) of the first skipped ones, in order.
    """

    fetched: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    vanished: int = 0
    failed: int = 0
    refused: int = 0
    skipped: int = 0
    seconds: float = 0.0
    complete: bool = False
    limited: bool = False
    stopped: str = ""
    url: str = ""
    problems: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def skip(self, url: str, reason: str) -> None:
        """Count a page that was skipped, and name it where not too many are."""
        self.skipped += 1
        if len(self.left_out) < _NAMED:
            self.left_out.append((url, reason))

    @property
    def stored(self) -> int:
        """Pages of this crawl that the collection now holds."""
        return self.new + self.changed + self.unchanged
