"""How many, how often and with what limit: a claim may not go further than its evidence."""

from __future__ import annotations

import time

import pytest

from check.claims import block
from tamis.check.facts import flaws, read
from tamis.check.pairing import given_away, told
from tamis.check.scope import extents_of, widened
from tamis.check.source import Source, sources


def kinds(claim: str, *evidence: str) -> list[str]:
    shown = [block(f"E{number}", text) for number, text in enumerate(evidence, 1)]
    return [flaw.kind for flaw in flaws(read(claim), sources(shown))]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("All patients recover.", "Most patients recover."),
        ("Most patients recover.", "All patients recover."),
        ("Some patients recover.", "Every patient recovers."),
        ("All of the ice melted.", "Nearly half of the ice melted."),
        ("The engine always starts.", "The engine usually starts."),
        ("The engine usually starts.", "The engine sometimes starts."),
        ("The cream helps only children.", "The cream helps children and adults."),
        ("The cream helps in most countries.", "The cream helps adults."),
        ("The cream rapidly helps adults.", "The cream helps adults."),
        ("The mark permanently stays on cotton.", "The mark stays on cotton."),
        ("Alle Kunden zahlen bar.", "Die meisten Kunden zahlen bar."),
    ],
)
def test_more_or_less_than_the_evidence_says_is_a_flaw(claim: str, evidence: str) -> None:
    assert "scope" in kinds(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("All patients recover.", "Every patient recovers."),
        ("The majority of patients recover.", "Most patients recover."),
        ("Most people recover.", "Most patients recover."),
        ("Many patients recover.", "Most patients recover."),
        ("Several patients recover.", "Some patients recover."),
        ("The engine usually starts.", "The engine mostly starts."),
        ("Not only children like it.", "Children and adults like it."),
        ("The tank holds only 4 litres.", "The tank holds 4 litres."),
        ("Only members may enter the hall.", "The hall is reserved for members; they may enter."),
        ("Only a key opens the hall.", "Nobody opens the hall without a key."),
        ("The pump stops quickly.", "The pump stops within two seconds."),
        ("The pump stops rapidly.", "The pump stops fast."),
        ("The most expensive patients recover.", "Some expensive patients recover."),
        ("Feed the starter every twelve hours.", "Most bakers feed the starter every twelve hours."),
    ],
)
def test_the_same_in_other_words_is_none(claim: str, evidence: str) -> None:
    assert "scope" not in kinds(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence", "held"),
    [
        ("It is cleaned every day.", "It is cleaned daily.", True),
        ("It is cleaned weekly.", "It is cleaned once a week in summer.", True),
        ("It is cleaned twice a week.", "It is cleaned once a week in summer.", False),
        ("It is cleaned every day.", "It is cleaned every week.", False),
        ("Eat nuts every day.", "Eat 30 g of nuts a day, and fish twice a week.", True),
        ("Eat 30 g of nuts every day.", "Eat 30 g of nuts a day, and fish twice a week.", True),
    ],
)
def test_how_often_is_the_same_however_it_is_written(claim: str, evidence: str, held: bool) -> None:
    assert ("number" not in kinds(claim, evidence)) == held


@pytest.mark.parametrize(
    ("claim", "away"),
    [
        ("Basil needs water twice a day.", ""),
        ("Sage needs water twice a day.", "sage with what is said of basil"),
        ("Sage grows in dry soil, and basil needs water twice a day.", ""),
        ("Sage needs dry soil.", ""),
        ("The sage needs water twice a day.", ""),
    ],
)
def test_what_one_piece_says_of_one_thing_is_not_said_of_another(claim: str, away: str) -> None:
    pieces = [
        Source("E1", "Sage grows in dry soil. It needs dry soil.", ""),
        Source("E2", "Basil needs water twice a day.", ""),
    ]
    assert given_away(claim, [told(one.sentences) for one in pieces], [one.content for one in pieces]) == away


def test_it_stands_for_what_was_named_before() -> None:
    pieces = (
        "Red Fell lies 640 m high. It is 31 m wide and was mapped by Ada Holm.",
        "Grey Fell lies 820 m high. It is 54 m wide and was mapped by Olaf Reis.",
    )
    assert "pairing" not in kinds("Red Fell is 31 m wide and Grey Fell 54 m.", *pieces)
    assert "pairing" not in kinds("Ada Holm mapped Red Fell, and Olaf Reis Grey Fell.", *pieces)
    assert "pairing" in kinds("Red Fell is 54 m wide and Grey Fell 31 m.", *pieces)


@pytest.mark.parametrize(
    "piece", ["all ", "only ", "in most ", "most of ", "always ", "rapidly ", "every day ", "nearly "]
)
def test_any_text_is_read_in_linear_time(piece: str) -> None:
    started = time.perf_counter()
    widened(piece * 20_000, extents_of(piece * 20_000), timed=False)
    assert time.perf_counter() - started < 5.0
