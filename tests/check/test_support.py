"""Claims against the evidence they cite."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from check.claims import FAITHFUL, Judged, block, cases, claims, flagged_share, judged, shown
from tamis.check.facts import flaws, read
from tamis.check.ledger import check
from tamis.check.numbers import numbers
from tamis.check.pairing import Cut, content, crossed
from tamis.check.polarity import opposed, units_of
from tamis.check.source import Source
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.settings import CheckSettings
from tamis.text.sentences import sentences

CASES = cases("cases.yaml")
SETTINGS = CheckSettings()
_FILES = ("cases.yaml", "cases_wide.yaml", "cases_held.yaml")
_HELD = ("cases_held.yaml", "cases_scope_held.yaml")


def judge(sentences: list[Sentence], evidence: list[Evidence], embedder, **options):
    return check(sentences, evidence, embedder=embedder, settings=SETTINGS, **options)


@pytest.fixture(scope="module")
def verdicts(embedder) -> dict[str, list[Judged]]:
    """What the ledger says of every claim, by file."""
    return {name: judged(cases(name), embedder) for name in _FILES}


def test_there_are_enough_claims_and_a_third_is_held_out(verdicts):
    held = sum(len(list(claims(case))) for name in _HELD for case in cases(name))
    tuned = len(verdicts["cases_wide.yaml"])
    assert tuned + held >= 260
    assert held >= (tuned + held) / 3


@pytest.mark.parametrize("name", _FILES)
def test_faithful_claims_are_not_flagged(verdicts, name):
    flagged = [str(one) for one in verdicts[name] if one.kind == FAITHFUL and one.flagged]
    assert flagged_share(verdicts[name])[FAITHFUL] <= 0.10, flagged


@pytest.mark.parametrize("name", _FILES)
@pytest.mark.parametrize(
    ("kinds", "floor"),
    [
        (("number", "date", "name"), 0.95),
        (("unit",), 0.95),
        (("negated",), 0.85),
        (("quote",), 0.95),
        (("swapped",), 0.6),
        (("merged", "bound", "tacked"), 0.95),
    ],
)
def test_changed_claims_are_caught(verdicts, name, kinds, floor):
    of_kind = [one for one in verdicts[name] if one.kind in kinds]
    missed = [str(one) for one in of_kind if not one.flagged]
    assert len(missed) <= (1 - floor) * len(of_kind), missed


@pytest.mark.parametrize("name", _FILES)
def test_a_label_that_does_not_say_it_never_stands(verdicts, name):
    """The claim is true, so it is kept, but with the label that carries it and a mark."""
    wrong = [one for one in verdicts[name] if one.kind == "label"]
    assert wrong and all(one.verdict.support in ("weak", "unsupported") for one in wrong)
    assert all("does" in one.verdict.reasons[0] for one in wrong if one.verdict.support == "weak")


@pytest.mark.parametrize(
    ("claim", "evidence", "held"),
    [
        ("0,5 mg", "0.5 mg", True),
        ("1.234,5 euros", "1,234.5 euros", True),
        ("1 234 people", "1,234 people", True),
        ("8.9 mmol/L", "8.9 mg/dL", False),
        ("30 g of nuts per week", "30 g/day of nuts", False),
        ("30 g of nuts a day", "30 g daily", True),
        ("6 percentage points", "6 percent", False),
        ("1 kg", "1000 g", False),
        ("about 30 %", "29.7 %", True),
        ("30 %", "29.7 %", True),
        ("29 %", "29.7 %", False),
        ("3.1 million", "3,107,500", True),
        ("3.2 million", "3,107,500", False),
        ("2:10:09", "2:01:09", False),
        ("DKK 5 billion", "5 billion dollars", False),
        ("five to ten mg", "5-10 mg", True),
        ("5-12 mg", "5-10 mg", False),
        ("the 3rd trimester", "the third trimester", True),
        ("the first trimester", "the third trimester", False),
        ("the 16th century", "in 1543", True),
        ("the 15th century", "in 1543", False),
        ("twenty-one studies", "21 studies", True),
        ("1.2bn euros", "€1,200,000,000", True),
    ],
)
def test_numbers_are_the_same_however_they_are_written(claim, evidence, held):
    from tamis.check.numbers import missing

    assert (missing(numbers(claim), numbers(evidence)) == []) is held


@pytest.mark.parametrize(
    ("claim", "evidence", "held"),
    [
        ("the 1880s", "in 1884", True),
        ("the 1890s", "in 1884", False),
        ("in 1884", "the 1880s", False),
        ("the 1600s", "the 1500s and again in 1669", False),
        ("March 2019", "12 March 2019", True),
        ("12 March 2019", "March 2019", False),
        ("March 12, 2019", "2019-03-12", True),
        ("3/4/2020", "3 April 2020", True),
        ("in May", "May 2020", True),
    ],
)
def test_dates_are_the_same_however_they_are_written(claim, evidence, held):
    from tamis.check.dates import dates, missing

    assert (missing(dates(claim)[0], dates(evidence)[0]) == []) is held


@pytest.mark.parametrize(
    ("claim", "evidence", "against"),
    [
        ("The blades can be recycled.", "Most of its mass can be recycled, but the blades cannot.", True),
        ("The cache can grow.", "With maxsize=None the cache can grow.", False),
        ("Prices rose.", "Prices of bread rose while wages did not change.", False),
        ("Wages of bakers changed.", "Prices of bread rose while the wages of bakers did not change.", True),
        ("Readers block writers.", "Readers do not block writers and a writer does not block readers.", True),
        (
            "A writer does not block readers.",
            "Readers do not block writers and a writer does not block readers.",
            False,
        ),
        ("The contract is unlawful.", "The contract is lawful.", True),
        ("Exports of cork fell.", "Exports of cork rose by a tenth.", True),
        ("You may leave within 14 days.", "You may leave within 14 days without giving a reason.", False),
        ("You may not leave within 14 days.", "You may leave within 14 days without giving a reason.", True),
        ("Lemon juice cures warts.", "It is a myth that lemon juice cures warts.", True),
        ("Lemon juice does not cure warts.", "It is a myth that lemon juice cures warts.", False),
        ("The bridge is safe, Dr. Holm says.", "Dr. Holm denies that the bridge is safe.", True),
        ("Most users reported headaches.", "Few users reported headaches.", True),
        ("The device may cause severe irritation.", "The device may cause mild irritation.", True),
        ("Every plan includes backups.", "Only the premium plan includes backups.", True),
        ("Only the premium plan includes backups.", "Only the premium plan includes backups.", False),
        ("Patients over 12 years were excluded.", "Patients under 12 years were excluded.", True),
    ],
)
def test_what_is_denied_is_compared_clause_by_clause(claim, evidence, against):
    assert bool(opposed(claim, units_of(evidence))) is against


def test_facts_paired_crosswise_are_named_and_straight_ones_are_not():
    cuts = [Cut((content("Walnuts lowered LDL by 8.9 mg."), content("Almonds lowered LDL by 5.1 mg.")))]
    assert crossed("Almonds lowered LDL by 8.9 mg, walnuts by 5.1 mg.", cuts, lambda _: False)
    assert crossed("Walnuts lowered LDL by 8.9 mg, almonds by 5.1 mg.", cuts, lambda _: False) == ""
    assert crossed("Almonds lowered LDL by 8.9 mg, walnuts by 5.1 mg.", cuts, lambda _: True) == ""


def test_numbers_in_words_are_paired_like_those_in_digits(embedder):
    said = "Cooked rice keeps for one to two days in the refrigerator and up to three months in the freezer."
    turned = "Cooked rice keeps for one to two days in the freezer and up to three months in the refrigerator."
    straight = "Rice keeps for up to three months in the freezer and one to two days in the refrigerator."
    kept, _ = judge([Sentence(turned, ("E1",)), Sentence(straight, ("E1",))], [block("E1", said)], embedder, drop=False)
    assert [sentence.support for sentence in kept] == ["unsupported", "supported"]


def test_an_invented_fact_is_dropped_and_shown(embedder):
    evidence = shown(CASES[0])
    draft = [
        Sentence("Vitamin D3 did not reduce fractures.", ("E1",)),
        Sentence("A review of 77 trials by Otto Brandt in 1994 confirmed this.", ("E1",)),
    ]
    kept, summary = judge(draft, evidence, embedder, unknown_labels=2)
    assert [sentence.text for sentence in kept] == [draft[0].text]
    assert summary.dropped == 1 and summary.unknown_labels == 2
    assert summary.removed[0].text == draft[1].text
    assert any("77" in why for why in summary.removed[0].reasons)
    assert summary.score == 0.5


def test_without_drop_it_is_kept_with_a_mark(embedder):
    draft = [Sentence("A review of 77 trials confirmed this.", ("E1",))]
    kept, summary = judge(draft, shown(CASES[0]), embedder, drop=False)
    assert kept[0].support == "unsupported" and summary.unsupported == 1 and summary.removed == ()


def test_a_number_of_other_evidence_is_marked_but_not_dropped(embedder):
    draft = [Sentence("Vitamin D3 raised serum levels by 16 percent in Boston.", ("E1",))]
    kept, summary = judge(draft, shown(CASES[0]), embedder)
    assert kept and kept[0].support == "unsupported" and summary.dropped == 0


def test_a_claim_without_a_label_gets_one_from_code_or_stays_weak(embedder):
    evidence = shown(CASES[1])
    kept, _ = judge(
        [Sentence("The default timeout is 5.0 seconds.", ()), Sentence("Bread rises in a warm kitchen.", ())],
        evidence,
        embedder,
    )
    assert kept[0].citations == ("E1",) and "no label was given" in kept[0].reasons[0]
    assert kept[1].citations == () and kept[1].support in ("weak", "unsupported")


def test_a_wrong_label_is_corrected_and_said(embedder):
    kept, _ = judge([Sentence("The last ferry sailed in October 1923.", ("E1",))], shown(CASES[2]), embedder)
    assert kept[0].citations == ("E2",) and kept[0].support == "weak" and "E2 does" in kept[0].reasons[0]


def test_evidence_s_own_sentences_are_fully_supported(embedder):
    for case in CASES:
        for item in shown(case):
            start, end = sentences(item.text)[0]
            text = item.text[start:end]
            kept, summary = judge([Sentence(text, (item.label,))], shown(case), embedder)
            assert (kept[0].support, kept[0].score, summary.score) == ("supported", 1.0, 1.0)


def test_half_a_sentence_may_not_lose_its_negation(embedder):
    evidence = [block("E1", "It is not safe to eat raw kidney beans.")]
    kept, _ = judge([Sentence("It is safe to eat raw kidney beans.", ("E1",))], evidence, embedder)
    assert kept[0].support == "unsupported"


def test_code_must_stand_in_the_evidence_line_by_line(embedder):
    evidence = shown(CASES[1])
    good = 'cur.execute("SELECT * FROM lang WHERE first_appeared = ?",  (year,))\ncon.commit()'
    kept, summary = judge(
        [Sentence(good, ("E1",), kind="code"), Sentence(good + "\nos.remove(path)", ("E2",), kind="code")],
        evidence,
        embedder,
    )
    assert [s.citations for s in kept] == [("E2",)]
    assert summary.dropped == 1 and "os.remove" in summary.removed[0].reasons[0]


def test_table_cells_must_stand_in_the_evidence(embedder):
    evidence = [block("E1", "| Food | Calcium |\n|---|---|\n| Kale | 250 mg |\n| Milk | 120 mg |")]
    same = "| Food | Calcium |\n| --- | --- |\n| Milk | 120 mg |"
    kept, summary = judge(
        [Sentence(same, ("E1",), kind="table"), Sentence(same.replace("120", "210"), ("E1",), kind="table")],
        evidence,
        embedder,
    )
    assert [s.text for s in kept] == [same] and summary.dropped == 1


def test_headings_and_leads_make_no_claim(embedder):
    draft = [Sentence("Fractures in 1850", (), kind="heading"), Sentence("For it:", (), kind="lead")]
    kept, summary = judge(draft, shown(CASES[0]), embedder)
    assert list(kept) == draft and summary.score == 1.0


def test_no_evidence_and_no_claims_are_no_accident(embedder):
    assert judge([], [], embedder)[0] == ()
    kept, _ = judge([Sentence("Anything.", ("E1",))], [], embedder)
    assert kept[0].support == "none"


def test_two_runs_share_nothing(embedder):
    case = shown(CASES[0])
    other = [replace(item, text="Cheese is made from milk.") for item in case]
    claim = [Sentence("Vitamin D3 did not reduce fractures.", ("E1",))]
    first = judge(claim, case, embedder)
    assert judge(claim, other, embedder, drop=False)[0][0].support == "unsupported"
    assert judge(claim, case, embedder) == first


@pytest.mark.parametrize(
    "piece", ["1", "1,", "1 ", "1-", "12:34:", "a", "A ", "a_", '"', "not ", "no ", "a/", "May ", "$1 "]
)
def test_any_claim_against_any_evidence_takes_linear_time(piece):
    """What backtracks takes minutes here; the limit only has to tell minutes from moments."""
    long = piece * (12_000 // len(piece))
    plain = "Vitamin D lowered risk by 16 percent in 2019. It is not safe."
    started = time.process_time()
    flaws(read(long), [Source("E1", plain, "")])
    flaws(read(plain), [Source("E1", long, "")])
    assert time.process_time() - started < 10.0
