"""Sentence boundaries on real text: character offsets of sentence ends, as a set per document."""

import json

import pytest

from tamis.text.sentences import sentences

pytestmark = pytest.mark.gate


def _ends(text: str, gold: list[str]) -> set[int]:
    ends, position = set(), 0
    for sentence in gold:
        position = text.index(sentence, position) + len(sentence)
        ends.add(position)
    return ends


def test_ewt_boundaries(data, report):
    right = found = wanted = 0
    for line in (data / "sentence_split" / "ud_ewt_dev.jsonl").read_text("utf-8").splitlines():
        document = json.loads(line)
        gold = _ends(document["text"], document["sentences"])
        ours = {end for _, end in sentences(document["text"])}
        right, found, wanted = right + len(gold & ours), found + len(ours), wanted + len(gold)
    precision, recall = right / found, right / wanted
    score = 2 * precision * recall / (precision + recall)
    report("sentence boundaries, EWT dev F1", score, 0.925, f"precision {precision:.3f}, recall {recall:.3f}")


def test_golden_rules(data, report):
    cases = json.loads((data / "sentence_split" / "golden_rules_en_pysbd.json").read_text("utf-8"))
    right = sum(
        [case["text"][start:end] for start, end in sentences(case["text"])] == case["sentences"] for case in cases
    )
    report("sentence boundaries, golden rules", right, 44, f"of {len(cases)}")
