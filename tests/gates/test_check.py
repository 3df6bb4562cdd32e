"""Gates: changed facts are caught, faithful sentences are left alone, on claims tuned on and on claims held out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from check.claims import FAITHFUL, Judged, cases, judged
from tamis.models.ner import load_recogniser

pytestmark = pytest.mark.gate

_PARTS = {"tuned": ("cases.yaml", "cases_wide.yaml"), "held out": ("cases_held.yaml",)}
_FACTS = ("number", "date", "name")
_MISPLACED = ("merged", "bound", "tacked")


@pytest.fixture(scope="module", params=_PARTS)
def part(request: pytest.FixtureRequest, embedder) -> tuple[str, list[Judged]]:
    """As `scroll` checks what a model wrote: with the recogniser."""
    listed = [case for name in _PARTS[request.param] for case in cases(name)]
    return request.param, judged(listed, embedder, load_recogniser())


def _caught(found: list[Judged], kinds: tuple[str, ...]) -> tuple[float, int]:
    flags = [one.flagged for one in found if one.kind in kinds]
    return sum(flags) / len(flags), len(flags)


def test_changed_facts_are_caught(part: tuple[str, list[Judged]], report: Callable[..., None]) -> None:
    name, found = part
    share, count = _caught(found, _FACTS)
    report(f"C1 changed numbers, dates, names caught ({name})", share, 0.95, f"{count} claims")
    for kind, floor in (("unit", 0.9), ("negated", 0.8), ("quote", 0.95), ("swapped", 0.5)):
        share, count = _caught(found, (kind,))
        report(f"C1 {kind} caught ({name})", share, floor, f"{count} claims")
    if misplaced := [one.flagged for one in found if one.kind in _MISPLACED]:
        share = sum(misplaced) / len(misplaced)
        report(f"C1 facts of another thing caught ({name})", share, 0.95, f"{len(misplaced)} claims")


def test_faithful_claims_are_left_alone(part: tuple[str, list[Judged]], report: Callable[..., None]) -> None:
    name, found = part
    share, count = _caught(found, (FAITHFUL,))
    report(f"C1 faithful claims not flagged ({name})", 1.0 - share, 0.90, f"{count} claims")
