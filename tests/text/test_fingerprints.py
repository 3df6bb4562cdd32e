from __future__ import annotations

import hashlib
import random

from hypothesis import given
from hypothesis import strategies as st

from tamis.text.fingerprints import hamming, hash64, jaccard, sha256_hex, shingles, simhash


@given(st.text())
def test_sha256_is_of_the_utf8_bytes(text: str) -> None:
    assert sha256_hex(text) == hashlib.sha256(text.encode()).hexdigest()


@given(st.text())
def test_simhash_is_64_bits_and_ignores_case_and_spacing(text: str) -> None:
    assert 0 <= simhash(text) < 1 << 64
    assert simhash(text.upper().lower()) == simhash("  ".join(text.upper().lower().split(" ")))


def test_values_are_the_same_everywhere() -> None:
    assert hash64("tamis") == int.from_bytes(hashlib.blake2b(b"tamis", digest_size=8).digest(), "little")
    assert simhash("") == 0
    assert simhash("one") == hash64("one")


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_hamming_counts_bits(a: int, b: int) -> None:
    assert hamming(a, b) == sum(a >> bit & 1 != b >> bit & 1 for bit in range(64))


def test_one_word_moves_few_bits_and_another_text_many() -> None:
    words = [f"w{random.Random(1).random()}{n}" for n in range(400)]
    changed = [*words[:50], "changed", *words[51:]]
    other = [f"v{n}" for n in range(400)]
    assert hamming(simhash(" ".join(words)), simhash(" ".join(changed))) <= 6
    assert hamming(simhash(" ".join(words)), simhash(" ".join(other))) > 16


def test_jaccard_of_word_runs() -> None:
    assert jaccard(shingles("a b c d e"), shingles("a b c d e")) == 1.0
    assert jaccard(shingles("a b c d e"), shingles("a b c d f")) == 1 / 3
    assert jaccard(shingles(""), shingles("")) == 1.0
    assert jaccard(shingles("a b"), shingles("")) == 0.0
