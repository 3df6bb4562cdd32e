"""How many names the recogniser finds on hand-labelled text; reported, and held above a floor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tamis.models.ner import SpacyRecogniser, load_recogniser

pytestmark = pytest.mark.gate
_LABELS = {
    "person": "PER", "PER": "PER", "PERSON": "PER", "location": "LOC", "LOC": "LOC", "place": "LOC",
    "corporation": "ORG", "group": "ORG", "ORG": "ORG", "organization": "ORG",
}  # fmt: skip


@pytest.fixture(scope="module")
def recogniser() -> SpacyRecogniser:
    return load_recogniser()


def f1(path: Path, recogniser: SpacyRecogniser) -> tuple[float, float]:
    """Exact-span F1 for people, places and organisations: labels ignored, then with labels."""
    texts, gold = [], []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        offsets, at = [], 0
        for token in row["tokens"]:
            offsets.append((at, at + len(token)))
            at += len(token) + 1
        texts.append(" ".join(row["tokens"]))
        gold.append(
            {
                (offsets[e["start"]][0], offsets[e["end"] - 1][1], _LABELS[e["type"]])
                for e in row["entities"]
                if e["type"] in _LABELS
            }
        )
    found = [
        {(m.start, m.end, m.label) for m in mentions if m.label != "MISC"} for mentions in recogniser.mentions(texts)
    ]
    scores = []
    for view in (lambda e: e[:2], lambda e: e):
        pairs = [({view(e) for e in g}, {view(e) for e in f}) for g, f in zip(gold, found, strict=True)]
        hits = sum(len(g & f) for g, f in pairs)
        total = sum(len(g) + len(f) for g, f in pairs)
        scores.append(2 * hits / total)
    return scores[0], scores[1]


@pytest.mark.parametrize(
    ("name", "floor"), [("sec.FIN5.jsonl", 0.52), ("wnut17.dev.jsonl", 0.47), ("btc.b.jsonl", 0.33)]
)
def test_names_found(data, report, recogniser, name, floor):
    spans, labelled = f1(data / "ner" / name, recogniser)
    report(f"entities {name.removesuffix('.jsonl')} F1", spans, floor, f"with labels {labelled:.3f}")
