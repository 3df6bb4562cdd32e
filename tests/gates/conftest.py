"""Gates: quality floors on real data, shown as one table at the end of the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Row:
    gate: str
    measured: float
    floor: float
    note: str


_ROWS = pytest.StashKey[list[Row]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_ROWS] = []


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`report(gate, measured, floor, note)`: adds a line to the table and fails below the floor."""

    def add(gate: str, measured: float, floor: float, note: str = "") -> None:
        request.config.stash[_ROWS].append(Row(gate, measured, floor, note))
        assert measured >= floor, f"{gate}: {measured:.4f} is below its floor {floor:.4f}"

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash.get(_ROWS, [])
    if not rows:
        return
    terminalreporter.section("gates")
    width = max(len(row.gate) for row in rows)
    for row in rows:
        verdict = "ok  " if row.measured >= row.floor else "FAIL"
        terminalreporter.write_line(
            f"{verdict} {row.gate:<{width}}  {row.measured:8.4f}  floor {row.floor:8.4f}  {row.note}".rstrip()
        )
