"""Cards: compared statements, the rubric, and what is put together from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tamis.check.disagree import agreement, disagreement
from tamis.library.cards import (
    Origin,
    assemble,
    cohesion,
    content_hash,
    covered,
    draft,
    evidence_of,
    extracts,
    without_twins,
)
from tamis.library.quality import confidence_note, controversy_note, evidence_quality
from tamis.library.statements import compare
from tamis.schema.library import Card, EvidenceBasis, Quote
from tamis.schema.report import Sentence

SAYINGS = (
    ("a", "Vitamin D with calcium lowered the risk of hip fracture in older women."),
    ("b", "Vitamin D with calcium did not lower the risk of hip fracture in older women."),
    ("c", "Calcium with vitamin D lowered the hip fracture risk of older women."),
    ("a", "Vitamin D with calcium lowered the risk of hip fracture in most older women."),
    ("d", "Spinach is a leafy vegetable."),
)


def quotes(*said):
    return [Quote(text, f"{name}#c0", name, (0, len(text)), "0" * 64, None) for name, text in said or SAYINGS]


def origins(**years):
    return {name: Origin(f"Title {name}", f"file:///{name}", name, "paper", years.get(name)) for name in "abcd"}


NAMES = {name: name for name in "abcd"}


def test_sentences_of_two_origins_confirm_or_contradict_and_those_of_one_do_neither():
    found = compare(quotes(), NAMES, disagreement, agreement)
    assert (0, 1) in found.opposing
    assert 2 in found.confirmed[0]
    assert 3 not in found.confirmed.get(0, ())
    assert 4 not in found.confirmed
    assert found.agreement is not None
    assert 0 <= found.agreement < 1


def test_copies_of_one_origin_confirm_nothing():
    found = compare(quotes(SAYINGS[0], ("c", SAYINGS[0][1])), {"a": "x", "c": "x"}, disagreement, agreement)
    assert found.compared == 0
    assert found.agreement is None


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        ("Cooked rice keeps four days in the fridge.", "Cooked rice keeps two days in the fridge.", True),
        ("Cooked rice keeps four days in the fridge.", "Cooked rice keeps 4 days in the fridge.", False),
        ("Wash raw chicken before cooking it.", "Do not wash raw chicken before cooking it.", True),
        ("The trial had 45 women.", "The trial lasted 45 days.", False),
        ("Fish oil raised the HDL level.", "Fish oil lowered the HDL level.", True),
        ("Rice is cooked in water.", "Iron is found in spinach.", False),
        ("Systolic blood pressure fell in all subjects.", "Snacks did not affect systolic blood pressure.", False),
        ("Vitamin E prevents strokes of older women.", "Vitamin C does not prevent strokes of older women.", False),
        ("We examined whether eggs raise cholesterol.", "Eggs do not raise the cholesterol of men.", False),
    ],
)
def test_disagreement_is_of_polarity_or_of_one_number(left, right, found):
    assert bool(disagreement(left, right)) is found


BASIS = EvidenceBasis(20, 6, 6, ("paper",), (1998, 2010), 1.0, 0.6, dated=6)


@pytest.mark.parametrize(
    ("changes", "grade"),
    [
        ({}, "high"),
        ({"years": None}, "medium"),
        ({"years": None, "source_types": ("book", "paper")}, "high"),
        ({"origins": 4}, "medium"),
        ({"coverage": 0.4}, "medium"),
        ({"origins": 2}, "low"),
        ({"coverage": 0.3}, "low"),
        ({"coverage": 0.2}, "unclear"),
        ({"cohesion": 0.75}, "high"),
        ({"cohesion": 0.66}, "low"),
        ({"cohesion": 0.66, "coverage": 0.2}, "unclear"),
        ({"origins": 0}, "unclear"),
        ({"opposing": ((quotes()[0], quotes()[1]),)}, "debated"),
    ],
)
def test_the_rubric(changes, grade):
    assert evidence_quality(replace(BASIS, **changes)) == grade


def test_notes_name_what_differs_and_what_is_thin():
    left, right = quotes()[:2]
    note = controversy_note([(left, replace(right, year=2006))])
    assert note == f"Sources differ: “{left.text}” [a#c0] against “{right.text}” (2006) [b#c0]."
    assert controversy_note([(left, right)] * 3).count(" against ") == 3
    assert controversy_note([]) == ""
    assert confidence_note(BASIS) == ""
    thin = confidence_note(EvidenceBasis(3, 1, 1, (), None, None, 0.3))
    assert "a single source" in thin
    assert "30 %" in thin
    assert "dated" in thin


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"years": (2014, 2014), "dated": 1}, "Thin: 1 of 6 sources is dated (2014)."),
        ({"years": (2001, 2014), "dated": 3}, "Thin: 3 of 6 sources are dated (2001-2014)."),
        ({"years": (2014, 2014), "dated": 5}, "Thin: every dated source is from 2014."),
        ({"years": (2014, 2014), "dated": 6}, "Thin: every source is from 2014."),
        ({"years": None, "dated": 0}, "Thin: no source is dated."),
        ({"cohesion": 0.6}, "Thin: its passages have little in common."),
        ({"cohesion": 0.75}, ""),
    ],
)
def test_what_is_thin_is_said_as_it_is(changes, said):
    assert confidence_note(replace(BASIS, **changes)) == said


def test_a_year_speaks_for_a_theme_when_most_of_it_is_dated():
    assert BASIS.period == (1998, 2010)
    assert replace(BASIS, dated=3).period is None


def test_who_quotes_something_does_not_say_that_there_is_nothing_to_quote():
    none = replace(BASIS, coverage=0.0)
    assert confidence_note(none) == "Thin: its passages hold no prose to quote."
    assert confidence_note(none, quoted=True) == "Thin: the card speaks for none of its passages."


def made(**years):
    said = quotes()
    return draft(
        "food/bones",
        "food",
        "Bones",
        said,
        [0, 4],
        compare(said, NAMES, disagreement, agreement),
        origins(**years),
        ["a", "b", "c", "d"],
        chunks=4,
        coverage=0.75,
    )


def test_a_card_quotes_its_sources_and_those_that_say_the_same():
    base = made(a=1999, b=2006)
    evidence = evidence_of(base, origins())
    assert [item.label for item in evidence] == ["E1", "E2"]
    checked = tuple(replace(sentence, support="supported", score=1.0) for sentence in extracts(evidence))
    card = assemble(base, checked, kind="theme", tier="extractive", flagged=True, hashed="h")
    assert card.summary == f"{SAYINGS[0][1]} {SAYINGS[4][1]}"
    assert card.sentences[0].chunk_ids == ("a#c0", "c#c0")
    assert card.evidence_quality == "debated"
    assert card.controversy_note.startswith("Sources differ: “")
    assert card.basis.years == (1999, 2006)
    assert card.safety_flagged
    assert card.title == "Bones"


def test_a_model_words_notes_but_invents_none():
    base = made()
    sentence = Sentence("Spinach is green.", (), support="weak", score=0.5)
    card = assemble(
        base,
        (sentence,),
        kind="theme",
        tier="model",
        flagged=False,
        hashed="h",
        controversy="Studies differ on fractures.",
        confidence="Nothing is certain.",
        opinion="high",
    )
    assert card.controversy_note == "Studies differ on fractures."
    assert card.sentences[0].support == "unsupported"
    assert card.sentences[0].chunk_ids == ()
    calm = replace(base, basis=replace(BASIS, opposing=()))
    card = assemble(
        calm, (), kind="theme", tier="model", flagged=False, hashed="h", controversy="A scandal.", confidence="Hm."
    )
    assert card.controversy_note == ""
    assert card.confidence_note == ""
    assert card.evidence_quality == "high"


def test_the_hash_changes_with_anything_the_card_depends_on():
    hashes = {
        content_hash("a", "Bones", [("a#c0", "1")], making="extractive"),
        content_hash("a", "Bones", [("a#c0", "2")], making="extractive"),
        content_hash("a", "Bones", [("a#c0", "1")], making="model x"),
        content_hash("a", "Bone", [("a#c0", "1")], making="extractive"),
        content_hash("b", "Bones", [("a#c0", "1")], making="extractive"),
    }
    assert len(hashes) == 5
    assert content_hash("a", "Bones", [("a#c0", "1")], making="extractive") in hashes


def test_coverage_counts_passages_near_a_sentence():
    chunks = np.eye(4, dtype=np.float32)
    assert covered(chunks, chunks[:1]) == 0.25
    assert covered(chunks, chunks) == 1.0
    assert covered(chunks[:0], chunks) == 0.0
    assert covered(chunks, chunks[:0]) == 0.0


def test_passages_hold_together_as_much_as_two_of_them_are_alike():
    chunks = np.eye(4, dtype=np.float32)
    assert cohesion(chunks) == 0.0
    assert cohesion(chunks[[0, 0, 0]]) == 1.0
    assert cohesion(chunks[:1]) is None


def test_of_a_shelf_that_is_one_theme_only_the_card_of_the_theme_is_found():
    def card(about, kind, chunks):
        return Card(about, kind, "f", about, (), basis=EvidenceBasis(chunks, 1, 1))

    found = [
        (card("f/a", "shelf", 9), 0.9),
        (card("f/a/b", "shelf", 9), 0.8),
        (card("f/a/b/t", "theme", 9), 0.7),
        (card("f/c", "shelf", 9), 0.6),
        (card("f/c/t", "theme", 5), 0.5),
        (card("f/cc/t", "theme", 9), 0.4),
    ]
    assert [card.about for card, _ in without_twins(found)] == ["f/a/b/t", "f/c", "f/c/t", "f/cc/t"]
    assert without_twins([]) == []
