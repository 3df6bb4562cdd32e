"""TextRank: PageRank over the graph of sentences that share words (Mihalcea & Tarau, 2004, section 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tamis.summarize.protocol import Scores
from tamis.summarize.terms import content_terms, counted

_DAMPING = 0.85
_TOLERANCE = 1e-6
_STEPS = 100
_MOST_WORDS = 200
"""Longer sentences count as so long: there are few, and each length costs a column."""


class TextRank:
    """The weight of a link is the number of terms two sentences share, over the sum of the logarithms of their lengths.

    The graph is never written out: sentences of one length share their weight's denominator, so one step of the walk
    is two products with the sparse matrix of terms, with a column for each length.

    Args:
        damping: share of the score that flows along links; the paper's 0.85.
    """

    def __init__(self, damping: float = _DAMPING) -> None:
        self._damping = damping

    def rank(self, sentences: Sequence[str]) -> Scores:
        """Stationary probability of each sentence, (S,), summing to 1."""
        size = len(sentences)
        if not size:
            return np.zeros(0, dtype=np.float32)
        graph = _Graph([content_terms(sentence) for sentence in sentences])
        totals = graph.flow(np.ones(size))
        linked = totals > 0
        score = np.full(size, 1.0 / size)
        for _ in range(_STEPS):
            share = np.divide(score, totals, out=np.zeros(size), where=linked)
            # A sentence without links spreads its score evenly.
            loose = float(score[~linked].sum()) / size
            following = (1.0 - self._damping) / size + self._damping * (graph.flow(share) + loose)
            moved = float(np.abs(following - score).sum())
            score = following
            if moved < _TOLERANCE:
                break
        return score.astype(np.float32)


class _Graph:
    """Links between sentences, kept as their terms.

    Args:
        rows: (S,) terms of each sentence.
    """

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self._terms = counted(rows)
        self._terms.data[:] = 1.0
        self._across = self._terms.T.tocsr()
        # One term alone has no logarithm to divide by; it counts as two.
        lengths = np.clip([len(row) for row in rows], 2, _MOST_WORDS)
        kinds, self._kind = np.unique(lengths, return_inverse=True)
        self._inverse = 1.0 / (np.log(lengths)[:, np.newaxis] + np.log(kinds)[np.newaxis, :])
        own = np.diff(self._terms.indptr)
        self._own = own * self._inverse[np.arange(len(rows)), self._kind]

    def flow(self, score: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What arrives at each sentence, (S,), when each sends ``score`` times the weight along its links."""
        spread = np.zeros((len(score), self._inverse.shape[1]))
        spread[np.arange(len(score)), self._kind] = score
        shared = self._terms @ (self._across @ spread)
        # Nobody sends to itself.
        arriving: npt.NDArray[np.float64] = (shared * self._inverse).sum(axis=1) - score * self._own
        return np.maximum(arriving, 0.0)
