"""Which sentences a card takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.library.telling import extract, overview, telling, unlabelled
from tamis.settings_library import LayerCSettings

SETTINGS = LayerCSettings(sentences=3)


@pytest.mark.parametrize(
    "sentence",
    [
        "Raw chicken should not be washed in the sink.",
        "CONCLUSIONS: Higher egg intake is associated with diabetes in large cohorts.",
        "This study shows that grapefruit juice raises the level of the hormone.",
        "Our results suggest that oats protect the bowel of older people.",
        "A cell holds the value until the transaction is committed.",
        "In 2006, the worldwide prevalence of the disease was 26.6 million.",
    ],
)
def test_what_stands_on_its_own_tells(sentence: str) -> None:
    assert telling(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "These findings are of the highest importance to public health.",
        "The aim of the present work was to compare the two diets.",
        "BACKGROUND: Eggs are eaten by many people all over the world.",
        "SELECTION CRITERIA: All trials that compare eggs with other food for breakfast.",
        "METHODS: Five hundred men ate eggs for three long years.",
        "Blood was taken before the run and once more after it.",
        "Protein content was not directly measured for all foods.",
        "It depends on the season and on the weather of the year.",
        "Is it ever right to prescribe placebos to patients at all?",
        "Further studies of the subject in larger groups are needed.",
        "Eggs keep.",
        "The rates were 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 per cent.",
        "a fragment that ends in the middle of nowhere and",
        " ".join(["word"] * 60) + ".",
    ],
)
def test_what_needs_its_surroundings_does_not(sentence: str) -> None:
    assert not telling(sentence)


@pytest.mark.parametrize(
    ("sentence", "bare"),
    [
        ("CONCLUSIONS: Fibre helps.", "Fibre helps."),
        ("CONCLUSIONS/INTERPRETATION: Fibre helps.", "Fibre helps."),
        ("Conclusion Fibre helps.", "Fibre helps."),
        ("RESULTS We saw it.", "We saw it."),
        ("Results vary from year to year.", "Results vary from year to year."),
        ("Conclusions are hard to draw.", "Conclusions are hard to draw."),
        ("Fibre helps: it moves.", "Fibre helps: it moves."),
    ],
)
def test_labels_of_sections_are_taken_off(sentence: str, bare: str) -> None:
    assert unlabelled(sentence) == bare


SAID = [
    "These are the things that everybody knows about the bread.",
    "Bread goes stale faster in the cold of a refrigerator.",
    "Bread goes stale faster in the cold of the refrigerator.",
    "Bread keeps for four days in a box of wood.",
    "The aim of this page was to say how bread keeps.",
    "Freezing keeps bread fresh for three whole months.",
    "A toaster makes old bread pleasant to eat once more.",
]


def test_an_extract_prefers_what_tells_and_repeats_nothing() -> None:
    taken = extract(SAID, SETTINGS)
    assert taken == sorted(set(taken))
    assert len(taken) == 3
    assert not {0, 4} & set(taken)
    assert not {1, 2} <= set(taken)


def test_where_nothing_tells_something_is_taken_all_the_same() -> None:
    assert extract([SAID[0], SAID[4]], SETTINGS) == [0, 1]
    assert extract([], SETTINGS) == []
    assert extract(["Odd."], SETTINGS) == [0]


def test_an_overview_takes_turns() -> None:
    groups = [SAID[:2], [SAID[3]], SAID[5:]]
    taken = overview(groups, SETTINGS)
    assert sorted(group for group, _ in taken) == [0, 1, 2]
    assert overview([], SETTINGS) == overview([[], []], SETTINGS) == []


@given(st.lists(st.text(max_size=80), max_size=30))
def test_any_sentences_give_some_of_them(sentences: list[str]) -> None:
    taken = extract(sentences, SETTINGS)
    assert taken == sorted(set(taken))
    assert len(taken) <= 3
    assert bool(taken) == bool(sentences)
    assert all(len(sentence) >= len(unlabelled(sentence)) for sentence in sentences)
