"""CSV and TSV: a dataset with a text column, or an ordinary table whose rows are written out with their columns.

Rows are counted as a spreadsheet shows them, by either way: the header is row 1.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from tamis.acquire.readers.base import Body, Skipped, make_document, one_line
from tamis.acquire.readers.rows import TEXT_COLUMNS, collect, documents
from tamis.errors import UnreadableError
from tamis.schema.document import Anchor, Document, Page
from tamis.text.encoding import clean, decode, detected_encoding, wide_encoding

MEDIA_TYPE = "text/csv"
_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 20
_LONGEST_FIELD = 10_000_000
_LARGEST_TABLE = 20_000_000
_LONGEST_NAME = 80
"""Characters of a column's name, which is written before each of its cells."""
_PARAGRAPH = 800
"""Characters of a row, about, before it goes on in a paragraph of its own; one passage holds a few of them."""
_LONGEST_KEY = 120
_MARKS = "#>|`~*+-= \t"
"""What would make a name at the start of a line mean something in Markdown."""


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
            yield _table(header, rows, body)
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


def _table(header: Sequence[str], rows: Iterable[list[str]], body: Body) -> Document:
    """A table as one document, a paragraph a row, each with an anchor ``row=N``.

    Raises:
        csv.Error: it is larger than a document may be.
    """
    name = body.document_id.rsplit("/", 1)[-1]
    title = name.rsplit(".", 1)[0].replace("_", " ").replace("-", " ").strip() or name
    names = [_name(column, number) for number, column in enumerate(header, start=1)]
    parts = [f"# {title}"]
    anchors: list[Anchor] = []
    size = len(parts[0])
    count = 0
    for number, row in enumerate(rows, start=2):
        written = _row(names, row)
        if not written:
            continue
        count += 1
        anchors.append(Anchor(size + 2, f"row={number}"))
        parts += written
        size += sum(len(part) + 2 for part in written)
        if size > _LARGEST_TABLE:
            raise csv.Error(f"a table of more than {_LARGEST_TABLE:,} characters without a column named text")
    return make_document(
        body,
        "\n\n".join(parts),
        title=title,
        media_type=MEDIA_TYPE,
        anchors=tuple(anchors),
        metadata={"rows": str(count), "columns": ", ".join(names)[:_PARAGRAPH]},
    )


def _name(column: str, number: int) -> str:
    return one_line(column).strip(_MARKS).rstrip(": ")[:_LONGEST_NAME] or f"column {number}"


def _row(names: Sequence[str], row: Sequence[str]) -> list[str]:
    """``name: cell; name: cell``, empty cells left out; the first cell leads every further paragraph of a wide row."""
    cells: list[str] = []
    for at, raw in enumerate(row):
        cell = one_line(raw)
        if cell:
            cells.append(f"{names[at] if at < len(names) else f'column {at + 1}'}: {cell}")
    paragraphs: list[str] = []
    for cell in cells:
        if paragraphs and len(paragraphs[-1]) + len(cell) <= _PARAGRAPH:
            paragraphs[-1] += f"; {cell}"
        else:
            led = paragraphs and len(cells[0]) <= _LONGEST_KEY
            paragraphs.append(f"{cells[0]}; {cell}" if led else cell)
    return paragraphs


READER = DelimitedReader()
