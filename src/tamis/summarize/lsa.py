"""Latent semantic analysis (Steinberger & Ježek, 2004)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.summarize.protocol import Scores
from tamis.summarize.terms import tf_idf

_TOPICS = 10


class Lsa:
    """Length of each sentence in the space of the strongest topics, each weighed by its singular value."""

    def rank(self, sentences: Sequence[str]) -> Scores:
        """(S,) lengths in topic space."""
        from scipy.linalg import svd
        from scipy.sparse.linalg import svds

        rows = tf_idf(sentences)
        if not rows.nnz:
            return np.zeros(len(sentences), dtype=np.float32)
        topics = min(_TOPICS, max(1, min(rows.shape) // 2))
        if min(rows.shape) <= topics + 1:
            left, strength, _ = svd(rows.toarray(), full_matrices=False)
        else:
            # The starting vector is fixed: the same text gives the same scores.
            left, strength, _ = svds(rows, k=topics, v0=np.ones(min(rows.shape)), solver="arpack")
        out: Scores = np.sqrt(((left * strength) ** 2).sum(axis=1)).astype(np.float32)
        return out
