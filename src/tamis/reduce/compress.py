"""Shortening long items to their central sentences (K1)."""

from __future__ import annotations

import numpy as np

from tamis.models.protocols import Matrix
from tamis.reduce.select import Scores, mmr
from tamis.settings import ReduceSettings
from tamis.summarize.textrank import textrank

_LEAD_HALF_LIFE = 5.0
"""Sentences after which the lead of a text without headings counts half; flat from 2 to 12 on news."""
_TRADE = 0.7
"""λ of MMR between sentences of one text: they repeat each other more than answers of several."""


def compress(vectors: Matrix, content: Scores, *, limit: int, settings: ReduceSettings, lead: bool) -> list[int]:
    """The sentences a text can be shortened to, in document order.

    TextRank × content × position, then MMR. Texts without headings are told from the top, the most important first
    (the inverted pyramid); under headings every section starts anew, and position says nothing.

    Args:
        vectors: (N, D) of the sentences, in document order.
        content: (N,) in [0, 1], how much each says.
        limit: most sentences.
        settings: the graph's numbers.
        lead: whether the text is told from the top.

    Returns:
        Indices, ascending.
    """
    if not len(vectors):
        return []
    rank = textrank(vectors, edge_floor=settings.edge_floor, damping=settings.damping, iterations=settings.iterations)
    score = rank * content
    if lead:
        score = score * np.exp2(-np.arange(len(vectors)) / _LEAD_HALF_LIFE)
    scaled: Scores = (score / max(float(score.max()), 1e-12)).astype(np.float32)
    return sorted(mmr(scaled, vectors, trade=_TRADE, limit=limit))
