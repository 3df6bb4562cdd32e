"""What ranking returns and how it explains itself (R4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Via = Literal["text", "vector", "profile", "entities", "cards", "web"]
"""What brought an item: a retrieval layer, the enrichment after fusion (E3), or a card that quotes it (L10)."""


@dataclass(frozen=True, slots=True)
class SignalShare:
    """One signal's part in one item's place.

    Attributes:
        value: the raw signal (BM25F score, cosine, decay …).
        rank: 1-based rank in this signal alone; 0 where the signal does not know the item.
        contribution: what it added to the fused score.
        rank_without: where the item would stand had this signal been left out, 0 where it was not computed.
    """

    value: float
    rank: int
    contribution: float
    rank_without: int = 0


@dataclass(frozen=True, slots=True)
class RankedItem:
    """One document of a ranking.

    Attributes:
        rank: 1-based.
        document_id: the document.
        title: its title.
        url: its URL.
        score: the fused score; comparable within one ranking only.
        similarity: cosine of the question (best subquery) with the document's best chunk, in [-1, 1].
        via: the layers that found it, in the order of `Via`.
        chunk_id: its best chunk.
        snippet: a passage of that chunk, plain text.
        signals: signal name → share, filled for every signal in use.
    """

    rank: int
    document_id: str
    title: str
    url: str
    score: float
    similarity: float
    via: tuple[Via, ...]
    chunk_id: str = ""
    snippet: str = ""
    signals: Mapping[str, SignalShare] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranked list with the trace of how it came about.

    Attributes:
        items: best first.
        recipe: the fusion actually used (``auto`` resolved).
        layers: layer name → number of matches it brought.
        related: how many items came in via entity profiles.
        terms: query terms after analysis, with their boosts.
        opening: the best chunks before the question was refined by them, best first; what "answered" is judged by.
        nearness: for each subquery, its cosine with the nearest of these, less its cosine with just anything.
        notes: what a reader should know, one line each: that quoted words stand nowhere word for word.
    """

    items: tuple[RankedItem, ...]
    recipe: str
    layers: Mapping[str, int] = field(default_factory=dict)
    related: int = 0
    terms: tuple[tuple[str, float], ...] = ()
    opening: tuple[str, ...] = ()
    nearness: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
