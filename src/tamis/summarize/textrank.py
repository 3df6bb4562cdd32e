"""TextRank over sentence embeddings (K1; Mihalcea & Tarau, 2004, with embeddings in place of word overlap).

The method of the registry is the published one, in `tamis.summarize.overlap`.
"""

from __future__ import annotations

import numpy as np

from tamis.models.protocols import Matrix
from tamis.summarize.protocol import Scores


def textrank(
    vectors: Matrix,
    *,
    edge_floor: float = 0.15,
    damping: float = 0.85,
    iterations: int = 20,
    prior: Scores | None = None,
) -> Scores:
    """PageRank over the graph of similar sentences.

    Args:
        vectors: (S, D) unit rows.
        edge_floor: two sentences are linked where their cosine is above this; the cosine is the weight.
        damping: share of the score that flows along edges.
        iterations: how many times it flows.
        prior: (S,) where the rest of the score starts, on any non-negative scale; None is even.

    Returns:
        (S,) summing to 1.
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
    out: Scores = score.astype(np.float32)
    return out
