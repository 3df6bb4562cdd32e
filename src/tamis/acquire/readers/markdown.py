"""Markdown with optional YAML front matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from tamis.acquire.readers.base import Body, make_document, one_line
from tamis.acquire.readers.markup.tables import in_parts
from tamis.acquire.readers.text import tidy
from tamis.errors import UnreadableError
from tamis.schema.document import Anchor, Page
from tamis.text.encoding import clean, decode
from tamis.text.inline import without_comments
from tamis.text.language import language_code
from tamis.text.markdown import blocks

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]++(.+)$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_RULED = re.compile(r"\A[^\n]*+\n[ \t]*+(?:\|[ \t]*+)?:?-[-:| \t]*+\n")
_TARGET = r"\((?:[^()]{1,2000}+|\([^()]{0,500}+\)){0,4}+\)"
_INLINE = re.compile(rf"!\[[^\[\]]{{0,500}}+\]{_TARGET}|\[([^\[\]]{{0,500}}+)\]{_TARGET}|[`*]")
_SLUG_DROP = re.compile(r"[^\w\- ]")
_LONGEST_NUMBER = 1_000
"""Bits."""
_KNOWN = frozenset({"title", "date", "published", "author", "authors", "tags", "keywords", "lang", "language"})


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Split YAML front matter off; text that only looks like it stays text."""
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    from tamis.text import yamls

    try:
        data = yamls.load(match.group(1))
    except (yamls.YAMLError, ValueError, RecursionError):
        return {}, text
    if not isinstance(data, dict):
        return {}, text
    return {str(key).lower(): value for key, value in data.items() if _short(key)}, text[match.end() :]


def _short(value: object) -> bool:
    """Whether a value is no number of more digits than anyone writes; those take long to spell."""
    return not isinstance(value, int) or value.bit_length() < _LONGEST_NUMBER


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list):
        return tuple(str(part) for part in value if isinstance(part, str | int | float) and _short(part))
    return ()


def _day(value: object) -> str | None:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value.strip() if isinstance(value, str) and re.match(r"\d{4}(-\d{2}){0,2}", value.strip()) else None


def _fields(front: Mapping[str, Any]) -> dict[str, str]:
    rest = ((key, value) for key, value in front.items() if key not in _KNOWN and _short(value))
    return {key: one_line(str(value)) for key, value in rest if isinstance(value, str | int | float | bool | date)}


def _without_comments(text: str) -> str:
    """Remove HTML comments outside fenced code: a rendered page does not show them."""
    if "<!--" not in text:
        return text
    parts: list[str] = []
    fence = ""
    plain: list[str] = []
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if not fence and match:
            parts.append(without_comments("\n".join(plain)))
            fence, plain = match.group(1), [line]
            continue
        plain.append(line)
        if fence and match and match.group(1).startswith(fence):
            parts.append("\n".join(plain))
            fence, plain = "", []
    parts.append("\n".join(plain) if fence else without_comments("\n".join(plain)))
    return "\n".join(parts)


def _with_short_tables(text: str) -> str:
    parts: list[str] = []
    done = 0
    for block in blocks(text):
        if block.kind != "table":
            continue
        # From the start of its line, so that a table inside a list stays inside it.
        start = text.rfind("\n", 0, block.start) + 1
        start = start if not text[start : block.start].strip() else block.start
        table = text[start : block.end]
        if _RULED.match(table):
            parts += (text[done:start], in_parts(table))
            done = block.end
    return "".join((*parts, text[done:]))


def headings(text: str) -> list[tuple[int, int, str]]:
    """Headings outside fenced code.

    Returns:
        (character offset, level 1-6, plain text), in order.
    """
    found: list[tuple[int, int, str]] = []
    offset, fence, previous = 0, "", ""
    for line in text.split("\n"):
        opener = _FENCE.match(line)
        if fence:
            if opener and opener.group(1).startswith(fence):
                fence = ""
        elif opener:
            fence = opener.group(1)
        elif match := _HEADING.match(line):
            found.append((offset, len(match.group(1)), _plain(_opened(match.group(2)))))
        elif (
            previous.strip()
            and (match := _SETEXT.match(line))
            and not previous.lstrip().startswith(("#", ">", "-", "|"))
        ):
            level = 1 if match.group(1).startswith("=") else 2
            found.append((offset - len(previous) - 1, level, _plain(previous)))
        previous = line if not fence else ""
        offset += len(line) + 1
    return found


def _opened(heading: str) -> str:
    """A heading without the signs that close it: they stand behind a blank."""
    bare = heading.rstrip().rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else heading.strip()


def _plain(heading: str) -> str:
    return one_line(_INLINE.sub(lambda match: match.group(1) or "", heading))


def _slug(heading: str) -> str:
    return _SLUG_DROP.sub("", heading.lower()).strip().replace(" ", "-")


def _anchors(found: list[tuple[int, int, str]]) -> tuple[Anchor, ...]:
    """The fragments that common Markdown renderers give headings; repeats get ``-1``, ``-2`` and so on."""
    seen: dict[str, int] = {}
    anchors: list[Anchor] = []
    for start, _, heading in found:
        slug = _slug(heading)
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        if slug:
            anchors.append(Anchor(start, f"{slug}-{count}" if count else slug))
    return tuple(anchors)


class MarkdownReader:
    """Markdown is kept as it is, the form all text has in tamis; only long tables are cut into short ones."""

    media_types = frozenset({"text/markdown", "text/x-markdown"})
    extensions = frozenset({".md", ".markdown", ".mdown", ".mkd", ".qmd", ".mdx"})

    def read(self, body: Body) -> Page:
        """Read Markdown; front matter becomes metadata, comments vanish."""
        front, rest = _front_matter(clean(decode(body.data, body.charset)))
        text = _with_short_tables(tidy(_without_comments(rest)))
        if not text.strip():
            raise UnreadableError(f"{body.url}: holds no text")
        found = headings(text)
        title = front.get("title")
        document = make_document(
            body,
            text,
            title=str(title)
            if isinstance(title, str | int | float) and _short(title)
            else (found[0][2] if found else ""),
            media_type="text/markdown",
            language_code=language_code(str(front.get("lang") or front.get("language") or "")),
            published=_day(front.get("date")) or _day(front.get("published")),
            author=", ".join(_names(front.get("author") or front.get("authors"))),
            keywords=(*_names(front.get("keywords")), *_names(front.get("tags"))),
            anchors=_anchors(found),
            metadata=_fields(front),
        )
        return Page((document,))


READER = MarkdownReader()
