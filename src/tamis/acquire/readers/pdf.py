"""PDF: pages in order, anchors ``page=N``, line breaks and running heads undone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from tamis.acquire.readers.base import Body, make_document, one_line
from tamis.errors import UnreadableError
from tamis.schema.document import Anchor, Page
from tamis.text.encoding import clean

_HYPHENS = "-\u00ad\u2010"
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st"})
# pdfium marks a hyphen at a line's end with U+FFFE or U+0002.
_BROKEN_WORD = re.compile("(?<=[^\\W\\d_])[\ufffe\x02]\\s*(?=[a-zß-öø-ÿ])")
_LINE_HYPHEN = re.compile("[\ufffe\x02]")
_NUMBERS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"^(?:page\s+)?[\divxlc]{1,6}(?:\s*(?:/|of)\s*\d+)?$", re.IGNORECASE)
_DATE = re.compile(r"^D:(\d{4})(\d{2})?(\d{2})?")
_JUNK_TITLE = re.compile(
    r"^(?:untitled|microsoft word\b.*|document\d*|.*\.(?:docx?|pdf|tex|indd|dvi|qxd|ps|rtf)|\W*)$", re.IGNORECASE
)
_BULLET = re.compile(r"^[•▪◦‣●○■□–]\s+")
_MOST_BROKEN = 100
"""Pages in a row that cannot be opened, after which a document is taken to have lied about their number."""
_EDGE_LINES = 2
_LEAST_PAGES = 3
_REPEATED = 0.5
_SHORT_LINE = 0.6
"""A line shorter than this share of the page's usual line may be a heading."""


class PdfReader:
    """Text of a PDF as pdfium orders it; no recognition of scanned pages."""

    media_types = frozenset({"application/pdf", "application/x-pdf"})
    extensions = frozenset({".pdf"})

    def read(self, body: Body) -> Page:
        """Read the text layer."""
        import pypdfium2

        try:
            document = pypdfium2.PdfDocument(body.data)
        except pypdfium2.PdfiumError as error:
            raise UnreadableError(f"{body.url}: {_reason(str(error))}") from error
        try:
            pages, problems = _page_lines(document)
            about = document.get_metadata_dict(skip_empty=True)
        finally:
            document.close()
        text, anchors = _text(pages)
        if not text:
            reason = "holds no text (scanned?)" if pages else "has no pages that can be opened"
            raise UnreadableError(f"{body.url}: {reason}", fix="run text recognition on it first")
        title = _title(one_line(about.get("Title", "")), pages)
        made = make_document(
            body,
            text,
            title=title,
            media_type="application/pdf",
            published=_day(about.get("CreationDate", "")),
            author=one_line(about.get("Author", "")),
            keywords=tuple(re.split(r"[,;]", about.get("Keywords", ""))),
            anchors=anchors,
            metadata={"pages": str(len(pages))},
        )
        return Page((made,), problems=tuple(problems))


def _reason(message: str) -> str:
    return "needs a password" if "password" in message.lower() else f"is not a readable PDF ({message})"


def _page_lines(document: Any) -> tuple[list[list[str]], list[str]]:  # noqa: ANN401 - pypdfium2 ships no types
    """The lines of every page; a page that cannot be opened is empty and reported."""
    import pypdfium2

    pages: list[list[str]] = []
    problems: list[str] = []
    broken = 0
    for number in range(len(document)):
        try:
            page = document[number]
            text_page = page.get_textpage()
            raw = text_page.get_text_bounded() if text_page.count_chars() else ""
            text_page.close()
            page.close()
        except pypdfium2.PdfiumError as error:
            problems.append(f"page {number + 1}: {error}")
            broken += 1
            if broken >= _MOST_BROKEN:
                problems.append(f"pages from {number + 2} on: left out, {broken} before could not be opened")
                break
            raw = ""
        else:
            broken = 0
        raw = _LINE_HYPHEN.sub("-", _BROKEN_WORD.sub("", raw.translate(_LIGATURES)))
        pages.append([" ".join(line.split()) for line in clean(raw).split("\n")])
    return _without_running_lines(pages), problems


