"""From a document to what is stored of it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from tamis.digest.anchors import anchors_for, read, unit_mean
from tamis.digest.chunks import chunk, embedding_text
from tamis.models.protocols import Embedder, EntityRecogniser
from tamis.schema.document import Document
from tamis.schema.entity import EntityCount, Mention
from tamis.settings import Settings
from tamis.store.protocols import StoredDocument
from tamis.text.fingerprints import simhash

_WORKERS = 3
"""Documents under way at once: the embedder and the recogniser both let go of the interpreter while they compute."""


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
        passages = chunk(document, self._settings.chunks)
        vectors = self._embedder.passages([embedding_text(document, passage) for passage in passages])
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

    def digest_many(self, documents: Iterable[Document]) -> Iterator[StoredDocument]:
        """Digest a stream of documents, several at a time, in their order.

        No more documents are taken from the stream than are being worked on, so memory stays flat.
        """
        anchors_for(self._embedder)
        with ThreadPoolExecutor(_WORKERS, thread_name_prefix="digest") as pool:
            waiting: deque[Future[StoredDocument]] = deque()
            try:
                for document in documents:
                    waiting.append(pool.submit(self.digest, document))
                    if len(waiting) > _WORKERS:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()


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
