"""Sentences as rows of term weights, shared by the methods that count words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tamis.text.tokens import terms

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def counts(sentences: Sequence[str]) -> csr_array:
    """Term counts, (S, T), columns in the order in which terms first occur."""
    from scipy.sparse import csr_array

    columns: dict[str, int] = {}
    rows: list[int] = []
    places: list[int] = []
    values: list[float] = []
    for row, sentence in enumerate(sentences):
        for term, count in Counter(terms(sentence)).items():
            rows.append(row)
            places.append(columns.setdefault(term, len(columns)))
            values.append(float(count))
    shape = (len(sentences), max(1, len(columns)))
    return csr_array(
        (np.array(values), (np.array(rows, dtype=np.int64), np.array(places, dtype=np.int64))), shape=shape
    )


def tf_idf(sentences: Sequence[str]) -> csr_array:
    """L2-normalised tf·idf rows, (S, T); idf = ln(S/df) + 1 over the sentences themselves."""
    from scipy.sparse import diags_array

    matrix = counts(sentences)
    if not matrix.nnz:
        return matrix
    df = np.bincount(matrix.indices, minlength=matrix.shape[1])
    idf = np.log(max(1, len(sentences)) / np.maximum(df, 1)) + 1.0
    weighted = matrix @ diags_array(idf)
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    rows: csr_array = (diags_array(1.0 / np.maximum(lengths, 1e-12)) @ weighted).tocsr()
    return rows
