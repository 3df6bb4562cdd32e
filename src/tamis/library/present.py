"""What a collection still holds of what its library was built from: it may have changed since."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from tamis.schema.document import Chunk, Span
from tamis.schema.library import Card, Quote
from tamis.store.nouns import DocumentSignals
from tamis.store.protocols import CollectionReader
from tamis.text.fingerprints import sha256_hex


class Present:
    """Reads what is there, and leaves out what is gone.

    Args:
        reader: a snapshot of the collection.
    """

    def __init__(self, reader: CollectionReader) -> None:
        self._reader = reader
        self._texts: dict[str, str] = {}

    # Listed once: asking a reader for what it does not have makes it look for damage, every time.
    @cached_property
    def _chunks(self) -> frozenset[str]:
        return frozenset(self._reader.chunk_ids(np.arange(self._reader.info.chunks, dtype=np.int64)))

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset(self._reader.document_ids(np.arange(self._reader.info.documents, dtype=np.int64)))

    def exists(self, chunk_id: str) -> bool:
        """Whether a passage is there."""
        return chunk_id in self._chunks

    def chunks(self, ids: Iterable[str]) -> list[Chunk]:
        """The passages that are there, in the order asked for."""
        return self._reader.chunks([name for name in ids if name in self._chunks])

    def signals(self, document_ids: Iterable[str]) -> list[DocumentSignals]:
        """Facts of the documents that are there, in the order asked for."""
        return self._reader.signals([name for name in document_ids if name in self._documents])

    def hash_at(self, document_id: str, span: Span) -> str:
        """Hash of the text at a place, empty where there is no such document."""
        if document_id not in self._documents:
            return ""
        if document_id not in self._texts:
            self._texts[document_id] = self._reader.documents([document_id])[0].text
        return sha256_hex(self._texts[document_id][slice(*span)])

    def stands(self, quote: Quote) -> bool:
        """Whether a quote still reads in its passage as it did."""
        return self.exists(quote.chunk_id) and self.hash_at(quote.document_id, quote.span) == quote.sha256


def quotes_of(card: Card) -> list[Quote]:
    """Every quote a card rests on, behind its sentences, its tip and its disagreements; none twice."""
    sentences = (*card.sentences, *((card.tip,) if card.tip else ()))
    behind = [quote for sentence in sentences for quote in sentence.quotes]
    return list(dict.fromkeys([*behind, *(quote for pair in card.basis.opposing for quote in pair)]))
