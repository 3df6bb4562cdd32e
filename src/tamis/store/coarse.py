"""Exact cosine search in two looks: all vectors as bytes, then the few that can be among the best as they are.

Reading every vector is what a search of a large collection waits for. A byte a dimension is a quarter of that, and its
products are whole numbers: the same on any number of threads and any processor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Vector
from tamis.store.dense import Scores, kth_highest, rescored
from tamis.store.nouns import Rows

Codes = npt.NDArray[np.int8]
_LEVELS = 127
_DEVIATIONS = 8.0
"""How far, in standard deviations of rounding, a cosine may lie from its estimate.

Rounding errors of the dimensions are independent, so their sum is normal: one in 10¹⁵ lies beyond. Up to 21 dimensions
no sum of errors can reach it at all.
"""
_ROUNDED = 1e-4
"""What the rounding of exact cosines, and of norms that are not quite 1, may add."""


@dataclass(frozen=True, slots=True)
class Coarse:
    """A matrix rounded to bytes.

    Attributes:
        codes: (N, D), from -127 to 127.
        steps: (N,), what one level of a row is worth.
    """

    codes: Codes
    steps: npt.NDArray[np.float32]


def coarse(vectors: Matrix) -> Coarse:
    """Round every row of an (N, D) matrix to 255 levels of its own."""
    highest = np.abs(vectors).max(axis=1, initial=0.0)
    steps = (highest / np.float32(_LEVELS)).astype(np.float32)
    scale = np.divide(1.0, steps, out=np.zeros_like(steps), where=steps > 0)
    return Coarse(np.rint(vectors * scale[:, np.newaxis]).astype(np.int8), steps)


def nearest(rounded: Coarse, vectors: Matrix, vector: Vector, k: int) -> tuple[Rows, Scores]:
    """The k nearest rows by exact cosine: the same as `tamis.store.dense.nearest` finds.

    Args:
        rounded: of ``vectors``.
        vectors: (N, D), unit rows.
        vector: (D,), unit.
        k: most rows.

    Returns:
        Rows and cosines, best first, equal cosines by ascending row.

    Raises:
        ValueError: the vectors are not those that were rounded: they were damaged.
    """
    from simsimd import cdist

    if k <= 0 or not len(vectors):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    asked = coarse(vector[np.newaxis, :])
    products = np.asarray(cdist(asked.codes, rounded.codes, "dot"), dtype=np.float64)[0]
    steps = rounded.steps.astype(np.float64)
    estimates = products * (steps * float(asked.steps[0]))
    # Rounding to steps of s errs by s/√12 a dimension, over a unit vector by as much in all; both sides are rounded.
    slack = np.sqrt(steps * steps + float(asked.steps[0]) ** 2) * (_DEVIATIONS / np.sqrt(12.0))
    least = kth_highest(estimates - slack, k) if k < len(vectors) else -np.inf
    rows = np.flatnonzero(estimates + slack >= least)
    with np.errstate(over="ignore", invalid="ignore"):
        cosines = rescored(vectors, vector, rows)
    if not (np.abs(cosines - estimates[rows]) <= slack[rows] + _ROUNDED).all():
        raise ValueError("the vectors are not those that were rounded")
    order = np.argsort(-cosines, kind="stable")[:k]
    return rows[order], cosines[order].astype(np.float32)
