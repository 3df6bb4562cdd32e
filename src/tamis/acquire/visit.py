"""What a visit to a page came to: from an answer (or its failure) and what was known before, to a record."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from tamis.acquire.frontier import Entry, Scope, same_site
from tamis.acquire.response import Response
from tamis.errors import AcquireError, FetchError
from tamis.schema.document import Page
from tamis.store.nouns import PageRecord, PageState
from tamis.text import urls
from tamis.text.fingerprints import document_digest

_GONE = frozenset({404, 410})
_READABLE = frozenset(
    """
    application/xhtml+xml application/pdf application/x-pdf application/epub+zip
    application/vnd.openxmlformats-officedocument.wordprocessingml.document
    application/json application/jsonl application/x-ndjson
    """.split()
)
_NOT_READABLE = frozenset({"text/css", "text/javascript", "text/ecmascript", "text/calendar", "text/vcard"})
_READABLE_NAMES = (".pdf", ".epub", ".docx", ".md", ".txt", ".html", ".htm", ".csv", ".jsonl")


@dataclass(frozen=True, slots=True)
class Visit:
    """The outcome of one visit.

    Attributes:
        record: what is remembered of the page.
        page: what was read, where something is to be stored.
        unchanged: the stored document still stands.
        stands_for: the URL that holds this page's content instead: a redirect's target or the canonical link.
        canonical: ``stands_for`` was declared by the page, not answered by the server.
    """

    record: PageRecord
    page: Page | None = None
    unchanged: bool = False
    stands_for: str = ""
    canonical: bool = False


def readable(response: Response) -> bool:
    """Whether a response is of a kind that holds text."""
    kind = response.media_type
    if kind in ("", "application/octet-stream"):
        return not kind or urls.path(response.url).lower().endswith(_READABLE_NAMES)
    return (kind.startswith("text/") and kind not in _NOT_READABLE) or kind in _READABLE


def digest(page: Page) -> str:
    """Hex SHA-256 of what was read in a page: of its document, or of its documents' digests in order."""
    digests = [document_digest(document) for document in page.documents]
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


class Judge:
    """Judges visits of one run.

    Args:
        scope: of the crawl.
        run: its number.
        max_links: links of one page that are looked at.
        force: nothing counts as unchanged.
    """

    def __init__(self, scope: Scope, run: int, *, max_links: int, force: bool) -> None:
        self._scope = scope
        self._max_links = max_links
        self._run = run
        self._force = force

    def failure(
        self, entry: Entry, old: PageRecord | None, error: AcquireError, *, state: PageState = "failed", status: int = 0
    ) -> Visit:
        """Not had, not readable or not allowed. What is known of the page stays, so that a later run can go on."""
        told = error.status if isinstance(error, FetchError) else None
        return Visit(replace(self._base(entry, old), state=state, status=told or status, reason=error.message))

    def answer(self, entry: Entry, old: PageRecord | None, response: Response) -> Visit | None:
        """Judge by status and headers.

        Returns:
            None where the body has to be read.
        """
        base = replace(self._base(entry, old), status=response.status)
        if response.redirected:
            return self._redirect(entry, base, response)
        if response.status == 304 and old is not None:
            state: PageState = "done" if old.document_id else "skipped"
            fresh = replace(base, state=state, reason="" if old.document_id else old.reason)
            etag, modified = response.etag or old.etag, response.last_modified or old.last_modified
            return Visit(replace(fresh, etag=etag, last_modified=modified), unchanged=True)
        if response.status in _GONE and old is not None and old.document_id:
            return Visit(replace(base, state="vanished", reason=f"answered {response.status}", links=()))
        if not response.ok:
            return Visit(replace(base, state="failed", reason=f"answered {response.status}"))
        if response.unwanted:
            return Visit(
                replace(base, state="skipped", reason=f"{response.media_type} holds no text to read", links=())
            )
        return None

    def page(self, entry: Entry, old: PageRecord | None, response: Response, page: Page) -> Visit:
        """Judge by what was read."""
        directives = page.robots | _header_directives(response)
        follows = directives.isdisjoint({"nofollow", "none"})
        links = same_site((link.url for link in page.links), self._scope, self._max_links) if follows else ()
        base = replace(
            self._base(entry, old),
            status=response.status,
            etag=response.etag,
            last_modified=response.last_modified,
            links=links,
        )
        stands_for = self._canonical(entry, response, page)
        if stands_for:
            record = _skipped(base, f"its canonical page is {stands_for}", links)
            return Visit(record, stands_for=stands_for, canonical=True)
        if not directives.isdisjoint({"noindex", "none"}):
            return Visit(_skipped(base, "the page asks not to be indexed", links))
        if not self._scope.stores(entry.url):
            return Visit(_skipped(base, "outside the include and exclude globs", links))
        if not page.documents:
            return Visit(_skipped(base, "no main text", links))
        sha256 = digest(page)
        done = replace(base, state="done", sha256=sha256, document_id=page.documents[0].document_id)
        if not self._force and old is not None and old.document_id and old.sha256 == sha256:
            return Visit(replace(done, document_id=old.document_id), unchanged=True)
        return Visit(done, page)

    def repeat(self, visit: Visit) -> Visit:
        """A folder and its index page with the same content: the one that came later is not stored."""
        reason = "the same page as its folder or index page"
        return Visit(replace(visit.record, state="skipped", document_id="", reason=reason))

    def _base(self, entry: Entry, old: PageRecord | None) -> PageRecord:
        kept = old if old is not None else PageRecord(entry.key, "queued", entry.depth)
        return replace(kept, depth=entry.depth, seen=self._run, reason="")

    def _redirect(self, entry: Entry, base: PageRecord, response: Response) -> Visit:
        target = response.location
        if not target:
            named = urls.shown(response.headers.get("location", ""))
            reason = f"redirects to {named!r}, which cannot be fetched"
            return Visit(replace(base, state="failed", reason=reason, links=()))
        if not self._scope.near(target) and entry.depth > 0:
            return Visit(_skipped(base, f"redirects to another site: {target}", ()))
        return Visit(_skipped(base, f"redirects to {target}", ()), stands_for=target)

    def _canonical(self, entry: Entry, response: Response, page: Page) -> str:
        """The page's canonical link, where it names another page of the site that may stand for it."""
        declared = urls.join(response.url, page.canonical_url) if page.canonical_url else ""
        if not declared or entry.alone or not self._scope.near(declared) or urls.canonical(declared) == entry.key:
            return ""
        # Sites that name their front page as canonical everywhere do not mean it.
        at_root = urls.path(declared) == "/" and not urls.path(entry.url).startswith("/index.")
        return "" if at_root and urls.path(entry.url) != "/" else declared


def _skipped(base: PageRecord, reason: str, links: tuple[str, ...]) -> PageRecord:
    return replace(base, state="skipped", reason=reason, links=links, document_id="", sha256="")


def _header_directives(response: Response) -> frozenset[str]:
    """Directives of X-Robots-Tag that are not addressed to another robot by name."""
    parts = response.headers.get("x-robots-tag", "").lower().split(",")
    return frozenset(part.strip() for part in parts if ":" not in part)
