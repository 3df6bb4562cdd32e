"""Parquet datasets, read batch by batch (extra ``tamis[parquet]``)."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import IO, Any

from tamis.acquire.readers.base import Body, Skipped
from tamis.acquire.readers.rows import TEXT_COLUMNS, collect, documents
from tamis.errors import UnreadableError, with_extra
from tamis.schema.document import Document, Page

MEDIA_TYPE = "application/vnd.apache.parquet"
_BATCH_ROWS = 1024


class ParquetReader:
    """One document a row."""

    media_types = frozenset({MEDIA_TYPE, "application/x-parquet"})
    extensions = frozenset({".parquet"})

    def stream(self, stream: IO[bytes], body: Body) -> Iterator[Document | Skipped]:
        """Read row by row; memory holds one batch and the ids seen."""
        yield from documents(_rows(stream, body.url), body, media_type=MEDIA_TYPE)

    def read(self, body: Body) -> Page:
        """Read all rows at once."""
        return collect(self.stream(io.BytesIO(body.data), body), body)


def _rows(stream: IO[bytes], url: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UnreadableError(f"{url}: reading Parquet needs pyarrow", fix=with_extra("parquet")) from error
    try:
        file = pyarrow.parquet.ParquetFile(stream)
        names = file.schema_arrow.names
        if set(TEXT_COLUMNS).isdisjoint(names):
            raise UnreadableError(
                f"{url}: no text column among {', '.join(names)}", fix=f"one of {', '.join(TEXT_COLUMNS)} is needed"
            )
        number = 0
        for batch in file.iter_batches(batch_size=_BATCH_ROWS):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError) as error:
        raise UnreadableError(f"{url}: is not a readable Parquet file ({str(error).splitlines()[0]})") from error


READER = ParquetReader()
