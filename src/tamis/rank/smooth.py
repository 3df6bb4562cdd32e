"""Neighbours vouch for each other: passages about the same thing should stand at about the same place.

The cluster hypothesis (van Rijsbergen, 1979) as regularisation of the scores (Diaz, 2005): part of a document's score
is the mean score of those among the best that are most like it. It lifts what says the same in other words, and lowers
what only happens to share some.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix
from tamis.rank.fusion import Fused, fuse
from tamis.settings import RankSettings
from tamis.store.nouns import Rows
from tamis.store.protocols import CollectionReader

Scores = npt.NDArray[np.float64]
NAME = "neighbours"
_GRID = 2.0**20


def smoothed(fused: Fused, chunks: Rows, reader: CollectionReader, settings: RankSettings, *, depth: int) -> Fused:
    """The order with each of the best documents' score drawn towards those of its neighbours.

    Nobody leaves or enters the best: a mean of their scores is no less than the least of them.

    Args:
        fused: the order so far, over N candidates.
        chunks: (N,) row of the best chunk of each, below 0 where there is none.
        reader: the collection.
        settings: how many neighbours count, and for how much.
        depth: how many of the best are compared.

    Returns:
        The new order; the neighbours' part is a contribution like a signal's.
    """
    share = settings.neighbour_weight
    best = fused.order[:depth]
    best = best[chunks[best] >= 0]
    if share <= 0 or len(best) < 2:
        return fused
    towards = fused.scores.copy()
    towards[best] = neighbour_means(reader.vectors_at(chunks[best]), fused.scores[best], settings.neighbours)
    parts = {name: (1.0 - share) * part for name, part in fused.contributions.items()}
    parts[NAME] = share * towards
    return fuse(parts, len(fused.scores))


def neighbour_means(vectors: Matrix, scores: Scores, count: int) -> Scores:
    """The mean score of each row's nearest other rows, weighted by squared cosine.

    Args:
        vectors: (N, D) unit rows, N ≥ 2.
        scores: (N,).
        count: how many neighbours; equally near ones beyond that count too.

    Returns:
        (N,); a row's own score where nothing is on its side.
    """
    likeness = exact_products(vectors)
    np.fill_diagonal(likeness, 0.0)
    count = min(count, len(vectors) - 1)
    least = np.partition(likeness, len(vectors) - count, axis=1)[:, len(vectors) - count, np.newaxis]
    weight = np.where(likeness >= np.maximum(least, 0.0), likeness * likeness, 0.0)
    total = weight.sum(axis=1)
    means: Scores = np.where(total > 0, (weight * scores).sum(axis=1) / np.where(total > 0, total, 1.0), scores)
    return means


def exact_products(vectors: Matrix) -> Scores:
    """(N, N) cosines of unit rows, to 20 bits a factor.

    On such a grid every product and sum is a whole number below 2⁵³, so no order of adding them makes a difference.
    """
    grid = np.rint(vectors.astype(np.float64) * _GRID)
    products: Scores = (grid @ grid.T) / (_GRID * _GRID)
    return products
