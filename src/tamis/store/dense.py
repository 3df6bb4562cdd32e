"""Picking the best of many scores, and exact cosine search, the same on any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Vector
from tamis.store.nouns import Rows

Scores = npt.NDArray[np.float32]

_DECIMALS = 6
# Far above the error of a float32 dot product of unit vectors, far below any difference that matters.
_SLACK = 2e-5
_IMPOSSIBLE = 1e3
_STRIDE = 16
"""Every which score is sampled."""


def best(scores: npt.NDArray[np.floating[Any]], k: int, *, above: float = -np.inf) -> Rows:
    """Rows of the k highest scores above a floor, best first, equal scores by ascending row."""
    if k <= 0 or not len(scores):
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(scores > above)
    if k < len(rows):
        some = scores[rows]
        rows = rows[some >= kth_highest(some, k)]
    return rows[np.argsort(-scores[rows], kind="stable")][:k]


def kth_highest(scores: npt.NDArray[np.floating[Any]], k: int) -> float:
    """The k-th highest of N > k scores.

    A sample says about where it is; only what is above that needs to be put in order.
    """
    sample = scores[::_STRIDE]
    wanted = int(k / _STRIDE * 1.25) + 8
    if wanted < len(sample):
        above = scores[scores >= np.partition(sample, len(sample) - wanted)[len(sample) - wanted]]
        if len(above) >= k:
            scores = above
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


def rescored(matrix: Matrix, vector: Vector, rows: Rows) -> npt.NDArray[np.float64]:
    """Cosines of some rows, rounded to 6 places.

    Summed in float64 by one thread in a fixed order: BLAS orders its sums by the number of threads it has.
    """
    products = matrix[rows]
    products *= vector
    cosines: npt.NDArray[np.float64] = np.round(products.sum(axis=1, dtype=np.float64), _DECIMALS)
    return cosines


def nearest(matrix: Matrix, vector: Vector, k: int, *, floor: float = -np.inf) -> tuple[Rows, Scores]:
    """Exact cosine search.

    Args:
        matrix: (N, D), unit rows; zero rows never match a floor above 0.
        vector: (D,), unit.
        k: most rows.
        floor: least cosine.

    Returns:
        Rows and cosines, best first, equal cosines by ascending row.

    Raises:
        ValueError: the matrix holds anything but unit vectors: it was damaged.
    """
    if k <= 0 or not len(matrix):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        rough = matrix @ vector
    if not np.abs(rough).max() < _IMPOSSIBLE:
        raise ValueError("the vectors hold what no embedding is")
    least = floor
    if k < len(rough):
        least = max(floor, kth_highest(rough, k))
    rows = np.flatnonzero(rough >= least - _SLACK)
    return ordered(matrix, vector, rows, k, floor=floor)


def ordered(matrix: Matrix, vector: Vector, rows: Rows, k: int, *, floor: float = -np.inf) -> tuple[Rows, Scores]:
    """The best k of candidate rows (ascending), by exact cosine."""
    cosines = rescored(matrix, vector, rows)
    keep = np.flatnonzero(cosines >= floor)
    order = keep[np.argsort(-cosines[keep], kind="stable")][:k]
    return rows[order], cosines[order].astype(np.float32)
