"""Items that no layer found but that are about the same entities as the best ones (E3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from tamis.models.protocols import Vector
from tamis.settings import EntitySettings
from tamis.store.protocols import CollectionReader


def mean_profile(reader: CollectionReader, document_ids: Sequence[str]) -> Vector | None:
    """The mean entity profile of some documents at unit length; None where none has a profile."""
    profiles = reader.profiles(document_ids).astype(np.float64)
    mean = profiles.sum(axis=0) if len(profiles) else np.zeros(1)
    length = float(np.sqrt((mean * mean).sum()))
    return (mean / length).astype(np.float32) if length > 0 else None


def related(
    reader: CollectionReader, best: Sequence[str], known: Collection[str], settings: EntitySettings
) -> list[tuple[str, float]]:
    """Documents near the mean profile of the best ones.

    Args:
        reader: the collection.
        best: the documents at the top of the ranking.
        known: documents already in the ranking.
        settings: how many, and the least cosine.

    Returns:
        (document id, cosine), nearest first.
    """
    profile = mean_profile(reader, best) if best and settings.related_limit else None
    if profile is None:
        return []
    hits = reader.search_profiles(profile, len(known) + settings.related_limit, floor=settings.related_floor)
    found = zip(hits.ids, hits.scores.tolist(), strict=True)
    return [(name, score) for name, score in found if name not in known][: settings.related_limit]
