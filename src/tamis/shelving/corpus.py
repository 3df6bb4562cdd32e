"""A collection as a library sees it: its passages in one order, with what is known of where they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tamis.library.cards import Origin
from tamis.library.duplicates import origins
from tamis.library.vocabulary import Background, background
from tamis.models.protocols import Matrix
from tamis.schema.document import Chunk, Document
from tamis.store.protocols import CollectionReader
from tamis.text.fingerprints import sha256_hex

_BATCH = 256
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_SHORT = 16
"""Characters of a hash that stand for a text here."""


@dataclass(frozen=True)
class Corpus:
    """The passages of one snapshot.

    Attributes:
        chunks: (N,) by document id, then ordinal.
        vectors: (N, D).
        told: document id → what the document says of where it comes from, each for itself.
        copies: document id → the document it copies word for word, nearly (S5).
        hashes: chunk id → hash of what it says and where.
        entities: document id → keys of the entities in it.
    """

    chunks: tuple[Chunk, ...]
    vectors: Matrix
    told: Mapping[str, Origin]
    copies: Mapping[str, str]
    hashes: Mapping[str, str]
    entities: Mapping[str, frozenset[str]]

    @cached_property
    def origins(self) -> Mapping[str, Origin]:
        """Document id → where it comes from; copies of a text and what says the same in other words share a name."""
        owners = [chunk.document_id for chunk in self.chunks]
        names = origins(owners, self.vectors, [chunk.text for chunk in self.chunks], self.copies)
        return {owner: replace(origin, name=names.get(owner, owner)) for owner, origin in self.told.items()}

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """Chunk id → row."""
        return {chunk.chunk_id: row for row, chunk in enumerate(self.chunks)}

    @cached_property
    def common(self) -> Background:
        """How common words are in all passages."""
        return background([chunk.text for chunk in self.chunks])

    @cached_property
    def digest(self) -> str:
        """Hash of all of it; equal corpora give equal libraries."""
        return sha256_hex("\n".join(f"{name} {text}" for name, text in self.hashes.items()))

    def some(self, ids: Sequence[str]) -> tuple[list[Chunk], Matrix]:
        """Chunks and their vectors by id."""
        rows = [self.rows[name] for name in ids]
        return [self.chunks[row] for row in rows], self.vectors[np.array(rows, dtype=np.int64)]

    def documents(self) -> Iterator[list[Chunk]]:
        """The passages document by document."""
        group: list[Chunk] = []
        for chunk in self.chunks:
            if group and group[-1].document_id != chunk.document_id:
                yield group
                group = []
            group.append(chunk)
        if group:
            yield group

    def named(self, chunk: Chunk) -> frozenset[str]:
        """Keys of its document's entities that stand in a passage."""
        text = chunk.text.casefold()
        return frozenset(key for key in self.entities.get(chunk.document_id, frozenset()) if key in text)


def read_corpus(reader: CollectionReader) -> Corpus:
    """Everything a library is built from."""
    total = reader.info.documents
    chunks: list[Chunk] = []
    told: dict[str, Origin] = {}
    copies: dict[str, str] = {}
    hashes: dict[str, str] = {}
    entities: dict[str, frozenset[str]] = {}
    for start in range(0, total, _BATCH):
        ids = reader.document_ids(np.arange(start, min(start + _BATCH, total), dtype=np.int64))
        copies.update((entry.document_id, entry.duplicate_of) for entry in reader.signals(ids) if entry.duplicate_of)
        for document, own in zip(reader.documents(ids), reader.chunks_of(ids), strict=True):
            told[document.document_id] = _origin(document)
            hashes.update((chunk.chunk_id, _hash(document, chunk)) for chunk in own)
            chunks += own
        found = zip(ids, reader.entities(ids), strict=True)
        entities.update((name, frozenset(entity.key for entity in some)) for name, some in found)
    vectors = reader.vectors_at(np.arange(len(chunks), dtype=np.int64))
    return Corpus(tuple(chunks), vectors, told, copies, hashes, entities)


def _hash(document: Document, chunk: Chunk) -> str:
    return sha256_hex("\n".join((document.title, *chunk.headings, "", chunk.text)))[:_SHORT]


def _origin(document: Document) -> Origin:
    return Origin(
        title=document.title or document.document_id,
        url=document.url,
        name=document.document_id,
        source_type=document.metadata.get("source_type", "") or document.source,
        year=_year(document.metadata.get("year", "")) or _year(document.published or ""),
        language=document.language,
    )


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found.group()) if found else None
