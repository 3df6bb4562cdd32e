"""Which words of a question carry a topic."""

from __future__ import annotations

import pytest

from tamis.text.content import content_words
from tamis.text.tokens import words


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("How much does a flat in Madrid cost?", ["flat", "Madrid", "cost"]),
        ("Wann steht mir die Küche zur Verfügung?", ["Küche", "Verfügung"]),
        ("Où se trouve la clé de l’église ?", ["trouve", "clé", "l’église"]),
        ("¿Cuándo abre la biblioteca?", ["abre", "biblioteca"]),
        ("Who is Ada's mother, and who was ADA?", ["Ada", "mother"]),
        ("What should I do?", []),
        ("", []),
        ("图书馆 2018", ["图书馆", "2018"]),
    ],
)
def test_words_are_kept_as_written(question: str, shown: list[str]) -> None:
    assert list(content_words(question).values()) == shown


def test_decomposed_letters_are_whole_again() -> None:
    assert list(content_words("Ku\u0308che").values()) == ["Küche"]


@pytest.mark.parametrize("question", ["Ada's l’église", "ﬁsh Straße x_y a-b", "ǅ İstanbul"])
def test_keys_are_the_words_that_search_knows(question: str) -> None:
    assert set(content_words(question)) <= set(words(question))
