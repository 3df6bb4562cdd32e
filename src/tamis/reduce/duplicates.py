"""Segments that say the same: found by meaning and by wording, the best kept, the others remembered (K3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix
from tamis.text.tokens import words

_SHINGLE = 3
_OVERLAP = 0.6
"""Share of the shorter text's shingles that another must hold to repeat it."""


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    sequence = words(text)
    width = min(_SHINGLE, len(sequence))
    if not width:
        return frozenset()
    return frozenset(tuple(sequence[at : at + width]) for at in range(len(sequence) - width + 1))


def unique(
    texts: Sequence[str], vectors: Matrix, scores: npt.NDArray[np.float32], *, floor: float
) -> tuple[list[int], Mapping[int, tuple[int, ...]]]:
    """Keep the best of every group of near-duplicates.

    Args:
        texts: (N,).
        vectors: (N, D).
        scores: (N,); the higher one of two duplicates stays, on ties the earlier.
        floor: cosine from which two segments say the same.

    Returns:
        Indices kept, ascending, and for each of them that has any the indices it stands for.
    """
    order = sorted(range(len(texts)), key=lambda index: (-float(scores[index]), index))
    prints = [_shingles(text) for text in texts]
    kept: list[int] = []
    stands_for: dict[int, list[int]] = {}
    for index in order:
        owner = _repeats(index, kept, prints, vectors, floor)
        if owner is None:
            kept.append(index)
        else:
            stands_for.setdefault(owner, []).append(index)
    return sorted(kept), {owner: tuple(sorted(group)) for owner, group in sorted(stands_for.items())}


def _repeats(
    index: int, kept: Sequence[int], prints: Sequence[frozenset[tuple[str, ...]]], vectors: Matrix, floor: float
) -> int | None:
    if not kept:
        return None
    cosines = vectors[list(kept)] @ vectors[index]
    mine = prints[index]
    for place in np.argsort(-cosines, kind="stable"):
        other = kept[int(place)]
        if cosines[place] >= floor:
            return other
        shorter = min(len(mine), len(prints[other]))
        if shorter and len(mine & prints[other]) >= _OVERLAP * shorter:
            return other
    return None
