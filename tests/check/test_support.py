"""Claims against the evidence they cite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tamis.check.ledger import check
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.settings import CheckSettings
from tamis.text.sentences import sentences

CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text("utf-8"))
SETTINGS = CheckSettings()


def block(label: str, text: str, title: str = "") -> Evidence:
    return Evidence(label, title, "", label, f"{label}#c0", (0, len(text)), "", text, 0.8)


def shown(case: dict) -> list[Evidence]:
    return [block(label, text) for label, text in case["evidence"].items()]


def judge(sentences: list[Sentence], evidence: list[Evidence], embedder, **options):
    return check(sentences, evidence, embedder=embedder, settings=SETTINGS, **options)


def listed(case: dict) -> Iterator[tuple[str, str, str]]:
    """Kind of change, claim, label."""
    for kind, claims in {"faithful": case["faithful"], **case["changed"]}.items():
        for claim in claims:
            text, _, label = claim.removesuffix("]").rpartition(" [")
            yield kind, text, label


@pytest.fixture(scope="module")
def verdicts(embedder) -> list[tuple[str, str, Sentence]]:
    """Kind of change (``faithful`` for none), claim, and what the ledger says."""
    found = []
    for case in CASES:
        claims = list(listed(case))
        judged, _ = judge([Sentence(text, (label,)) for _, text, label in claims], shown(case), embedder, drop=False)
        found += [(kind, text, sentence) for (kind, text, _), sentence in zip(claims, judged, strict=True)]
    return found


def test_there_are_enough_cases(verdicts):
    assert len(verdicts) >= 60


def test_faithful_claims_are_not_flagged(verdicts):
    faithful = [(text, s.score, s.reasons) for kind, text, s in verdicts if kind == "faithful"]
    flagged = [
        (text, s.score, s.reasons) for kind, text, s in verdicts if kind == "faithful" and s.support == "unsupported"
    ]
    assert len(flagged) <= 0.10 * len(faithful), flagged


@pytest.mark.parametrize(
    ("kinds", "floor"),
    [
        (("number", "date", "name"), 0.95),
        (("unit",), 0.95),
        (("negated",), 0.85),
        (("quote",), 0.95),
        (("label",), 0.95),
    ],
)
def test_changed_claims_are_caught(verdicts, kinds, floor):
    of_kind = [(text, s) for kind, text, s in verdicts if kind in kinds]
    missed = [(text, s.score) for text, s in of_kind if s.support == "supported"]
    assert len(missed) <= (1 - floor) * len(of_kind), missed


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
