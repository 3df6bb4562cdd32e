"""Latent semantic analysis (Steinberger & Ježek, 2004)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.summarize.protocol import Scores
from tamis.summarize.terms import counts

_LEAST_STRENGTH = 0.7
"""Topics weaker than this share of the strongest are left out. The paper takes 0.5; higher read better on four sets."""
_TOPICS = 10
"""Most topics; with the share above there are rarely more than three."""
_DIGITS = 5
"""Decimals of a score, relative to the best: fewer than what the number of threads of a solver can change."""


class Lsa:
    """Length of each sentence in the space of the strong topics, each weighed by its singular value."""

    def rank(self, sentences: Sequence[str]) -> Scores:
        """(S,) lengths in topic space, the longest 1."""
        from scipy.linalg import svd
        from scipy.sparse.linalg import svds

        matrix = counts(sentences)
        if not matrix.nnz:
            return np.zeros(len(sentences), dtype=np.float32)
        matrix.data[:] = 1.0
        least = min(matrix.shape)
        if least <= 2 * _TOPICS:
            left, strength, _ = svd(matrix.toarray(), full_matrices=False)
        else:
            # The starting vector is fixed: the same text gives the same scores.
            left, strength, _ = svds(matrix, k=_TOPICS, v0=np.ones(least), solver="arpack")
        strong = np.where(strength >= _LEAST_STRENGTH * strength.max(), strength, 0.0)
        lengths = np.sqrt(((left * strong) ** 2).sum(axis=1))
        out: Scores = np.round(lengths / lengths.max(), _DIGITS).astype(np.float32)
        return out
