"""A saved report is checked again without the network, a model or, where it must, its collection."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from tamis.check.ledger import check
from tamis.check.verify import verify
from tamis.errors import UsageError
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.settings import CheckSettings
from tamis.text.fingerprints import sha256_hex

TEXT = "The last ferry sailed in October 1923. Fares were never raised again."


@pytest.fixture
def report(embedder) -> dict:
    evidence = [Evidence("E1", "Ferries", "", "d", "d#c0", (0, len(TEXT)), sha256_hex(TEXT), TEXT, 0.9)]
    draft = [Sentence("The last ferry sailed in October 1923.", ("E1",))]
    sentences, support = check(draft, evidence, embedder=embedder, settings=CheckSettings())
    whole = {
        "answer": {"sentences": [asdict(s) for s in sentences]},
        "evidence": [asdict(e) for e in evidence],
        "support": asdict(support),
    }
    return json.loads(json.dumps(whole))


def breaches(report: dict, embedder, text: str | None = TEXT) -> list[str]:
    return verify(report, embedder=embedder, settings=CheckSettings(), document_text=lambda _: text)


def test_an_honest_report_holds(report, embedder):
    assert breaches(report, embedder) == [] and breaches(report, embedder, None) == []


def test_a_changed_sentence_is_a_breach(report, embedder):
    report["answer"]["sentences"][0]["text"] = "The last ferry sailed in October 1932."
    assert "1932" in breaches(report, embedder)[0]


def test_a_changed_source_is_a_breach(report, embedder):
    assert "no longer" in breaches(report, embedder, TEXT.replace("1923", "1924"))[0]


def test_a_label_without_evidence_is_a_breach(report, embedder):
    report["answer"]["sentences"][0]["citations"] = ["E1", "E4"]
    assert any("E4" in line for line in breaches(report, embedder))


def test_wrong_counts_are_a_breach(report, embedder):
    report["support"]["supported"] = 7
    assert any("7" in line for line in breaches(report, embedder))


def test_a_report_without_counts_says_so_once(report, embedder):
    del report["support"]
    assert breaches(report, embedder) == ["the report does not count its verdicts: `support` is missing"]


def test_a_missing_count_is_a_breach(report, embedder):
    del report["support"]["weak"]
    assert breaches(report, embedder) == ["the report does not say how many sentences are weak"]


def test_something_else_is_no_report(embedder):
    with pytest.raises(UsageError):
        breaches({"hello": 1}, embedder)
