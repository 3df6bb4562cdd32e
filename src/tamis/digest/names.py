"""Embeddings of entity names, on a scale where unrelated names are near 0."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Embedder, EmbeddingIdentity, Matrix, Vector

_means: dict[EmbeddingIdentity, Vector] = {}


@lru_cache(maxsize=1)
def _usual_names() -> tuple[str, ...]:
    from tamis.text import yamls

    written = yamls.load((files("tamis.digest") / "anchors.yaml").read_text("utf-8"))
    return tuple(name.casefold() for name in written["names"])


def embed_names(keys: Sequence[str], embedder: Embedder) -> Matrix:
    """Embed entity keys, less what all names have in common.

    Sentence encoders put any two short names at a cosine around 0.5, which leaves no room for the floors of E3 and lets
    one common place outweigh everything else in a profile. The mean of names of many kinds is subtracted (Mu &
    Viswanath, 2018, "All-but-the-top", without its second step), and the rest normalised.

    Args:
        keys: normal forms of entities.
        embedder: of the collection.

    Returns:
        (len(keys), D), unit rows.
    """
    if not keys:
        return np.zeros((0, embedder.identity.dimensions), dtype=np.float32)
    if embedder.identity not in _means:
        _means[embedder.identity] = embedder.passages(_usual_names()).mean(axis=0)
    rest: npt.NDArray[np.float32] = embedder.passages(keys) - _means[embedder.identity]
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    centred: Matrix = (rest / np.maximum(lengths, 1e-12)).astype(np.float32)
    return centred
