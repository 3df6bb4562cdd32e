"""CSV and TSV: a dataset with a text column, or an ordinary table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from tamis.acquire.readers.base import Body, Skipped, make_document
from tamis.acquire.readers.markup.tables import pipe_table
from tamis.acquire.readers.rows import TEXT_COLUMNS, collect, documents
from tamis.errors import UnreadableError
from tamis.schema.document import Document, Page
from tamis.text.encoding import clean, decode, detected_encoding, wide_encoding

MEDIA_TYPE = "text/csv"
_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 20
_LONGEST_FIELD = 10_000_000
_LARGEST_TABLE = 20_000_000
_MOST_CELLS = 1_000_000
_REPEATED_HEADER = 2_000
_TABLE_ROWS = 40
"""Rows of an ordinary table under one header, which is repeated so that every passage can be understood alone."""


def _delimiter(sample: str, end: str) -> str:
    """The delimiter that divides most lines into the same number of fields, more than one."""
    if end in {".tsv", ".tab"}:
        return "\t"
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        try:
            widths = [len(row) for row in rows if row][:_SAMPLE_LINES]
        except csv.Error:
            continue
        usual = max(set(widths), key=lambda width: (widths.count(width), width)) if widths else 1
        score = widths.count(usual) / len(widths) * min(usual, 50) ** 0.5 if usual > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best


class DelimitedReader:
    """Rows with a header line."""

    media_types = frozenset({MEDIA_TYPE, "text/tab-separated-values", "application/csv"})
    extensions = frozenset({".csv", ".tsv", ".tab"})

    def stream(self, stream: IO[bytes], body: Body) -> Iterator[Document | Skipped]:
        """Read row by row where there is a text column; an ordinary table becomes one document."""
        sample = stream.read(1 << 16)
        stream.seek(0)
        encoding = _encoding_of(sample)
        lines = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")
        try:
            yield from _items(lines, sample.decode(encoding, errors="replace"), body)
        finally:
            lines.detach()

    def read(self, body: Body) -> Page:
        """Read all rows at once."""
        text = decode(body.data, body.charset)
        return collect(_items(io.StringIO(text, newline=""), text[: 1 << 16], body), body)


def _encoding_of(sample: bytes) -> str:
    """An encoding for streaming, from the first bytes: UTF-8 unless they cannot be."""
    if sample.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    wide = wide_encoding(sample)
    if wide:
        return wide
    try:
        # The sample may end inside a character.
        sample[:-4].decode("utf-8") if len(sample) > 4 else sample.decode("utf-8")
    except UnicodeDecodeError:
        return detected_encoding(sample)
    return "utf-8"


def _bounded(lines: IO[str], longest: int) -> Iterator[str]:
    while line := lines.readline(longest + 1):
        if len(line) > longest:
            raise csv.Error(f"a line of more than {longest:,} characters")
        yield line.replace("\x00", "")


def _items(lines: IO[str], sample: str, body: Body) -> Iterator[Document | Skipped]:
    end = body.url[body.url.rfind(".") :].lower() if "." in body.url else ""
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.reader(_bounded(lines, body.settings.max_row_bytes), delimiter=_delimiter(sample, end))
    try:
        header = [clean(name).strip() for name in next(rows, [])]
        if not any(header):
            raise UnreadableError(f"{body.url}: holds no rows")
        if not set(TEXT_COLUMNS).isdisjoint(name.lower() for name in header):
            names = [name.lower() if name.lower() in TEXT_COLUMNS else name for name in header]
            yield from documents(_numbered(rows, names), body, media_type=MEDIA_TYPE)
        else:
            yield _table(header, list(_table_rows(rows)), body)
    except csv.Error as error:
        yield Skipped(max(rows.line_num, 1), f"{error}; nothing behind it is read")


def _numbered(rows: Iterator[list[str]], names: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    for number, row in enumerate(rows, start=2):
        if not any(row):
            continue
        if len(row) > len(names):
            yield number, f"{len(row)} fields, but the header names {len(names)}"
            continue
        yield number, dict(zip(names, row, strict=False))


def _table_rows(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    size = 0
    for row in rows:
        size += sum(map(len, row)) + len(row)
        if size > _LARGEST_TABLE:
            raise csv.Error(f"a table of more than {_LARGEST_TABLE:,} characters without a column named text")
        yield row


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], body: Body) -> Document:
    """A table as Markdown tables of a size a reader can take in, the header repeated on each."""
    width = max(len(header), max(map(len, rows), default=0))
    # Rows of a grid that would be mostly padding stay as long as they are.
    width = width if width * len(rows) <= _MOST_CELLS else 0
    head = [*header, *[""] * (width - len(header))]
    filled = [[*map(clean, row), *[""] * (width - len(row))] for row in rows if any(row)]
    name = body.document_id.rsplit("/", 1)[-1]
    title = name.rsplit(".", 1)[0].replace("_", " ").replace("-", " ").strip() or name
    # A long header repeated would be all there is to read.
    step = _TABLE_ROWS if sum(map(len, head)) + 3 * len(head) <= _REPEATED_HEADER else max(len(filled), 1)
    parts = [pipe_table(head, filled[at : at + step]) for at in range(0, max(len(filled), 1), step)]
    text = "\n\n".join((f"# {title}", *parts))
    return make_document(body, text, title=title, media_type=MEDIA_TYPE, metadata={"rows": str(len(filled))})


READER = DelimitedReader()
