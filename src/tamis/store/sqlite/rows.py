"""Between the nouns and the rows of the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.schema.document import Anchor, Chunk, Document
from tamis.schema.entity import EntityCount
from tamis.store.nouns import PageRecord, StoredDocument
from tamis.store.postings import FIELDS, count_terms
from tamis.text.inline import plain

DOCUMENT_COLUMNS = (
    "documents.id, url, title, text, sha256, source, media_type, language, published, author, "
    "keywords, anchors, metadata"
)
PAGE_COLUMNS = "url, state, depth, document_id, etag, last_modified, sha256, status, reason, links, seen"


def as_json(value: object) -> str:
    """Compact and the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def signed(fingerprint: int) -> int:
    """An unsigned 64-bit number as SQLite can hold it."""
    return fingerprint - (1 << 64) if fingerprint >= 1 << 63 else fingerprint


def unsigned(value: int) -> int:
    """The way back from `signed`."""
    return value & ((1 << 64) - 1)


def document_row(stored: StoredDocument, born: int) -> tuple[Any, ...]:
    """Values of a row of ``documents``, from ``id`` to ``fingerprint``."""
    document = stored.document
    return (
        document.document_id,
        born,
        document.url,
        document.title,
        document.sha256,
        document.source,
        document.media_type,
        document.language,
        document.published,
        document.author,
        as_json(document.keywords),
        as_json([(anchor.start, anchor.fragment) for anchor in document.anchors]),
        as_json(dict(document.metadata)),
        stored.topic,
        stored.sentiment,
        stored.quality,
        _authority(document),
        signed(stored.fingerprint),
    )


def _authority(document: Document) -> float:
    try:
        return min(max(float(document.metadata.get("authority", "0")), 0.0), 1.0)
    except ValueError:
        return 0.0


def document_from(row: Sequence[Any]) -> Document:
    """The way back, from `DOCUMENT_COLUMNS`."""
    return Document(
        document_id=row[0],
        url=row[1],
        title=row[2],
        text=row[3],
        sha256=row[4],
        source=row[5],
        media_type=row[6],
        language=row[7],
        published=row[8],
        author=row[9],
        keywords=tuple(json.loads(row[10])),
        anchors=tuple(Anchor(start, fragment) for start, fragment in json.loads(row[11])),
        metadata=json.loads(row[12]),
    )


def chunk_from(document_id: str, text: str, row: Sequence[Any]) -> Chunk:
    """A chunk from (ordinal, start, stop, headings) and the text of its document."""
    ordinal, start, stop, headings = row
    return Chunk(
        f"{document_id}#c{ordinal}", document_id, ordinal, start, stop, text[start:stop], tuple(json.loads(headings))
    )


def entity_from(row: Sequence[Any]) -> EntityCount:
    """An entity from (key, label, mentions, confidence)."""
    return EntityCount(row[0], row[1], row[2], row[3])


def page_row(record: PageRecord) -> tuple[Any, ...]:
    """Values of `PAGE_COLUMNS`."""
    return (
        record.url,
        record.state,
        record.depth,
        record.document_id,
        record.etag,
        record.last_modified,
        record.sha256,
        record.status,
        record.reason,
        as_json(record.links),
        record.seen,
    )


def page_from(row: Sequence[Any]) -> PageRecord:
    """The way back."""
    fields = dict(zip(PAGE_COLUMNS.split(", "), row, strict=True))
    return PageRecord(**{**fields, "links": tuple(json.loads(fields["links"]))})


def digest_row(stored: StoredDocument) -> tuple[bytes, bytes, bytes, bytes]:
    """The vectors, field lengths, table sizes and term tables of a document's chunks."""
    title = stored.document.title
    keywords = " ".join(stored.document.keywords)
    tables, lengths = [], []
    for chunk in stored.chunks:
        table, counted = count_terms((title, f"{' '.join(chunk.headings)} {keywords}", plain(chunk.text)))
        tables.append(table)
        lengths.append(counted)
    return (
        np.ascontiguousarray(stored.vectors, dtype="<f4").tobytes(),
        np.array(lengths, dtype="<u4").reshape(-1, len(FIELDS)).tobytes(),
        np.array([len(table) for table in tables], dtype="<u4").tobytes(),
        b"".join(table.tobytes() for table in tables),
    )
