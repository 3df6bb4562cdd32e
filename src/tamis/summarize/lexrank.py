"""LexRank: centrality in the graph of sentences that share words (Erkan & Radev, 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tamis.summarize.luhn import significance
from tamis.summarize.protocol import Scores
from tamis.summarize.terms import counted, running_terms, unit_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_THRESHOLD = 0.1
_TOLERANCE = 0.1
_STEPS = 100
_BLOCK = 1024
"""Rows of cosines held at once."""
_TIE = 1e-3
"""Too little to change places with a sentence that stands better in the graph."""


class LexRank:
    """Sentences with an idf-modified cosine above a threshold are linked; a random walk decides (section 3.2).

    The walk is short, as in the experiments this method is compared with, and every sentence is linked to itself.
    Sentences that stand alike in the graph are told apart by Luhn's significance.

    Args:
        threshold: cosine above which two sentences are linked; the paper's 0.1.
        tolerance: the walk ends when a step moves the scores, of Euclidean length 1, by no more.
    """

    def __init__(self, threshold: float = _THRESHOLD, tolerance: float = _TOLERANCE) -> None:
        self._threshold = threshold
        self._tolerance = tolerance

    def rank(self, sentences: Sequence[str]) -> Scores:
        """Score of each sentence, (S,), at most about 1."""
        if not sentences:
            return np.zeros(0, dtype=np.float32)
        running = [running_terms(sentence) for sentence in sentences]
        score = self._walk(_links(_weighted([[term for term in row if term] for row in running]), self._threshold))
        significant = significance(running)
        ties = significant / max(float(significant.max()), 1.0)
        out: Scores = (score / score.max() + _TIE * ties).astype(np.float32)
        return out

    def _walk(self, links: csr_array) -> npt.NDArray[np.float64]:
        degree = np.diff(links.indptr)
        score: npt.NDArray[np.float64] = np.full(len(degree), 1.0 / len(degree))
        for _ in range(_STEPS):
            following: npt.NDArray[np.float64] = np.asarray(links @ (score / degree)).ravel()
            following /= np.sqrt((following * following).sum())
            moved = following - score
            score = following
            if np.sqrt((moved * moved).sum()) <= self._tolerance:
                break
        return score


def _weighted(rows: Sequence[Sequence[str]]) -> csr_array:
    """Unit rows of tf·idf: tf by the most frequent term of the sentence, idf = ln(S / (1 + df)) over the sentences."""
    from scipy.sparse import diags_array

    matrix = counted(rows)
    if not matrix.nnz:
        return matrix
    most = np.maximum(matrix.max(axis=1).toarray().ravel(), 1.0)
    idf = np.log(len(rows) / (1.0 + np.bincount(matrix.indices, minlength=matrix.shape[1])))
    return unit_rows(diags_array(1.0 / most) @ matrix @ diags_array(idf))


def _links(rows: csr_array, threshold: float) -> csr_array:
    """(S, S) ones where two rows are close, and on the diagonal."""
    from scipy.sparse import csr_array, eye_array, vstack

    size = rows.shape[0]
    across = rows.T.tocsr()
    blocks = []
    for start in range(0, size, _BLOCK):
        block = (rows[start : start + _BLOCK] @ across).tocsr()
        block.data = (block.data > threshold).astype(np.float64)
        block.eliminate_zeros()
        blocks.append(block)
    links = csr_array(vstack(blocks, format="csr")) + eye_array(size, format="csr")
    links.data[:] = 1.0
    return csr_array(links)
