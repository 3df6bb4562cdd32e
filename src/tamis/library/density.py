"""Themes as dense places (L4): the recipe of BERTopic (Grootendorst, 2022) with principal components in front.

Reduce, then HDBSCAN (Campello, Moulavi & Sander, 2013): a row is as far from another as the sparser of the two, the
minimum spanning tree of these distances is cut from the far end, and a cluster is kept where it persists longer than
what it falls apart into ("excess of mass").
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from tamis.library.communities import NONE, Labels, numbered
from tamis.library.neighbours import Neighbours, nearest_by_vector
from tamis.models.protocols import Matrix

Weights = npt.NDArray[np.float64]

_DIMENSIONS = 5
_SAMPLES = 10
_CANDIDATES = 30
_GRID = 2.0**18
_APART = 2.0
_LEAST = 1e-6


def reduced(vectors: Matrix, dimensions: int = _DIMENSIONS) -> Weights:
    """The first principal components of unit rows, each row of length 1 again.

    Products are of whole numbers below 2⁵³, so they are the same on any number of threads; so are the components after
    rounding.

    Args:
        vectors: (N, D).
        dimensions: most components.

    Returns:
        (N, K), K ≤ dimensions; rows at the very mean are 0.
    """
    grid = np.rint(vectors.astype(np.float64) * _GRID)
    centred = np.rint(grid - grid.mean(axis=0))
    spread, axes = np.linalg.eigh(centred.T @ centred)
    kept = np.flatnonzero(spread > _LEAST * max(spread[-1], 1.0))[::-1][:dimensions]
    chosen = np.rint(axes[:, kept] * _GRID)
    signs = np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(len(kept))]) if len(kept) else 1.0
    projected = centred @ (chosen * signs) / (_GRID * _GRID)
    lengths = np.sqrt((projected**2).sum(axis=1, keepdims=True))
    unit: Weights = projected / np.where(lengths > 0, lengths, 1.0)
    return unit


def dense_places(vectors: Matrix, copies: npt.NDArray[np.int64], minimum: int) -> Labels:
    """Clusters of rows by density.

    Args:
        vectors: (N, D) unit rows, none twice.
        copies: (N,) how many chunks each row stands for.
        minimum: fewest chunks of a cluster.

    Returns:
        (N,) -1 for rows in no dense place.
    """
    if len(vectors) < 2:
        return np.full(len(vectors), NONE, dtype=np.int64)
    near = nearest_by_vector(reduced(vectors), _CANDIDATES)
    return _Tree(len(vectors), copies, minimum).clusters(*_links(near))


def _links(near: Neighbours) -> tuple[Labels, Labels, Weights]:
    """The minimum spanning tree of mutual reachability: ends and length, shortest first, one link between each part."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

    lengths = np.sqrt(np.maximum(2.0 - 2.0 * near.weights, _LEAST))
    place = np.arange(len(near.sources)) - np.searchsorted(near.sources, near.sources, side="left")
    core = np.full(near.size, _APART)
    last = place == _SAMPLES - 1
    core[near.sources[last]] = lengths[last]
    reach = np.maximum(lengths, np.maximum(core[near.sources], core[near.targets]))
    graph = csr_array((reach, (near.sources, near.targets)), shape=(near.size, near.size))
    tree = minimum_spanning_tree(graph.maximum(graph.T)).tocoo()
    _, part = connected_components(tree, directed=False)
    heads = np.unique(part, return_index=True)[1]
    left = np.concatenate([tree.row, np.full(len(heads) - 1, heads[0])]).astype(np.int64)
    right = np.concatenate([tree.col, heads[1:]]).astype(np.int64)
    length = np.concatenate([tree.data, np.full(len(heads) - 1, _APART)])
    order = np.lexsort((np.maximum(left, right), np.minimum(left, right), length))
    return left[order], right[order], length[order]


class _Tree:
    """The hierarchy of clusters, and which of them are kept."""

    def __init__(self, size: int, copies: npt.NDArray[np.int64], minimum: int) -> None:
        self._size = size
        self._minimum = minimum
        self._children: dict[int, tuple[int, int]] = {}
        self._weight = [int(count) for count in copies]
        self._length = [0.0] * size

    def clusters(self, left: Labels, right: Labels, lengths: Weights) -> Labels:
        """Join along the links, condense, choose."""
        root = list(range(2 * self._size - 1))
        for one, other, length in zip(left.tolist(), right.tolist(), lengths.tolist(), strict=True):
            ends = tuple(_found(root, end) for end in (one, other))
            node = len(self._weight)
            self._children[node] = (ends[0], ends[1])
            self._weight.append(self._weight[ends[0]] + self._weight[ends[1]])
            self._length.append(length)
            root[ends[0]] = root[ends[1]] = node
        return self._chosen(len(self._weight) - 1)

    def _chosen(self, top: int) -> Labels:
        """Clusters of the greatest stability, none above another; the whole is never one of them."""
        stability: dict[int, float] = {}
        parts: defaultdict[int, list[int]] = defaultdict(list)
        starts = [(top, NONE, 0.0)]
        for start, parent, born in starts:
            stability[start] = self._follow(start, born, starts)
            if parent != NONE:
                parts[parent].append(start)
        kept: dict[int, list[int]] = {}
        for start, parent, _ in reversed(starts):
            below = sum(stability[part] for part in parts[start])
            if parts[start] and (parent == NONE or below > stability[start]):
                stability[start] = below
                kept[start] = [piece for part in parts[start] for piece in kept[part]]
            else:
                kept[start] = [start]
        labels = np.full(self._size, NONE, dtype=np.int64)
        for number, start in enumerate(kept[top] if parts[top] else []):
            labels[self._leaves(start)] = number
        return numbered(labels)

    def _heavier(self, node: int) -> int:
        left, right = self._children[node]
        return left if self._weight[left] >= self._weight[right] else right

    def _follow(self, node: int, born: float, starts: list[tuple[int, int, float]]) -> float:
        """The stability of the cluster that begins at a node; what it falls apart into is appended to ``starts``."""
        start, total = node, 0.0
        while node in self._children:
            gone = 1.0 / self._length[node]
            sizes = [self._weight[child] for child in self._children[node]]
            if min(sizes) >= self._minimum:
                starts += [(child, start, gone) for child in self._children[node]]
                return total + sum(sizes) * (gone - born)
            if max(sizes) < self._minimum:
                return total + sum(sizes) * (gone - born)
            total += min(sizes) * (gone - born)
            node = self._heavier(node)
        return total

    def _leaves(self, node: int) -> list[int]:
        waiting, found = [node], []
        while waiting:
            top = waiting.pop()
            if top in self._children:
                waiting += self._children[top]
            else:
                found.append(top)
        return found


def _found(root: list[int], node: int) -> int:
    while root[node] != node:
        root[node] = root[root[node]]
        node = root[node]
    return node
