"""How well questions are interpreted without a model: intent, topics, shape and composite detection.

The questions were written by the same hand as the exemplars, so the numbers flatter. How examples are read was chosen
by leaving one exemplar out in turn (.96 of intents, .96 of topics among the first three), not here; the rules for the
answer's shape were mended once after a look at these questions ("laptop or desktop?").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tamis.models.embedder import OnnxEmbedder
from tamis.plan.interpret import interpret
from tamis.schema.question import Interpretation
from tamis.settings import InterpretSettings

LABELLED = Path(__file__).resolve().parents[1] / "plan" / "labelled.yaml"
SHIPPED = Path(__file__).resolve().parents[2] / "src" / "tamis" / "plan" / "exemplars.yaml"


@dataclass(frozen=True)
class Case:
    question: str
    intent: str
    topics: frozenset[str]
    shape: str
    composite: bool
    found: Interpretation


@pytest.fixture(scope="module")
def cases(embedder: OnnxEmbedder, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    cache = tmp_path_factory.mktemp("exemplars")
    rows = yaml.safe_load(LABELLED.read_text("utf-8"))
    return [
        Case(
            question,
            intent,
            frozenset(topics.split("|")),
            shape,
            composite,
            interpret(question, embedder=embedder, settings=InterpretSettings(), cache=cache),
        )
        for question, intent, topics, shape, composite in rows
    ]


def share(hits: list[bool]) -> float:
    return sum(hits) / len(hits)


@pytest.mark.gate
def test_intent(cases: list[Case], report: Callable[..., None]) -> None:
    hits = [case.found.intent == case.intent for case in cases]
    report("interpret: intent accuracy", share(hits), 0.90, f"{len(cases)} questions, aim .85")


@pytest.mark.gate
def test_topics(cases: list[Case], report: Callable[..., None]) -> None:
    hits = [bool(case.topics & {name for name, _ in case.found.categories[:3]}) for case in cases]
    report("interpret: topic among the first 3", share(hits), 0.92, "24 topics")


@pytest.mark.gate
def test_shape(cases: list[Case], report: Callable[..., None]) -> None:
    report("interpret: answer shape", share([case.found.shape == case.shape for case in cases]), 0.92, "9 shapes")


@pytest.mark.gate
def test_composite(cases: list[Case], report: Callable[..., None]) -> None:
    right = sum(case.composite and case.found.composite for case in cases)
    said, true = sum(case.found.composite for case in cases), sum(case.composite for case in cases)
    report("interpret: composite F1", 2 * right / (said + true), 0.92, f"{true} of {len(cases)} ask several things")


@pytest.mark.gate
def test_sets_are_large_and_apart(cases: list[Case]) -> None:
    exemplars = yaml.safe_load(SHIPPED.read_text("utf-8"))
    shipped = {text.lower() for by in exemplars.values() for texts in by.values() for text in texts}
    assert len(cases) >= 200 and len(shipped) >= 320 and len(exemplars) >= 20
    assert not shipped & {case.question.lower() for case in cases}
