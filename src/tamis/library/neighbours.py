"""Which chunks are near which: by what they say, and by whom and what they name (L4).

Both give the same thing, a list of neighbours a row, and both give it to the last bit on any number of threads: the
graph built on it decides about communities, and a community decides about ids that people keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

_BLOCK = 512
_PAIRS = 1 << 18
_DECIMALS = 6
# Far above the error of a float32 dot product of unit vectors, far below any difference that matters.
_SLACK = 2e-5
# An entity that more of the chunks share says little about any two of them, and costs the square of its chunks.
_COMMON = 0.1
_RARE = 50


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Directed edges from each row to its nearest other rows.

    Attributes:
        size: number of rows N.
        sources: (E,) ascending.
        targets: (E,) nearest first within a source, equally near ones by ascending row.
        weights: (E,) likeness, above 0, at most 1.
    """

    size: int
    sources: Rows
    targets: Rows
    weights: Weights

    def matrix(self) -> csr_array:
        """(N, N) the edges as they are directed."""
        from scipy.sparse import csr_array

        return csr_array((self.weights, (self.sources, self.targets)), shape=(self.size, self.size))

    def union(self) -> csr_array:
        """(N, N) symmetric: joined if either is a neighbour of the other."""
        directed = self.matrix()
        both: csr_array = directed.maximum(directed.T).tocsr()
        both.sort_indices()
        return both


def nearest_by_vector(vectors: npt.NDArray[np.floating[Any]], count: int) -> Neighbours:
    """Exact nearest neighbours by cosine.

    A float32 product of blocks finds every row that could be among the nearest; those few are weighed again in float64
    in a fixed order, because BLAS orders its sums by the number of threads it has.

    Args:
        vectors: (N, D) unit rows; a zero row has no neighbours.
        count: most neighbours of a row.

    Returns:
        Edges to the other rows with a cosine above 0.
    """
    matrix = np.ascontiguousarray(vectors, dtype=np.float32)
    size = len(matrix)
    most = min(count, size - 1)
    parts = [_block(matrix, start, most) for start in range(0, size, _BLOCK)] if most > 0 else []
    return _joined(size, parts)


def _block(matrix: npt.NDArray[np.float32], start: int, count: int) -> tuple[Rows, Rows, Weights]:
    rough = matrix[start : start + _BLOCK] @ matrix.T
    own = np.arange(len(rough))
    rough[own, start + own] = -np.inf
    least = np.partition(rough, rough.shape[1] - count, axis=1)[:, rough.shape[1] - count]
    sources, targets = np.nonzero(rough >= (np.maximum(least, 0.0) - _SLACK)[:, np.newaxis])
    return _best(sources + start, targets, _cosines(matrix, sources + start, targets), count)


def _cosines(matrix: npt.NDArray[np.float32], left: Rows, right: Rows) -> Weights:
    found = np.empty(len(left))
    for at in range(0, len(left), _PAIRS):
        part = slice(at, at + _PAIRS)
        np.einsum("ij,ij->i", matrix[left[part]].astype(np.float64), matrix[right[part]], out=found[part])
    return found.round(_DECIMALS)


def _best(sources: Rows, targets: Rows, weights: Weights, count: int) -> tuple[Rows, Rows, Weights]:
    """The ``count`` heaviest edges of each source, equally heavy ones by ascending target."""
    order = np.lexsort((targets, -weights, sources))
    sources, targets, weights = sources[order], targets[order], weights[order]
    first = np.searchsorted(sources, sources, side="left")
    keep = (np.arange(len(sources)) - first < count) & (weights > 0)
    return sources[keep], targets[keep], np.minimum(weights[keep], 1.0)


def _joined(size: int, parts: Sequence[tuple[Rows, Rows, Weights]]) -> Neighbours:
    if not parts:
        return Neighbours(size, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    sources, targets, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Neighbours(size, sources.astype(np.int64), targets.astype(np.int64), weights)


def entity_matrix(entities: Sequence[frozenset[str]]) -> csr_array:
    """Unit rows of the entities of each chunk, an entity weighing its idf.

    idf = ln(N / df) over the chunks (Spärck Jones, 1972). Entities that only one chunk names, or more than a tenth of
    them (and more than 50), join nothing worth joining and are left out.

    Args:
        entities: of each of N chunks.

    Returns:
        (N, E), columns in ascending order of the entities; E may be 0, and rows may be empty.
    """
    from scipy.sparse import csr_array, diags_array

    counts: dict[str, int] = {}
    for named in entities:
        for entity in named:
            counts[entity] = counts.get(entity, 0) + 1
    most = max(_RARE, int(_COMMON * len(entities)))
    kept = sorted(entity for entity, count in counts.items() if 2 <= count <= most and count < len(entities))
    columns = {entity: column for column, entity in enumerate(kept)}
    lists = [sorted(columns[entity] for entity in named if entity in columns) for named in entities]
    starts = np.cumsum([0, *map(len, lists)])
    indices = np.array([column for row in lists for column in row], dtype=np.int64)
    data = np.log(len(entities) / np.array([counts[entity] for entity in kept], dtype=np.float64))[indices]
    matrix = csr_array((data, indices, starts), shape=(len(entities), len(kept)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    unit: csr_array = (diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ matrix).tocsr()
    return unit


def nearest_by_entity(matrix: csr_array, count: int) -> Neighbours:
    """Nearest neighbours by shared entities.

    Args:
        matrix: (N, E) unit rows, as `entity_matrix` gives them.
        count: most neighbours of a row.

    Returns:
        Edges to other rows that share at least one entity.
    """
    size = matrix.shape[0]
    count = min(count, size - 1)
    other = matrix.T.tocsr()
    parts = []
    for start in range(0, size if matrix.nnz and count else 0, _BLOCK):
        shared = (matrix[start : start + _BLOCK] @ other).toarray().round(_DECIMALS)
        own = np.arange(len(shared))
        shared[own, start + own] = 0.0
        least = np.partition(shared, size - count, axis=1)[:, size - count, np.newaxis]
        sources, targets = np.nonzero((shared >= least) & (shared > 0.0))
        parts.append(_best(sources + start, targets, shared[sources, targets], count))
    return _joined(size, parts)
