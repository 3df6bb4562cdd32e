"""Processes that ask at once answer as one that is alone, and hold no more at the end (how: `bench.soak`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import gazette, soak
from bench.askers import Sample, Told, changed, growth
from bench.material import Bench

PAGES = 60


def test_a_small_soak() -> None:
    outcome = soak.apart(PAGES, questions=40, processes=4, with_toys=True)
    assert outcome.faults == []
    assert [(phase.processes, phase.questions) for phase in outcome.phases] == [(1, 10), (4, 40), (2, 6), (4, 12)]
    assert outcome.recrawls and set(outcome.recrawls) == {PAGES // 10}
    assert outcome.complete > 0.2


def test_growth_is_seen() -> None:
    level = [Sample(100.0 + number % 2, 10, 4) for number in range(40)]
    leaking = [Sample(100.0 + number, 10 + number // 10, 4) for number in range(40)]
    assert growth(level, lambda sample: sample.rss_mb) == 0.0
    assert growth(leaking, lambda sample: sample.rss_mb) == 20.0
    assert growth(leaking, lambda sample: float(sample.files)) == 2.0
    assert growth(leaking[:3], lambda sample: sample.rss_mb) == 0.0


def test_a_change_is_named() -> None:
    wanted = Told("Why?", {"answer": "a", "items": "b"}, True, 1.0, 1.0)
    assert changed(Told("Why?", {"answer": "a", "items": "b"}, True, 9.0, 9.0), wanted) == []
    assert changed(Told("Why?", {"answer": "a", "items": "c"}, True, 1.0, 1.0), wanted) == ["items"]


def test_the_gazette_states_what_it_is_asked_for() -> None:
    first, second = gazette.pages(PAGES, 1), gazette.pages(PAGES, 2)
    assert len(set(first.values())) == PAGES
    assert sum(first[path] != second[path] for path in first) == PAGES // 10
    for number in range(PAGES):
        about = gazette.entry(number)
        for page in (first[f"/{number}"], second[f"/{number}"]):
            assert about.town in page and all(fact in page for fact in about.facts.values())
    assert len({question for question, _ in gazette.questions(20, PAGES)}) == 20
    with pytest.raises(ValueError, match="there are names for"):
        gazette.pages(gazette.MOST + 1, 1)


def test_rows_compare_with_one_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def phase(name: str, processes: int, p95: float) -> soak.Phase:
        return soak.Phase(name, processes, 9, 1.0, p95, 1.0, 90.0, 10, {"rss_mb": 1.0}, 2.0)

    phases = [phase("alone", 1, 1.0), phase("2 at once", 2, 2.9), phase("4 at once", 4, 3.1)]
    monkeypatch.setattr(soak, "apart", lambda *_, **__: soak.Soaked(9, phases=phases, faults=["one"]))
    rows = soak.measure(Bench(tmp_path, tmp_path))
    assert [row.verdict for row in rows] == ["missed", "", "ok", "missed"]
    assert "+1.0" in rows[3].note
