"""What can only be known of a collection as a whole: profiles, repeats, calibration; then the snapshot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.digest.calibration import calibrate
from tamis.digest.duplicates import near_duplicates
from tamis.digest.names import embed_names
from tamis.digest.profiles import profiles
from tamis.models.protocols import Embedder, Vector
from tamis.settings import Settings
from tamis.store.nouns import CollectionInfo
from tamis.store.protocols import CollectionWriter

_BATCH = 500
_CALIBRATED = 20_000
"""Most passages that the threshold of "not answered" is measured on."""


def finish(
    writer: CollectionWriter, embedder: Embedder, settings: Settings, *, everything: bool = False
) -> CollectionInfo:
    """Bring everything derived up to date and publish. Costs nothing where nothing changed.

    Args:
        writer: of the collection.
        embedder: of its passages; embeds the names of entities not met before.
        settings: sections ``entities``, ``digest`` and ``answer``.
        everything: derive it again even where nothing changed.
    """
    if not (writer.changed or everything):
        return writer.publish()
    counted = writer.entity_counts()
    vectors = _entity_vectors(writer, embedder, sorted({e.key for _, entities in counted for e in entities}))
    # Whoever reads meanwhile must not meet repeats or profiles of documents that are not shown yet.
    with writer.together():
        writer.put_profiles(*profiles(counted, vectors, settings.entities))
        writer.put_duplicates(near_duplicates(writer.fingerprints(), writer.texts, settings.digest))
        calibrate_collection(writer, embedder)
        return writer.publish()


def calibrate_collection(writer: CollectionWriter, embedder: Embedder) -> None:
    """Measure where "not about this collection" lies."""
    writer.put_calibration(calibrate(*writer.sample_vectors(_CALIBRATED), embedder=embedder))


def _entity_vectors(writer: CollectionWriter, embedder: Embedder, keys: Sequence[str]) -> dict[str, Vector]:
    """Embeddings of entity names, from the store where they are known; new ones are kept there."""
    found: dict[str, Vector] = {}
    for start in range(0, len(keys), _BATCH):
        batch = keys[start : start + _BATCH]
        known, vectors = writer.entity_vectors(batch)
        found.update(zip(known, np.asarray(vectors), strict=True))
        fresh = [key for key in batch if key not in found]
        if fresh:
            embedded = embed_names(fresh, embedder)
            writer.put_entity_vectors(fresh, embedded)
            found.update(zip(fresh, embedded, strict=True))
    return found
