"""Normalised word frequency: sentences made of the text's frequent words (Nenkova & Vanderwende, 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tamis.summarize.protocol import Scores
from tamis.summarize.terms import counts

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Frequency:
    """Sum of the frequencies of a sentence's terms, each once, over the root of its length.

    Frequencies are divided by that of the most frequent term. The mean would favour the shortest sentences, the sum
    the longest.
    """

    def rank(self, sentences: Sequence[str]) -> Scores:
        """(S,) scores."""
        return frequencies(counts(sentences)).astype(np.float32)


def frequencies(matrix: csr_array) -> npt.NDArray[np.float64]:
    """Score of each row of counts, (S,)."""
    if not matrix.nnz:
        return np.zeros(matrix.shape[0])
    total = np.bincount(matrix.indices, weights=matrix.data, minlength=matrix.shape[1])
    length = np.asarray(matrix.sum(axis=1)).ravel()
    present = matrix.copy()
    present.data[:] = 1.0
    out: npt.NDArray[np.float64] = (present @ (total / total.max())) / np.sqrt(np.maximum(length, 1.0))
    return out
