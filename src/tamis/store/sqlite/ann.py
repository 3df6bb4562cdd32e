"""An approximate index for collections too large to search exactly; needs the extra ``ann``."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tamis.models.protocols import Matrix, Vector
from tamis.store.dense import Scores, ordered
from tamis.store.nouns import Rows

FILE_NAME = "vectors.usearch"
_CONNECTIVITY = 32
_EF_BUILD = 128
_EF_SEARCH = 256
_MORE = 2
"""Candidates fetched for each one wanted; exact cosines then choose among them."""


def available() -> bool:
    """Whether the library is installed."""
    return find_spec("usearch") is not None


def build(vectors: Matrix, path: Path) -> None:
    """Index the rows of a matrix.

    Half-precision HNSW (Malkov & Yashunin, 2018). One thread: the graph depends on the order of insertion.

    Args:
        vectors: (N, D), unit rows.
        path: of the index file.
    """
    index = _empty(vectors.shape[1])
    index.add(np.arange(len(vectors), dtype=np.uint64), vectors, threads=1)
    index.save(str(path))


def _empty(dimensions: int) -> Any:  # noqa: ANN401 - usearch ships no types
    # Loaded after usearch, onnxruntime ends the process with a segmentation fault; the other order is fine.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import_module("onnxruntime")
    from usearch.index import Index

    return Index(
        ndim=dimensions,
        metric="cos",
        dtype="f16",
        connectivity=_CONNECTIVITY,
        expansion_add=_EF_BUILD,
        expansion_search=_EF_SEARCH,
    )


class Neighbours:
    """A mapped index over a matrix.

    Args:
        path: of the index file.
        vectors: (N, D), the rows it was built from.
    """

    def __init__(self, path: Path, vectors: Matrix) -> None:
        self._vectors = vectors
        self._index = _empty(vectors.shape[1])
        self._index.view(str(path))

    def nearest(self, vector: Vector, k: int) -> tuple[Rows, Scores]:
        """Rows and exact cosines of the nearest, best first, equal cosines by ascending row."""
        if k <= 0:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        self._index.expansion_search = max(_EF_SEARCH, _MORE * k)
        found = self._index.search(vector, min(_MORE * k, len(self._vectors)), threads=1)
        return ordered(self._vectors, vector, np.sort(found.keys.astype(np.int64)), k)