def _shape(line: str) -> str:
    return _NUMBERS.sub("#", line).casefold()


def _edges(lines: Sequence[str]) -> list[int]:
    filled = [at for at, line in enumerate(lines) if line]
    return sorted({*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:]})


def _without_running_lines(pages: list[list[str]]) -> list[list[str]]:
    """Remove page numbers, and heads and feet that most pages repeat."""
    if len(pages) < _LEAST_PAGES:
        return pages
    counts = Counter(shape for lines in pages for shape in {_shape(lines[at]) for at in _edges(lines)})
    often = {shape for shape, count in counts.items() if count >= max(_LEAST_PAGES, _REPEATED * len(pages))}
    cleaned: list[list[str]] = []
    for lines in pages:
        drop = {at for at in _edges(lines) if _shape(lines[at]) in often or _PAGE_NUMBER.match(lines[at])}
        cleaned.append([line for at, line in enumerate(lines) if at not in drop])
    return cleaned


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Lines joined to paragraphs; blank lines, bullets, lines set alone and short ends of sentences divide them."""
    widths = sorted(len(line) for line in lines if line)
    usual = widths[int(0.8 * (len(widths) - 1))] if widths else 0
    found: list[str] = []
    current = ""
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        bullet = _BULLET.match(line)
        if bullet or not line:
            if current:
                found.append(current)
            current = f"- {line[bullet.end() :]}" if bullet else ""
            continue
        alone = not current and _stands_alone(line, following, usual)
        current = _joined(current, line) if current else line
        ends = line.endswith((".", "!", "?", ":", "。", "”")) and len(line) < 0.9 * usual
        if ends or alone:
            found.append(current)
            current = ""
    if current:
        found.append(current)
    return found


def _stands_alone(line: str, following: str, usual: int) -> bool:
    """Whether a short line is a heading or an entry of its own: what follows begins anew."""
    short = len(line) < _SHORT_LINE * usual and not line.endswith((",", "-", ";"))
    return short and not line[:1].islower() and not following[:1].islower()


def _joined(before: str, line: str) -> str:
    """Two lines as one; a word broken by a hyphen becomes whole again."""
    if before[-1] in _HYPHENS and before[-2:-1].isalpha() and line[0].islower():
        return before[:-1] + line
    return f"{before}{'' if before.endswith('-') else ' '}{line}"


def _text(pages: Sequence[Sequence[str]]) -> tuple[str, tuple[Anchor, ...]]:
    """The text of all pages with an anchor where each begins; a paragraph may run over a page's end."""
    parts: list[str] = []
    anchors: list[Anchor] = []
    offset = 0
    for number, lines in enumerate(pages, start=1):
        paragraphs = _paragraphs(lines)
        if not paragraphs:
            continue
        block = "\n\n".join(paragraphs)
        gap = ""
        if parts:
            last = parts[-1]
            runs_on = last[-1].isalpha() and last[-1].islower() and block[0].islower()
            gap = " " if runs_on else "\n\n"
        offset += len(gap)
        anchors.append(Anchor(offset, f"page={number}"))
        parts.extend((gap, block) if gap else (block,))
        offset += len(block)
    return "".join(parts), tuple(anchors)


def _title(declared: str, pages: Sequence[Sequence[str]]) -> str:
    if declared and not _JUNK_TITLE.match(declared):
        return declared
    lines = next(([line for line in page if line] for page in pages if any(page)), [])
    first = lines[0] if lines else ""
    return first if 3 < len(first) <= 150 else ""


def _day(value: str) -> str | None:
    match = _DATE.match(value)
    if match is None:
        return None
    year, month, day = match.groups()
    if not "1970" <= year <= "2100":
        return None
    return "-".join(part for part in (year, month, day if month else None) if part)


READER = PdfReader()
