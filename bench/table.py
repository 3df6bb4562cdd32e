"""Measurements and the table they make."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    Attributes:
        what: was measured.
        tamis: the value.
        unit: of the value and of the peer's.
        peer: the peer's value, None without one.
        peer_name: who the peer is.
        at_most: the value's aim.
        ratio_at_least: the aim of tamis / peer.
        note: what a reader should know: sizes, processor time.
    """

    what: str
    tamis: float
    unit: str
    peer: float | None = None
    peer_name: str = ""
    at_most: float | None = None
    ratio_at_least: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """tamis / peer."""
        return self.tamis / self.peer if self.peer else None

    @property
    def aim(self) -> str:
        """The aim in words, empty when there is none."""
        if self.at_most is not None:
            return f"≤ {self.at_most:g} {self.unit}"
        return f"ratio ≥ {self.ratio_at_least:.2f}" if self.ratio_at_least is not None else ""

    @property
    def verdict(self) -> str:
        """``ok`` or ``missed``; empty for what has no aim."""
        if self.at_most is not None:
            return "ok" if self.tamis <= self.at_most else "missed"
        if self.ratio_at_least is not None and self.ratio is not None:
            return "ok" if self.ratio >= self.ratio_at_least else "missed"
        return ""


_HEAD = ("measurement", "tamis", "unit", "peer", "", "ratio", "aim", "", "note")
_RIGHT = {1, 3, 5}


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def format_table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table whose columns line up."""
    cells = [
        (
            row.what,
            _number(row.tamis),
            row.unit,
            _number(row.peer),
            row.peer_name,
            f"{row.ratio:.2f}" if row.ratio is not None else "",
            row.aim,
            row.verdict,
            row.note,
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(_HEAD, *cells, strict=True)]

    def line(values: Sequence[str]) -> str:
        padded = [
            value.rjust(width) if at in _RIGHT else value.ljust(width)
            for at, (value, width) in enumerate(zip(values, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [("-" * (width - 1) + ":") if at in _RIGHT else "-" * width for at, width in enumerate(widths)]
    return "\n".join([line(_HEAD), line(rule), *map(line, cells)])


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def median(values: Sequence[float]) -> float:
    """The median."""
    return float(statistics.median(values))
