"""Luhn's significance: dense clusters of frequent content words (Luhn, 1958)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tamis.summarize.frequency import frequencies
from tamis.summarize.protocol import Scores
from tamis.summarize.terms import counted, running_terms

_GAP = 4
"""Insignificant words that may stand between two significant ones of a cluster."""


_FREQUENT = 0.3
"""How much more the cluster of the sentence with the most frequent words counts. Many clusters score the same."""


class Luhn:
    """Score of the best cluster: significant words squared over the words it spans, more where words are frequent."""

    def rank(self, sentences: Sequence[str]) -> Scores:
        """Significance of each sentence, (S,)."""
        running = [running_terms(sentence) for sentence in sentences]
        frequent = frequencies(counted([[term for term in row if term] for row in running]))
        scaled = frequent / max(float(frequent.max(initial=0.0)), 1e-12)
        out: Scores = (significance(running) * (1.0 + _FREQUENT * scaled)).astype(np.float32)
        return out


def significance(rows: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """Significance of each sentence, (S,).

    A term is significant where it occurs more than once in the text; a cluster counts it once however often it is
    repeated there, and needs two.

    Args:
        rows: (S,) running terms, empty where a word carries no topic.
    """
    frequency = Counter(term for row in rows for term in row if term)
    significant = {term for term, count in frequency.items() if count > 1}
    return np.array([_best_cluster(row, significant) for row in rows], dtype=np.float64)


def _best_cluster(row: Sequence[str], significant: set[str]) -> float:
    best = 0.0
    first = last = -1
    held: set[str] = set()
    for place, term in enumerate(row):
        if term not in significant:
            continue
        if place - last > _GAP:
            first = place
            held = set()
        held.add(term)
        last = place
        if len(held) > 1:
            best = max(best, len(held) ** 2 / (place - first + 1))
    return best
