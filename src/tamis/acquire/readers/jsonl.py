"""JSON lines: one document a line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from tamis.acquire.readers.base import Body, Skipped
from tamis.acquire.readers.rows import collect, documents
from tamis.schema.document import Document, Page
from tamis.text.encoding import decode

MEDIA_TYPE = "application/jsonl"
_SHOWN = 60


def _rows(lines: Iterable[bytes]) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(decode(line))
        except (ValueError, RecursionError) as error:
            yield number, f"not JSON ({str(error)[:_SHOWN]})"
            continue
        yield number, row if isinstance(row, dict) else f"a JSON {type(row).__name__}, not an object"


class JsonlReader:
    """One JSON object a line."""

    media_types = frozenset({MEDIA_TYPE, "application/x-ndjson", "application/jsonlines", "application/x-jsonlines"})
    extensions = frozenset({".jsonl", ".ndjson"})

    def stream(self, stream: IO[bytes], body: Body) -> Iterator[Document | Skipped]:
        """Read row by row; memory holds one line and the ids seen."""
        yield from documents(_rows(stream), body, media_type=MEDIA_TYPE)

    def read(self, body: Body) -> Page:
        """Read all rows at once."""
        return collect(self.stream(io.BytesIO(body.data), body), body)


READER = JsonlReader()
