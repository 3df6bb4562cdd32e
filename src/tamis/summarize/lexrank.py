"""LexRank: centrality in the graph of sentences that share words (Erkan & Radev, 2004)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.summarize.protocol import Scores
from tamis.summarize.terms import tf_idf

_THRESHOLD = 0.1
_DAMPING = 0.85
_TOLERANCE = 1e-6
_ITERATIONS = 100


class LexRank:
    """Thresholded LexRank: sentences with a tf·idf cosine above the threshold are linked; PageRank decides.

    Args:
        threshold: cosine above which two sentences are linked; the paper's 0.1.
        damping: share of the score that flows along links; the paper's 0.85.
    """

    def __init__(self, threshold: float = _THRESHOLD, damping: float = _DAMPING) -> None:
        self._threshold = threshold
        self._damping = damping

    def rank(self, sentences: Sequence[str]) -> Scores:
        """Stationary probability of each sentence, (S,), summing to 1."""
        size = len(sentences)
        if not size:
            return np.zeros(0, dtype=np.float32)
        rows = tf_idf(sentences)
        links = (rows @ rows.T).tocsr()
        links.data = np.where(links.data > self._threshold, 1.0, 0.0)
        # A link to itself would let a sentence that resembles no other keep its whole score.
        links.setdiag(0.0)
        links.eliminate_zeros()
        degree = np.asarray(links.sum(axis=1)).ravel()
        score = np.full(size, 1.0 / size)
        for _ in range(_ITERATIONS):
            share = np.divide(score, degree, out=np.zeros(size), where=degree > 0)
            # A sentence without links spreads its score evenly.
            flow = links.T @ share + score[degree == 0].sum() / size
            following = (1.0 - self._damping) / size + self._damping * flow
            moved = float(np.abs(following - score).sum())
            score = following
            if moved < _TOLERANCE:
                break
        return score.astype(np.float32)
