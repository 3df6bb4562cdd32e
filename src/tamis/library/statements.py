"""Which sentences of a theme say the same, and which contradict each other.

Two sentences are compared when they share telling words: the cosine of their tf-idf rows. What two origins say alike
supports a sentence of a card; what they say against each other makes the card a debated one. Sentences of one origin
are never compared: a source cannot confirm itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tamis.schema.library import Quote
from tamis.summarize.terms import tf_idf

ALIKE = 0.45
"""Least cosine of tf-idf rows at which two sentences are about the same thing."""
SAME = 0.6
"""Least cosine at which one confirms the other."""
_MOST_PAIRS = 2_000
_MOST_SENTENCES = 10_000
"""Of a larger theme the first are compared, and those that its card takes: the work grows with their square."""
_BLOCK = 1_000

Disagree = Callable[[str, str], str]
"""Two sentences → in what they contradict each other, empty where they do not; in either order the same."""
Agree = Callable[[str, str], bool]
"""Two sentences that are much alike → whether the second supports the first."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the sentences of a theme say about each other.

    Attributes:
        compared: how many sentences another origin says something about.
        opposing: pairs that contradict each other, the most alike first.
        confirmed: row → rows of other origins that say the same, the most alike first.
    """

    compared: int
    opposing: tuple[tuple[int, int], ...]
    confirmed: Mapping[int, tuple[int, ...]]

    @property
    def agreement(self) -> float | None:
        """Share of the compared sentences that nobody contradicts; None where nothing can be compared."""
        if not self.compared:
            return None
        opposed = {row for pair in self.opposing for row in pair}
        return round(1.0 - len(opposed) / self.compared, 4)


def compare(
    quotes: Sequence[Quote], origins: Mapping[str, str], disagree: Disagree, agree: Agree, chosen: Sequence[int] = ()
) -> Comparison:
    """Compare the sentences of a theme.

    Args:
        quotes: (S,) its sentences, those of its most central passages first.
        origins: document id → name of its origin; copies of one text share one.
        disagree: finds contradictions.
        agree: tells support from likeness.
        chosen: rows that are compared however many there are.
    """
    rows = sorted({*range(min(len(quotes), _MOST_SENTENCES)), *chosen})
    some = [quotes[row] for row in rows]
    found = _alike([quote.text for quote in some], [origins[quote.document_id] for quote in some])
    pairs = [(rows[left], rows[right], cosine) for left, right, cosine in found]
    opposing = []
    confirmed: dict[int, list[int]] = {}
    for left, right, cosine in pairs:
        if disagree(quotes[left].text, quotes[right].text):
            opposing.append((left, right))
        elif cosine >= SAME:
            for one, other in ((left, right), (right, left)):
                if agree(quotes[one].text, quotes[other].text):
                    confirmed.setdefault(one, []).append(other)
    compared = {row for left, right, _ in pairs for row in (left, right)}
    return Comparison(len(compared), tuple(opposing), {row: tuple(others) for row, others in sorted(confirmed.items())})


def _alike(texts: Sequence[str], origins: Sequence[str]) -> list[tuple[int, int, float]]:
    """Pairs of different origins that share telling words, the most alike first, ties by row."""
    if len(texts) < 2:
        return []
    rows = tf_idf(texts)
    known = {name: number for number, name in enumerate(sorted(set(origins)))}
    origin: npt.NDArray[np.int64] = np.array([known[name] for name in origins], dtype=np.int64)
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(texts), _BLOCK):
        block = (rows[start : start + _BLOCK] @ rows.T).tocoo()
        left, right = block.row.astype(np.int64) + start, block.col.astype(np.int64)
        keep = (block.data >= ALIKE) & (left < right) & (origin[left] != origin[right])
        cosines = np.round(block.data[keep], 6).tolist()
        found += zip(left[keep].tolist(), right[keep].tolist(), cosines, strict=True)
        found = sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))[:_MOST_PAIRS]
    return found
