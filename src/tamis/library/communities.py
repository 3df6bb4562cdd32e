"""Communities in a graph of neighbours, and one division of the chunks from two that agree (L4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Labels = npt.NDArray[np.int64]
"""(N,) the community of each row, numbered from 0 by first row; -1 where there is none."""
Weights = npt.NDArray[np.float64]

NONE = -1
UNKNOWN = -2
_ROUNDS = 3


def leiden(graph: csr_array, *, resolution: float, seed: int) -> Labels:
    """Communities of the highest modularity (Traag, Waltman & van Eck, 2019).

    Args:
        graph: (N, N) symmetric, weights above 0.
        resolution: higher makes more and smaller ones (Reichardt & Bornholdt, 2006).
        seed: of the random order in which rows are moved.

    Returns:
        Every row is in a community, if only in its own.
    """
    from graspologic_native import leiden_csr

    size = graph.shape[0]
    if not graph.nnz:
        return np.arange(size)
    _, found = leiden_csr(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        graph.data.astype(np.float64),
        size,
        resolution=resolution,
        iterations=_ROUNDS,
        seed=seed % 2**63,
    )
    return numbered(np.array([found.get(row, size + row) for row in range(size)], dtype=np.int64))


def numbered(labels: Labels) -> Labels:
    """The same communities numbered by their first row; -1 stays."""
    found, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    first = np.where(found == NONE, -1, first)
    rank = np.argsort(np.argsort(first, kind="stable"), kind="stable")
    result: Labels = rank[inverse] - int((found == NONE).any())
    return result


def modularity(graph: csr_array, labels: Labels, resolution: float) -> float:
    """How much more weight lies inside the communities than chance would put there (Newman, 2004); -1 is none."""
    edges = graph.tocoo()
    total = float(edges.data.sum())
    if not total:
        return 0.0
    inside = (labels[edges.row] == labels[edges.col]) & (labels[edges.row] != NONE)
    placed = labels != NONE
    degrees = np.bincount(edges.row, edges.data, len(labels))
    sums = np.bincount(labels[placed], degrees[placed])
    return float(edges.data[inside].sum() / total - resolution * ((sums / total) ** 2).sum())


def coherence(graph: csr_array, labels: Labels) -> float:
    """How much more of the weight lies inside the groups than by chance, 0, and at most, 1 (Newman, 2003).

    Rows without a group do not count.
    """
    edges = graph.tocoo()
    placed = (labels[edges.row] >= 0) & (labels[edges.col] >= 0)
    weights, one, other = edges.data[placed], labels[edges.row[placed]], labels[edges.col[placed]]
    total = float(weights.sum())
    if not total:
        return 0.0
    chance = float(((np.bincount(one, weights) / total) ** 2).sum())
    inside = float(weights[one == other].sum()) / total
    return (inside - chance) / (1.0 - chance) if chance < 1.0 else 0.0


def without_small(labels: Labels, copies: npt.NDArray[np.int64], minimum: int) -> Labels:
    """Communities of fewer chunks than a minimum are none.

    Args:
        labels: (N,) of rows.
        copies: (N,) how many chunks each row stands for.
        minimum: of chunks.
    """
    placed = labels != NONE
    sizes = np.bincount(labels[placed], copies[placed], minlength=1)
    kept = placed & (sizes[np.where(placed, labels, 0)] >= minimum)
    return numbered(np.where(kept, labels, NONE))


def shares(graph: csr_array, labels: Labels, number: int) -> Weights:
    """(N, C) which part of a row's neighbourhood lies in each community; rows without neighbours are 0."""
    from scipy.sparse import csr_array

    placed = np.flatnonzero(labels >= 0)
    membership = csr_array((np.ones(len(placed)), (placed, labels[placed])), shape=(len(labels), number))
    inside = np.asarray((graph @ membership).todense(), dtype=np.float64).reshape(len(labels), number)
    total = np.asarray(graph.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    result: Weights = inside / np.where(total > 0, total, 1.0)
    return result


def merged(first: Labels, second: Labels, entities: csr_array, overlap: float) -> Labels:
    """One division from two passes.

    A community of the first and one of the second pass are the same theme if they agree in their chunks *and* in what
    those chunks name: more than ``overlap`` of the smaller one lies in the larger, and the weighted Jaccard similarity
    of their mean entities reaches ``overlap``. Where neither names anything, there is nothing to disagree about, and
    the chunks decide. So two communities of the first pass become one where the second pass sees one. A row keeps the
    theme of its first community; without one it follows its second.

    Args:
        first: (N,) the pass that decides.
        second: (N,) the pass that confirms.
        entities: (N, E) unit rows, as `tamis.library.neighbours.entity_matrix` gives them; E may be 0.
        overlap: 0 to 1.

    Returns:
        (N,) -1 only where both passes have none.
    """
    left, right = int(first.max(initial=NONE)) + 1, int(second.max(initial=NONE)) + 1
    shared = np.zeros((left, right))
    both = (first >= 0) & (second >= 0)
    np.add.at(shared, (first[both], second[both]), 1.0)
    one, other = np.bincount(first[first >= 0], minlength=left), np.bincount(second[second >= 0], minlength=right)
    means, others = _mean_entities(entities, first, left), _mean_entities(entities, second, right)
    root = np.arange(left + right)
    part = shared / np.minimum(one[:, np.newaxis], other)
    for a, b in np.argwhere((part > overlap) | (part == 1.0)).tolist():
        if _likeness(means[a], others[b]) >= overlap:
            low, high = sorted((int(root[a]), int(root[left + b])))
            root[root == high] = low
    padded = np.append(root, NONE)
    confirmed = padded[np.where(second >= 0, left + second, left + right)]
    return numbered(np.where(first >= 0, padded[first], confirmed))


def _mean_entities(entities: csr_array, labels: Labels, number: int) -> Weights:
    from scipy.sparse import csr_array

    placed = np.flatnonzero(labels >= 0)
    sizes = np.maximum(np.bincount(labels[placed], minlength=number), 1)
    data = 1.0 / sizes[labels[placed]]
    membership = csr_array((data, (labels[placed], placed)), shape=(number, len(labels)))
    return np.asarray((membership @ entities).todense(), dtype=np.float64).reshape(number, entities.shape[1])


def _likeness(left: Weights, right: Weights) -> float:
    """Weighted Jaccard similarity; 1 if both are empty."""
    most = float(np.maximum(left, right).sum())
    return float(np.minimum(left, right).sum()) / most if most else 1.0


def extended(graph: csr_array, former: Labels) -> Labels:
    """A former division with new rows added, each to the community that most of its neighbourhood is in.

    Args:
        graph: (N, N) symmetric.
        former: (N,) -2 where a row is new, -1 where it belonged to no community.

    Returns:
        (N,) rows that none of their former community is near any more are placed like new ones; -1 where no neighbour
        has a community.
    """
    labels = former.copy()
    number = int(labels.max(initial=NONE)) + 1
    if not number:
        return np.full(len(labels), NONE, dtype=np.int64)
    near = shares(graph, labels, number)
    known = np.flatnonzero(labels >= 0)
    strayed = known[(near[known, labels[known]] == 0.0) & (near[known].max(axis=1) > 0.0)]
    labels[strayed] = UNKNOWN
    for _ in range(_ROUNDS):
        waiting = np.flatnonzero(labels == UNKNOWN)
        near = shares(graph, labels, number)[waiting]
        found = near.max(axis=1, initial=0.0) > 0.0
        labels[waiting[found]] = near[found].argmax(axis=1)
        if not found.any():
            break
    return np.where(labels == UNKNOWN, NONE, labels)
