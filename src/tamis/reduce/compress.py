"""TextRank over sentence embeddings, for long items only (K1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix


def textrank(
    vectors: Matrix,
    *,
    edge_floor: float,
    damping: float,
    iterations: int,
    prior: npt.NDArray[np.float32] | None = None,
) -> npt.NDArray[np.float32]:
    """PageRank over the graph of similar sentences (Mihalcea & Tarau, 2004; edges by embedding, K1).

    Args:
        vectors: (N, D) unit rows.
        edge_floor: two sentences are linked where their cosine is above this; the cosine is the weight.
        damping: share of the score that flows along edges.
        iterations: how many times it flows.
        prior: (N,) where the rest of the score starts, any non-negative scale; None is even.

    Returns:
        (N,) summing to 1, higher is more central.
    """
    size = len(vectors)
    if size == 0:
        return np.zeros(0, dtype=np.float32)
    start = np.ones(size) if prior is None or not prior.any() else prior.astype(np.float64)
    start = start / start.sum()
    cosines = (vectors @ vectors.T).astype(np.float64)
    np.fill_diagonal(cosines, 0.0)
    edges = np.where(cosines > edge_floor, cosines, 0.0)
    totals = edges.sum(axis=1, keepdims=True)
    # A sentence without neighbours hands its score back to the start.
    flow = np.divide(edges, totals, out=np.tile(start, (size, 1)), where=totals > 0)
    score = start.copy()
    for _ in range(iterations):
        score = (1.0 - damping) * start + damping * (score @ flow)
    out: npt.NDArray[np.float32] = score.astype(np.float32)
    return out
