"""From a document to what is stored of it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from tamis.digest.anchors import anchors_for, read, unit_mean
from tamis.digest.chunks import chunk, embedding_text
from tamis.models.protocols import Embedder, EntityRecogniser, Matrix
from tamis.schema.document import Document
from tamis.schema.entity import EntityCount, Mention
from tamis.schema.progress import Progress, Silence
from tamis.settings import Settings
from tamis.store.nouns import StoredDocument
from tamis.text.fingerprints import simhash

_WORKERS = 3
"""Documents under way at once: the embedder and the recogniser both let go of the interpreter while they compute."""
_PIECE = 64
"""Passages embedded before a person hears how far it is: about a second."""
_LOOK_SECONDS = 0.25


class Digester:
    """Cuts, embeds and reads documents.

    Args:
        embedder: for passages and anchors.
        recogniser: for names.
        settings: sections ``chunks`` and ``digest``.
    """

    def __init__(self, embedder: Embedder, recogniser: EntityRecogniser, settings: Settings) -> None:
        self._embedder = embedder
        self._recogniser = recogniser
        self._settings = settings

    @property
    def embedder(self) -> Embedder:
        """Whose vectors the documents get."""
        return self._embedder

    def digest(self, document: Document) -> StoredDocument:
        """Everything that is stored of one document."""
        return self._digest(document, lambda _done, _total: None)

    def _digest(self, document: Document, told: Callable[[int, int], None]) -> StoredDocument:
        passages = chunk(document, self._settings.chunks)
        vectors = embed_slowly([embedding_text(document, passage) for passage in passages], self._embedder, told)
        reading = read(unit_mean(vectors), anchors_for(self._embedder), self._settings.digest)
        return StoredDocument(
            document=document,
            chunks=passages,
            vectors=vectors,
            entities=count_entities(self._recogniser.mentions([document.text])[0]),
            topic=reading.topic if passages else "",
            sentiment=reading.sentiment,
            quality=reading.quality,
            fingerprint=simhash(document.text),
        )

    def digest_many(self, documents: Iterable[Document], progress: Progress | None = None) -> Iterator[StoredDocument]:
        """Digest a stream of documents, several at a time, in their order.

        No more documents are taken from the stream than are being worked on, so memory stays flat.

        Args:
            documents: the stream.
            progress: told, in the caller's thread, how far a long document is; not that one is done.
        """
        listener = progress or Silence()
        anchors_for(self._embedder)
        with ThreadPoolExecutor(_WORKERS, thread_name_prefix="digest") as pool:
            waiting: deque[_Begun] = deque()
            try:
                for document in documents:
                    waiting.append(self._begun(document, pool))
                    if len(waiting) > _WORKERS:
                        yield waiting.popleft().result(listener)
                while waiting:
                    yield waiting.popleft().result(listener)
            finally:
                for begun in waiting:
                    begun.future.cancel()

    def _begun(self, document: Document, pool: ThreadPoolExecutor) -> _Begun:
        steps: deque[tuple[int, int]] = deque(maxlen=1)
        future = pool.submit(self._digest, document, lambda done, total: steps.append((done, total)))
        return _Begun(document.title or document.document_id, future, steps)


@dataclass(frozen=True)
class _Begun:
    """A document under way."""

    name: str
    future: Future[StoredDocument]
    steps: deque[tuple[int, int]]

    def result(self, progress: Progress) -> StoredDocument:
        """Wait for it; one that takes a while is named, a long one shows how far it is."""
        while not self.future.done():
            wait([self.future], timeout=_LOOK_SECONDS)
            if not self.future.done():
                progress.advance(0, how_far(*self.steps[-1], self.name) if self.steps else self.name)
        return self.future.result()


def how_far(done: int, total: int, name: str) -> str:
    """What a person reads while a long document is embedded."""
    return f"{name}: passage {done:,} of {total:,}"


def embed_slowly(texts: Sequence[str], embedder: Embedder, told: Callable[[int, int], None]) -> Matrix:
    """Embed the passages of a document piece by piece.

    Args:
        texts: of the passages.
        embedder: the model.
        told: called between pieces with how many are done, of how many; never for a short document.

    Returns:
        (len(texts), D).
    """
    pieces = []
    for start in range(0, len(texts), _PIECE):
        if start:
            told(start, len(texts))
        pieces.append(embedder.passages(texts[start : start + _PIECE]))
    return np.concatenate(pieces) if pieces else embedder.passages([])


def count_entities(mentions: Sequence[Mention]) -> tuple[EntityCount, ...]:
    """Mentions of one document by what they stand for, most mentioned first, then by key."""
    counts: Counter[str] = Counter(mention.key for mention in mentions)
    labels: dict[str, Counter[str]] = {}
    confidence: dict[str, float] = {}
    for mention in mentions:
        labels.setdefault(mention.key, Counter())[mention.label] += 1
        confidence[mention.key] = max(confidence.get(mention.key, 0.0), mention.confidence)
    return tuple(
        EntityCount(key, min(labels[key], key=lambda label: (-labels[key][label], label)), count, confidence[key])
        for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
