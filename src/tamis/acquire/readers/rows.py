"""Rows of a dataset as documents: which columns mean what (spec, section 14)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tamis.acquire.readers.base import Body, Skipped, make_document, one_line
from tamis.acquire.readers.text import tidy
from tamis.errors import UnreadableError
from tamis.schema.document import Document, Page
from tamis.text.language import language_code
from tamis.text.urls import without_credentials

ID_COLUMNS = ("_id", "id", "chunk_id")
TEXT_COLUMNS = ("text", "chunk_text", "contents")
_USED = frozenset(
    (*ID_COLUMNS, *TEXT_COLUMNS, "title", "url", "year", "published", "date", "author", "language", "lang", "keywords")
)


def as_text(value: object) -> str:
    """A cell as text: numbers without a needless fraction, nested values as JSON, missing ones empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def _first(row: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of some columns that holds more than blanks, as it stands."""
    return next((text for name in names if (text := as_text(row.get(name))).strip()), "")


def _published(row: Mapping[str, Any]) -> str | None:
    day = _first(row, ("published", "date")).strip()
    if day[:4].isdecimal() and len(day) >= 4:
        return day
    year = _first(row, ("year",)).strip()
    return year if len(year) == 4 and year.isascii() and year.isdecimal() else None


def _metadata(row: Mapping[str, Any]) -> dict[str, str]:
    """Every other column; an object in ``metadata`` is opened."""
    found: dict[str, str] = {}
    for key, value in row.items():
        if key == "metadata":
            opened = _opened(value)
            found.update({str(name): as_text(inner) for name, inner in opened.items()})
        elif key not in _USED or key == "year":
            found[str(key)] = as_text(value)
    return {one_line(key): one_line(value) for key, value in found.items() if value.strip()}


def _opened(value: object) -> Mapping[str, Any]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"metadata": value}
    if isinstance(value, Mapping):
        return value
    return {"metadata": value}


def document_of(row: Mapping[str, Any], body: Body, number: int, *, media_type: str) -> Document | str:
    """One row as a document, or the reason it is none.

    The external id is the document id exactly as given; a row without one is named after its file and number. A row
    without a URL is found at its place in the file.
    """
    text = tidy(_first(row, TEXT_COLUMNS))
    title = as_text(row.get("title"))
    if not text:
        return f"no text in {', '.join(TEXT_COLUMNS)}"
    keywords = row.get("keywords")
    words = [as_text(word) for word in keywords] if isinstance(keywords, list) else as_text(keywords).split(",")
    return make_document(
        body,
        text,
        title=title,
        document_id=_first(row, ID_COLUMNS) or f"{body.document_id}#{number}",
        url=without_credentials(as_text(row.get("url")).strip()) or (f"{body.url}#row={number}" if body.url else ""),
        media_type=media_type,
        language_code=language_code(_first(row, ("language", "lang"))),
        published=_published(row),
        author=as_text(row.get("author")),
        keywords=tuple(words),
        metadata=_metadata(row),
    )


def documents(
    rows: Iterable[tuple[int, Mapping[str, Any] | str]], body: Body, *, media_type: str
) -> Iterator[Document | Skipped]:
    """Rows as documents, one at a time.

    Args:
        rows: (1-based number, columns or the reason why they could not be had).
        body: gives the file's id, source and settings; its data is not looked at.
        media_type: of the file.

    Yields:
        A document for every usable row, a `Skipped` for every other. An id seen before is skipped and named.
    """
    seen: dict[str, int] = {}
    for number, row in rows:
        made = row if isinstance(row, str) else _made(row, body, number, media_type)
        if isinstance(made, str):
            yield Skipped(number, made)
        elif made.document_id in seen:
            yield Skipped(number, f"id {made.document_id!r} was already used in row {seen[made.document_id]}")
        else:
            seen[made.document_id] = number
            yield made


def _made(row: Mapping[str, Any], body: Body, number: int, media_type: str) -> Document | str:
    try:
        return document_of(row, body, number, media_type=media_type)
    except RecursionError:
        return "nests too deeply"


def collect(items: Iterable[Document | Skipped], body: Body) -> Page:
    """Gather a stream of rows into one page.

    Raises:
        UnreadableError: no row became a document.
    """
    found: list[Document] = []
    problems: list[str] = []
    for item in items:
        if isinstance(item, Skipped):
            problems.append(str(item))
        else:
            found.append(item)
    if not found:
        raise no_rows(body.url, problems[0] if problems else "")
    return Page(tuple(found), problems=tuple(problems))


def no_rows(name: str, problem: str) -> UnreadableError:
    """The error for a dataset without a single document."""
    columns = ", ".join(TEXT_COLUMNS)
    return UnreadableError(
        f"{name}: no row holds a document{f' ({problem})' if problem else ''}", fix=f"a row needs {columns}"
    )
