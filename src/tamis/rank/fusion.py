"""Combining signals into one order: by reciprocal rank, or by a weighted sum of min-max scaled scores.

Everything is an array over the same candidates, which stand in ascending order of their id, so that a stable sort
breaks ties by id. A signal that does not know a candidate holds NaN there: it has no rank and adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]
Signals = Mapping[str, Scores]
"""Signal name → (N,) values, NaN where unknown."""

Combine = Callable[[Signals, Mapping[str, float]], dict[str, Scores]]
"""Signals and weights → contribution of each signal, (N,) each."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A fused order.

    Attributes:
        order: (N,) candidate positions, best first.
        scores: (N,) fused score by candidate position.
        contributions: signal name → (N,) its part in the score.
    """

    order: Ranks
    scores: Scores
    contributions: Mapping[str, Scores]


def ranks(values: Scores) -> Ranks:
    """1-based ranks, highest value first; 0 where unknown.

    Equal values share the best of their ranks: a signal that says the same about everything must not put the
    candidates into the order of their ids.
    """
    known = np.flatnonzero(~np.isnan(values))
    result = np.zeros(len(values), dtype=np.int64)
    descending = np.sort(-values[known])
    result[known] = np.searchsorted(descending, -values[known], side="left") + 1
    return result


def order(scores: Scores) -> Ranks:
    """(N,) positions by descending score, equal scores by ascending position."""
    # Rounded, so that scores which differ by the order of a sum only are equal.
    return np.argsort(-np.round(scores, 12), kind="stable").astype(np.int64)


def reciprocal(signals: Signals, weights: Mapping[str, float], *, k: float = 60.0) -> dict[str, Scores]:
    """Weighted reciprocal rank: weight/(k + rank) a signal.

    Args:
        signals: values by name.
        weights: by name; a signal without weight is left out.
        k: damps the difference between the first ranks.

    Returns:
        Contribution of each weighted signal, (N,); 0 where unknown.

    Source: Cormack, Clarke & Büttcher, SIGIR 2009.
    """
    contributions = {}
    for name in sorted(signals):
        if weights.get(name, 0.0) > 0:
            rank = ranks(signals[name])
            contributions[name] = np.where(rank > 0, weights[name] / (k + rank), 0.0)
    return contributions


def convex(
    signals: Signals, weights: Mapping[str, float], *, floors: Mapping[str, float] | None = None
) -> dict[str, Scores]:
    """Weighted sum of min-max scaled signals.

    Args:
        signals: values by name.
        weights: by name, scaled here to a sum of 1 over the signals that tell candidates apart.
        floors: signal name → the value that counts as 0; by default the least known value.

    Returns:
        Contribution of each weighted signal, (N,); 0 where unknown or below the floor.

    Source: Bruch, Gai & Ingber, "An analysis of fusion functions for hybrid retrieval", 2023.
    """
    scaled = {}
    for name in sorted(signals):
        if weights.get(name, 0.0) > 0:
            unit = _unit_scaled(signals[name], (floors or {}).get(name))
            if unit is not None:
                scaled[name] = unit
    total = sum(weights[name] for name in scaled)
    return {name: unit * (weights[name] / total) for name, unit in scaled.items()}


def _unit_scaled(values: Scores, floor: float | None) -> Scores | None:
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    least = float(known.min()) if floor is None else floor
    width = float(known.max()) - least
    if width <= 0:
        return None
    return np.where(np.isnan(values), 0.0, np.clip((np.nan_to_num(values) - least) / width, 0.0, 1.0))


def fuse(contributions: Mapping[str, Scores], size: int, *, without: str = "") -> Fused:
    """Add contributions up.

    Args:
        contributions: by signal.
        size: number of candidates, for the case of no contributions.
        without: a signal to leave out.
    """
    scores = np.zeros(size, dtype=np.float64)
    for name in sorted(contributions):
        if name != without:
            scores += contributions[name]
    return Fused(order=order(scores), scores=scores, contributions=contributions)
