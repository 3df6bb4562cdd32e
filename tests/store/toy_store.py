"""Documents made of nothing but words, and stores to put them in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tamis.models.protocols import EmbeddingIdentity
from tamis.schema.document import Chunk, Document
from tamis.schema.entity import EntityCount
from tamis.settings import StoreSettings
from tamis.store.nouns import StoredDocument
from tamis.store.sqlite import SqliteStore
from tamis.text.fingerprints import sha256_hex, simhash

IDENTITY = EmbeddingIdentity("toy", "0" * 64, "none 1", 8)


def make(document_id: str, *passages: str, title: str = "", entities: Sequence[EntityCount] = ()) -> StoredDocument:
    text = "\n\n".join(passages)
    chunks, start = [], 0
    for ordinal, passage in enumerate(passages):
        chunks.append(Chunk(f"{document_id}#c{ordinal}", document_id, ordinal, start, start + len(passage), passage))
        start += len(passage) + 2
    vectors = np.zeros((len(passages), 8), dtype=np.float32)
    for row, passage in enumerate(passages):
        vectors[row] = np.random.default_rng(simhash(passage)).normal(size=8)
        vectors[row] /= np.linalg.norm(vectors[row])
    document = Document(document_id, f"https://example.org/{document_id}", title, text, sha256_hex(text), "file")
    return StoredDocument(document, tuple(chunks), vectors, tuple(entities), "topic", 0.5, 0.25, simhash(text))


def open_store(root: Path, **settings: float) -> SqliteStore:
    return SqliteStore(
        root,
        StoreSettings(busy_seconds=0.2).model_copy(update=settings),
        IDENTITY,
        now=lambda: datetime(2026, 5, 1, tzinfo=UTC),
    )
