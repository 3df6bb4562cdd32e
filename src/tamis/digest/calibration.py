"""Where "not about this collection" lies, measured on the collection itself.

The reference are questions on many subjects (foreign.yaml). Whatever the collection is about, it answers few of them,
so how near they come to its passages, and how alike the passages are that they find, is what chance looks like here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Embedder, EmbeddingIdentity, Matrix, Vector
from tamis.store.nouns import Calibration

NEAREST = 5
"""Passages whose likeness to each other is measured; the same number as when a question is judged."""
_OWN = 300
"""Passages whose neighbourhood is kept."""
_PLACES = 4
"""Rounded further than the order of a sum can reach, so that threads leave no trace."""

_references: dict[EmbeddingIdentity, tuple[Matrix, Vector]] = {}


@lru_cache(maxsize=1)
def foreign_questions() -> tuple[str, ...]:
    """The reference questions."""
    from tamis.text import yamls

    return tuple(yamls.load((files("tamis.digest") / "foreign.yaml").read_text("utf-8"))["questions"])


def calibrate(document_ids: Sequence[str], vectors: Matrix, *, embedder: Embedder) -> Calibration:
    """Measure a collection.

    Args:
        document_ids: the owner of each passage.
        vectors: (N, D) passages, or an even sample of them.
        embedder: the one that made them.

    Returns:
        ``own``: cosines of passages with their nearest neighbour in another document. ``background``: the mean of the
        reference questions. ``parameters``: how much nearer the reference questions are to their nearest passage than
        to the background (``foreign_similarity``), and mean cosine among the passages nearest to them
        (``foreign_coherence``). Empty for a collection without passages.
    """
    if not len(vectors):
        return Calibration()
    questions, background = _reference(embedder)
    cosines = questions @ vectors.T
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]
    likeness = [coherence(vectors[rows]) for rows in nearest]
    own = _neighbours(document_ids, vectors)
    return Calibration(
        own=tuple(np.sort(np.round(own.astype(np.float64), _PLACES)).tolist()),
        sample=len(vectors),
        parameters={
            "foreign_similarity": round(float((cosines.max(axis=1) - questions @ background).mean()), _PLACES),
            "foreign_coherence": round(float(np.mean(likeness)), _PLACES),
        },
        background=tuple(np.round(background.astype(np.float64), _PLACES).tolist()),
    )


def _reference(embedder: Embedder) -> tuple[Matrix, Vector]:
    """The reference questions as questions, and their mean as texts."""
    if embedder.identity not in _references:
        texts = foreign_questions()
        _references[embedder.identity] = (embedder.queries(texts), embedder.passages(texts).mean(axis=0))
    return _references[embedder.identity]


def coherence(vectors: Matrix) -> float:
    """Mean cosine between different rows of a few; 1 for a single one."""
    count = len(vectors)
    if count < 2:
        return 1.0
    total = vectors.astype(np.float64).sum(axis=0)
    # |Σv|² holds every pair twice and every unit row once.
    return float(((total * total).sum() - count) / (count * (count - 1)))


def _neighbours(document_ids: Sequence[str], vectors: Matrix) -> npt.NDArray[np.float32]:
    """Cosine of evenly chosen passages with the nearest one of another document; none where there is no other."""
    owners = np.unique(np.asarray(document_ids), return_inverse=True)[1]
    if owners.max() == 0:
        return np.zeros(0, dtype=np.float32)
    rows = np.unique(np.linspace(0, len(vectors) - 1, min(_OWN, len(vectors))).round().astype(np.int64))
    cosines = vectors[rows] @ vectors.T
    cosines[owners[rows][:, None] == owners[None, :]] = -1.0
    nearest: npt.NDArray[np.float32] = cosines.max(axis=1)
    return nearest
