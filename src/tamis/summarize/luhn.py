"""Luhn's significance: dense clusters of frequent content words (Luhn, 1958)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tamis.summarize.protocol import Scores
from tamis.text.tokens import is_stop, words

_GAP = 4
"""Insignificant words that may stand between two significant ones of a cluster."""


class Luhn:
    """Score of the best cluster: significant words squared over the words it spans."""

    def rank(self, sentences: Sequence[str]) -> Scores:
        """Significance of each sentence, (S,)."""
        split = [words(sentence) for sentence in sentences]
        frequency = Counter(word for row in split for word in row if not is_stop(word))
        # A word counts where it occurs more than once, as far as the text is long enough to repeat itself.
        least = 2 if any(count > 1 for count in frequency.values()) else 1
        significant = {word for word, count in frequency.items() if count >= least}
        return np.array([_best_cluster(row, significant) for row in split], dtype=np.float32)


def _best_cluster(row: Sequence[str], significant: set[str]) -> float:
    places = [place for place, word in enumerate(row) if word in significant]
    best = 0.0
    first = 0
    for index, place in enumerate(places):
        if index and place - places[index - 1] > _GAP:
            first = index
        size = index - first + 1
        best = max(best, size * size / (place - places[first] + 1))
    return best
