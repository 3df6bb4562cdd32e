"""Which sentences a card takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.library.telling import extract, overview, quotable, telling, titled, unlabelled
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
        "Patients with celiac disease have to avoid wheat for life.",
        "Participants of trials are healthier than other people of their age.",
        "The results indicate that diets high in fat raise the risk of the disease.",
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
        "Other POPs were not associated with the risk of the disease.",
        "These findings support the role of fibre in the bowel of older people.",
        "Participants required far higher benefit to consider drug treatment than expected.",
        "The participants required far higher benefit than anybody had expected before.",
        "Women who had one bowel movement daily or one every other day had increased risk ratios.",
        "Thirteen patients in the control group took two capsules a day.",
        "2,939 incident cancer cases were identified in all of these years.",
        "The risk for these women was higher than for the others.",
        "The association was stronger among those who did not smoke.",
        "The intervention group ate less salt than at the beginning of the year.",
        "Overall, these data suggest a specific role for opioids in the stimulation of appetite.",
        "Half of the women had never heard of the test before.",
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


@pytest.mark.parametrize(
    "sentence",
    [
        "Copyright (c) 2010 Elsevier Ltd.",
        "© 2012 John Wiley & Sons A/S.",
        "Copyright 2011, Mosby, Inc. All rights reserved.",
        "Published by Elsevier B.V.",
        "Nutrient values per 100 g, USDA National Nutrient Database for Standard Reference, release 26.",
        "This is an open access article distributed under the terms of the licence.",
    ],
)
def test_notices_are_never_quoted(sentence: str) -> None:
    assert not quotable(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The syntax was added in version 3.35.0.",
        "A copyright expires seventy years after the death of the author.",
        "The springs of Springer Mountain are cold.",
        "Milk holds 120 mg of calcium per 100 g.",
    ],
)
def test_what_only_looks_like_a_notice_is(sentence: str) -> None:
    assert quotable(sentence)


def test_a_title_is_known_by_its_words() -> None:
    assert not titled("Dietary turmeric reduces the risk of cancer.", "Dietary turmeric reduces the risk")
    assert titled("Dietary turmeric reduces the risk.", "Dietary turmeric reduces the risk")
    assert not titled("Anything.", "")
    assert titled("Study at the levels of DNA.", "Serum of cat and pig. Study at the levels of DNA.")


def test_abbreviations_that_nobody_explains_come_last() -> None:
    said = [
        "The CTT was prolonged in people with a heavy load.",
        "Colonic transit time (CTT) is prolonged by a heavy load.",
        "Fibre shortens the way through the bowel of most people.",
        "Water alone does not shorten the way through the bowel.",
        "Bread of rye has more fibre than bread of wheat has.",
    ]
    assert 0 not in extract(said, SETTINGS.model_copy(update={"sentences": 4}))
    used = [*said[:1], "CTT is measured with markers that people swallow.", "A short CTT is the rule in the young."]
    sources = ["a", "b", "c"]
    assert extract(used, SETTINGS, sources) == [0, 1, 2]


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


def test_what_reports_comes_behind_what_says_it_outright() -> None:
    said = ["These results suggest that oats protect the bowel of older people.", *SAID[1:4], SAID[5]]
    assert 0 not in extract(said, SETTINGS)
    assert extract(said[:2], SETTINGS) == [0, 1]
