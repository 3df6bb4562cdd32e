"""Choosing sentences for a question: relevance, centrality and length against what was already said."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix


def question_similarity(query_vectors: Matrix, vectors: Matrix) -> npt.NDArray[np.float32]:
    """Cosine with the best subquery (A3), (N,).

    Args:
        query_vectors: (S, D), one per subquery.
        vectors: (N, D).
    """
    if not len(vectors):
        return np.zeros(0, dtype=np.float32)
    best: npt.NDArray[np.float32] = (vectors @ query_vectors.T).max(axis=1)
    return best


def mmr(scores: npt.NDArray[np.float32], vectors: Matrix, *, trade: float, limit: int) -> list[int]:
    """Maximal marginal relevance (Carbonell & Goldstein, 1998): λ·score − (1−λ)·closest chosen.

    Args:
        scores: (N,) relevance.
        vectors: (N, D).
        trade: λ; 1 ignores redundancy.
        limit: most indices returned.

    Returns:
        Indices in the order they were chosen; ties go to the lower index.
    """
    chosen: list[int] = []
    closest = np.zeros(len(scores), dtype=np.float32)
    free = np.ones(len(scores), dtype=bool)
    while len(chosen) < min(limit, len(scores)):
        gain = np.where(free, trade * scores - (1.0 - trade) * closest, -np.inf)
        best = int(np.argmax(gain))
        chosen.append(best)
        free[best] = False
        closest = np.maximum(closest, vectors @ vectors[best])
    return chosen


def relevance(
    similarity: npt.NDArray[np.float32],
    importance: npt.NDArray[np.float32],
    content: npt.NDArray[np.float32],
    context: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """How well each sentence answers, (N,).

    Args:
        similarity: (N,) cosine with the question.
        importance: (N,) salience in its document.
        content: (N,) share of a full sentence it carries.
        context: (N,) cosine of its passage with the question.
    """
    score: npt.NDArray[np.float32] = 0.6 * similarity + 0.2 * context + 0.1 * importance + 0.1 * content
    return score
