"""Word frequency: sentences made of the text's frequent words (Nenkova & Vanderwende, 2005)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.summarize.protocol import Scores
from tamis.summarize.terms import counts


class Frequency:
    """Mean frequency of a sentence's content words, damped where it has few."""

    def rank(self, sentences: Sequence[str]) -> Scores:
        """(S,) mean frequencies."""
        matrix = counts(sentences)
        if not matrix.nnz:
            return np.zeros(len(sentences), dtype=np.float32)
        total = np.asarray(matrix.sum(axis=0)).ravel()
        length = np.asarray(matrix.sum(axis=1)).ravel()
        weight = matrix @ (total / total.sum())
        out: Scores = (weight / np.sqrt(np.maximum(length, 1.0))).astype(np.float32)
        return out
