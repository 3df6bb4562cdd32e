"""Gates: changed facts are caught, faithful sentences are left alone, on claims tuned on and on claims held out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from check.claims import FAITHFUL, Judged, cases, judged
from tamis.models.ner import load_recogniser

pytestmark = pytest.mark.gate

_PARTS = {
    "tuned": ("cases.yaml", "cases_wide.yaml"),
    "held out": ("cases_held.yaml",),
    "held out on scope": ("cases_scope_held.yaml",),
}
_FACTS = ("number", "date", "name")
_LEFT_ALONE = {"held out on scope": 0.80}
"""Share of faithful claims that must pass, 0.90 elsewhere: these were written to be hard, and sums ("thirteen years
before") and other wordings of a denial ("does not open", "is closed") are still taken for changes."""
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
    for said, kinds, floor in (
        ("changed numbers, dates, names", _FACTS, 0.95),
        ("unit", ("unit",), 0.9),
        ("negated", ("negated",), 0.8),
        ("quote", ("quote",), 0.95),
        ("swapped", ("swapped",), 0.5),
        ("facts of another thing", _MISPLACED, 0.95),
        ("crossed", ("crossed",), 0.6),
        ("how many, how often", ("quantifier", "frequency"), 0.6),
    ):
        if any(one.kind in kinds for one in found):
            share, count = _caught(found, kinds)
            report(f"C1 {said} caught ({name})", share, floor, f"{count} claims")


def test_faithful_claims_are_left_alone(part: tuple[str, list[Judged]], report: Callable[..., None]) -> None:
    name, found = part
    share, count = _caught(found, (FAITHFUL,))
    report(f"C1 faithful claims not flagged ({name})", 1.0 - share, _LEFT_ALONE.get(name, 0.90), f"{count} claims")
