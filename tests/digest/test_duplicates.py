from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tamis.digest.duplicates import near_duplicates
from tamis.settings import DigestSettings
from tamis.text.fingerprints import sha256_hex, simhash

SETTINGS = DigestSettings()
_WORDS = [f"word{n}" for n in range(500)]


def find(texts: dict[str, str], settings: DigestSettings = SETTINGS) -> dict[str, str]:
    prints = [(name, simhash(text), sha256_hex(text)) for name, text in texts.items()]
    return near_duplicates(prints, lambda names: [texts[name] for name in names], settings)


def article(seed: int, words: int = 300) -> list[str]:
    return random.Random(seed).choices(_WORDS, k=words)


def test_equal_texts_repeat_the_smallest_id() -> None:
    text = " ".join(article(1))
    assert find({"c": text, "a": text, "b": text, "z": " ".join(article(2))}) == {"b": "a", "c": "a"}


def test_a_syndicated_copy_with_a_changed_word_is_found_and_another_article_is_not() -> None:
    original = article(3)
    copy = [*original[:100], "changed", *original[101:], "advertisement"]
    texts = {"origin": " ".join(original), "outlet": " ".join(copy)}
    texts |= {f"other{n}": " ".join(article(10 + n)) for n in range(40)}
    assert find(texts) == {"outlet": "origin"}


def test_the_same_words_in_another_order_are_another_text() -> None:
    original = article(4)
    shuffled = random.Random(0).sample(original, len(original))
    assert find({"a": " ".join(original), "b": " ".join(shuffled)}) == {}


def test_empty_documents_are_one_group() -> None:
    assert find({"a": "", "b": "", "c": " ".join(article(5))}) == {"b": "a"}


@given(st.lists(st.sampled_from(["x y z", "x y z w", "p q r s t", "", "one two"]), max_size=8))
def test_every_group_has_one_original_that_repeats_nothing(texts: list[str]) -> None:
    found = find({f"d{n}": text for n, text in enumerate(texts)})
    assert not set(found) & set(found.values())
    assert all(original < name for name, original in found.items())
    for left in range(len(texts)):
        for right in range(left):
            if texts[left] == texts[right]:
                assert found.get(f"d{left}", f"d{left}") == found.get(f"d{right}", f"d{right}")
