"""What is kept for the next text has a bound, whatever texts are made of."""

from __future__ import annotations

import random
import tracemalloc

from tamis.text.fingerprints import hash64, simhash
from tamis.text.remembered import LONGEST, remembered
from tamis.text.tokens import terms


def test_short_strings_are_computed_once_and_long_ones_are_not_kept() -> None:
    asked = []

    @remembered(2)
    def length(text: str) -> int:
        """Of a text."""
        asked.append(text)
        return len(text)

    long = "x" * (LONGEST + 1)
    assert [length(text) for text in ("a", "a", long, long)] == [1, 1, LONGEST + 1, LONGEST + 1]
    assert asked == ["a", long, long]
    assert length.__doc__ == "Of a text."
    length("b"), length("c"), length("a")
    assert asked[3:] == ["b", "c", "a"]


def test_pages_of_endless_words_leave_nothing_behind() -> None:
    drawn = random.Random(0)
    pieces = [f"{drawn.getrandbits(400_000):x}" for _ in range(40)]
    simhash("warm"), terms("warm")
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(20):
            text = " ".join(f"{piece}{number}" for piece in pieces)
            assert simhash(text) and len(terms(text)) == len(pieces)
        del text
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 1_000_000


def test_a_long_string_has_the_number_it_always_had() -> None:
    assert hash64("x" * 1000) == hash64("x" * 1000) != hash64("x" * 1001)
