"""Code and tables: every line must stand in the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tamis.text.tokens import fold

_RULE = re.compile(r"[\s|:+=-]*")
_BARE = re.compile(r"\s+")


def foreign_lines(text: str, evidence: Sequence[str], kind: str) -> list[str]:
    """Lines that are in no evidence, white space aside.

    Args:
        text: bare code, or a Markdown table.
        evidence: the texts it may be copied from.
        kind: ``code``, whose lines are compared whole, or ``table``, whose cells are.
    """
    pool = [_BARE.sub("", fold(item) if kind == "table" else item) for item in evidence]
    lines = [line for line in text.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    if kind == "table":
        return [line for line in lines if not _cells_found(line, pool)]
    return [line.strip() for line in lines if not any(_BARE.sub("", line) in item for item in pool)]


def _cells_found(line: str, pool: Sequence[str]) -> bool:
    cells = [_BARE.sub("", fold(cell)) for cell in line.strip().strip("|").split("|")]
    return any(all(cell in item for cell in cells) for item in pool)
