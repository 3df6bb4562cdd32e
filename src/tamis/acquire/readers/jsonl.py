"""JSON lines: one document a line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from tamis.acquire.readers.base import Body
from tamis.acquire.readers.rows import Skipped, documents
from tamis.errors import UnreadableError
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
        reason = f": {problems[0]}" if problems else ""
        raise UnreadableError(
            f"{body.url}: no row holds a document{reason}", fix="a row needs `text`, `chunk_text` or `contents`"
        )
    return Page(tuple(found), problems=tuple(problems))


READER = JsonlReader()
