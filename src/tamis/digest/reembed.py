"""Embedding a whole collection again with another model."""

from __future__ import annotations

from functools import partial

from tamis.digest.anchors import anchors_for, read, unit_mean
from tamis.digest.chunks import embedding_text
from tamis.digest.digest import embed_slowly, how_far
from tamis.digest.finish import finish
from tamis.models.protocols import Embedder
from tamis.schema.progress import Progress
from tamis.settings import Settings
from tamis.store.nouns import CollectionInfo
from tamis.store.protocols import Reembedding


def reembed(
    reembedding: Reembedding, embedder: Embedder, settings: Settings, progress: Progress
) -> CollectionInfo | None:
    """Replace every vector of a collection and everything derived from vectors.

    Interrupted, it goes on where it stopped; until it is done the old vectors answer.

    Args:
        reembedding: of the collection.
        embedder: the new model.
        settings: sections ``digest`` and those of `finish`.
        progress: listens.

    Returns:
        What was published; None where the vectors already are the model's.
    """
    if not reembedding.needed:
        return None
    progress.stage("embedding", reembedding.count())
    for document, chunks in reembedding.pending():
        name = document.title or document.document_id
        vectors = embed_slowly(
            [embedding_text(document, passage) for passage in chunks],
            embedder,
            partial(_tell, progress, name),
        )
        reading = read(unit_mean(vectors), anchors_for(embedder), settings.digest)
        reembedding.stage(
            document.document_id,
            vectors,
            topic=reading.topic if chunks else "",
            sentiment=reading.sentiment,
            quality=reading.quality,
        )
        progress.advance(1, name)
    progress.stage("indexing")
    with reembedding.swapped() as writer:
        return finish(writer, embedder, settings)


def _tell(progress: Progress, name: str, done: int, total: int) -> None:
    progress.advance(0, how_far(done, total, name))
