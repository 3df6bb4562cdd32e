"""Choosing sentences for a question: near it, central among their own, not said already."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix

Scores = npt.NDArray[np.float32]
"""(N,)"""

_CENTRALITY = 0.2
_NEIGHBOURS = 0.15
_CONTENT = 0.1
"""Weights beside a question similarity of 1, chosen on the mediqa_mas gate, where they are flat from half to twice."""


def question_similarity(query_vectors: Matrix, vectors: Matrix) -> Scores:
    """Cosine with the best subquery (A3), (N,).

    Args:
        query_vectors: (S, D), one per subquery.
        vectors: (N, D).
    """
    if not len(vectors):
        return np.zeros(0, dtype=np.float32)
    best: Scores = (vectors @ query_vectors.T).max(axis=1)
    return best


def centrality(vectors: Matrix, groups: Sequence[Hashable]) -> Scores:
    """Cosine of each sentence with the mean of its group, (N,).

    Args:
        vectors: (N, D).
        groups: (N,) what each belongs to, usually a document.
    """
    out = np.zeros(len(vectors), dtype=np.float32)
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    for members in rows.values():
        centre = vectors[members].mean(axis=0)
        out[members] = vectors[members] @ (centre / max(float(np.linalg.norm(centre)), 1e-12))
    return out


def neighbourhood(similarity: Scores, groups: Sequence[Hashable]) -> Scores:
    """Mean similarity of the sentences right before and after in the same group; its own where there are none, (N,)."""
    out = similarity.copy()
    for row, group in enumerate(groups):
        near = [other for other in (row - 1, row + 1) if 0 <= other < len(groups) and groups[other] == group]
        if near:
            out[row] = similarity[near].mean()
    return out


def relevance(query_vectors: Matrix, vectors: Matrix, *, groups: Sequence[Hashable], content: Scores) -> Scores:
    """How well each sentence answers: near the question, in a passage about it, central, and saying something.

    Args:
        query_vectors: (S, D).
        vectors: (N, D), in document order within each group.
        groups: (N,) the document of each.
        content: (N,) in [0, 1], see `tamis.reduce.segments.content_weight`.

    Returns:
        (N,), on the scale of a cosine.
    """
    similarity = question_similarity(query_vectors, vectors)
    total = (
        similarity
        + _CENTRALITY * centrality(vectors, groups)
        + _NEIGHBOURS * neighbourhood(similarity, groups)
        + _CONTENT * content
    )
    score: Scores = (total / (1.0 + _CENTRALITY + _NEIGHBOURS + _CONTENT)).astype(np.float32)
    return score


def mmr(scores: Scores, vectors: Matrix, *, trade: float, limit: int) -> list[int]:
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


def select(
    query_vectors: Matrix, vectors: Matrix, *, groups: Sequence[Hashable], content: Scores, trade: float, limit: int
) -> list[int]:
    """The sentences that answer a question best together.

    Args:
        query_vectors: (S, D), one per subquery.
        vectors: (N, D) of the sentences.
        groups: (N,) the document of each.
        content: (N,) in [0, 1].
        trade: λ of MMR.
        limit: most sentences.

    Returns:
        Indices, best first.
    """
    return mmr(relevance(query_vectors, vectors, groups=groups, content=content), vectors, trade=trade, limit=limit)
