"""Whether two statements of different origins contradict each other: by polarity, or by a number of the same kind."""

from __future__ import annotations

from tamis.check import dates as dating
from tamis.check import numbers as counting
from tamis.check.polarity import contradiction
from tamis.text.tokens import terms

_LEAST_ALIKE = 0.7
"""Dice coefficient of the terms, numbers left out: only near twins are about the same quantity."""


def disagreement(left: str, right: str) -> str:
    """In what one statement contradicts another, in one line; empty where it does not.

    Args:
        left: one sentence.
        right: one sentence of another origin.
    """
    if why := contradiction(left, [right]):
        return why.removeprefix("says ").removesuffix(" there")
    return _numbers_differ(left, right)


def _numbers_differ(left: str, right: str) -> str:
    """The one quantity in which near twins differ."""
    mine, theirs = (_counted(text) for text in (left, right))
    if len(mine) != 1 or len(theirs) != 1 or mine[0].unit != theirs[0].unit or not mine[0].unit:
        return ""
    if not counting.missing(mine, theirs) or not counting.missing(theirs, mine):
        return ""
    said, given = (_words(text) for text in (left, right))
    if 2 * len(said & given) < _LEAST_ALIKE * (len(said) + len(given)):
        return ""
    return f"{mine[0].text.strip()}, not {theirs[0].text.strip()}"


def _counted(text: str) -> list[counting.Number]:
    _, rest = dating.dates(text)
    return list(counting.numbers(rest))


def _words(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if not term.isdigit())
