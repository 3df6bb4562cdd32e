"""JSON lines: one document a line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

from tamis.acquire.readers.base import Body, Skipped
from tamis.acquire.readers.lines import bounded_lines
from tamis.acquire.readers.rows import collect, documents
from tamis.schema.document import Document, Page
from tamis.text.encoding import detected_encoding, wide_encoding

MEDIA_TYPE = "application/jsonl"
_SHOWN = 60


def _rows(stream: IO[bytes], longest: int) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    decoder = _Decoder()
    for number, line in enumerate(bounded_lines(stream, longest), start=1):
        if line is None:
            yield number, f"longer than {longest:,} bytes"
        elif line.strip():
            yield number, _row(decoder.text(line))


def _row(text: str) -> Mapping[str, Any] | str:
    try:
        row = json.loads(text)
    except RecursionError:
        return "nests too deeply"
    except ValueError as error:
        return f"not JSON ({str(error)[:_SHOWN]})"
    return row if isinstance(row, dict) else f"a JSON {type(row).__name__}, not an object"


class _Decoder:
    """Lines to text. They are UTF-8; of those that are not the first one tells what they are."""

    def __init__(self) -> None:
        self._other = ""

    def text(self, line: bytes) -> str:
        try:
            return line.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._other = self._other or wide_encoding(line) or detected_encoding(line)
            return line.decode(self._other, errors="replace")


class JsonlReader:
    """One JSON object a line."""

    media_types = frozenset({MEDIA_TYPE, "application/x-ndjson", "application/jsonlines", "application/x-jsonlines"})
    extensions = frozenset({".jsonl", ".ndjson"})

    def stream(self, stream: IO[bytes], body: Body) -> Iterator[Document | Skipped]:
        """Read row by row; memory holds one line and the ids seen."""
        yield from documents(_rows(stream, body.settings.max_row_bytes), body, media_type=MEDIA_TYPE)

    def read(self, body: Body) -> Page:
        """Read all rows at once."""
        return collect(self.stream(io.BytesIO(body.data), body), body)


READER = JsonlReader()
