"""The six signals of an item, as pure functions over arrays (R1).

BM25F comes from the store's index. Unknown values are NaN: an item without a date is neither fresh nor stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import log, log1p

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Vector

Scores = npt.NDArray[np.float64]

NAMES = ("bm25", "freshness", "authority", "query", "vibe", "quality")
"""In the order of the weight table (R3)."""


def cosines(matrix: Matrix, vector: Vector) -> Scores:
    """(N,) cosines of unit rows, rounded to 6 places.

    Summed in float64 by one thread in a fixed order: BLAS orders its sums by the number of threads it has.
    """
    result: Scores = np.round((matrix * vector).sum(axis=1, dtype=np.float64), 6)
    return result


def similarity(subqueries: Matrix, items: Matrix) -> Scores:
    """Cosine with the question: the maximum over its subqueries, never their mean (A3).

    Args:
        subqueries: (S, D), S ≥ 1.
        items: (N, D).

    Returns:
        (N,) in [-1, 1].
    """
    best: Scores = np.max(np.stack([cosines(items, row) for row in subqueries]), axis=0)
    return best


def parse_date(published: str | None) -> datetime | None:
    """An ISO date or datetime, in UTC where it names no zone; None where it is neither."""
    if not published:
        return None
    try:
        moment = datetime.fromisoformat(published)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def freshness(published: Sequence[str | None], now: datetime | None, *, half_life_hours: float = 48.0) -> Scores:
    """exp(-hours·ln2 / half life); NaN without a date or without a clock.

    Args:
        published: ISO dates.
        now: the clock, zone-aware.
        half_life_hours: hours after which freshness has halved.

    Returns:
        (N,) in (0, 1]; dates in the future count as now.
    """
    result = np.full(len(published), np.nan)
    if now is None:
        return result
    for row, text in enumerate(published):
        moment = parse_date(text)
        if moment is not None:
            hours = max((now - moment).total_seconds() / 3600.0, 0.0)
            result[row] = np.exp(-hours * log(2.0) / half_life_hours)
    return result


def authority(points: Sequence[float | None], sources: Sequence[str], *, baseline: float = 0.5) -> Scores:
    """Points on a log scale, relative to the most points any item of the same source has.

    Args:
        points: votes, stars …; None where the source counts nothing.
        sources: the source of each item, as long as ``points``.
        baseline: for items without points.

    Returns:
        (N,) in [0, 1].
    """
    most: dict[str, float] = {}
    for count, source in zip(points, sources, strict=True):
        if count is not None:
            most[source] = max(most.get(source, 0.0), count)
    result = np.full(len(points), baseline)
    for row, (count, source) in enumerate(zip(points, sources, strict=True)):
        if count is not None:
            result[row] = log1p(max(count, 0.0)) / log1p(most[source]) if most[source] > 0 else 0.0
    return result


def quality(items: Matrix, substantive: Matrix, clickbait: Matrix) -> Scores:
    """Cosine to the nearest substantive anchor minus cosine to the nearest clickbait anchor, (N,) in [-2, 2]."""
    return similarity(substantive, items) - similarity(clickbait, items)
