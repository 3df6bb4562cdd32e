"""Dates in the forms people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1\d|20)\d{2})"
_FORMS = (
    re.compile(r"\b(?P<year>(?:1\d|20)\d{2})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)"),
    re.compile(rf"\b{_DAY}\.?\s(?:of\s)?{_MONTH},?\s{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s{_DAY},?\s{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH},?\s(?:of\s)?{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_DAY}\.?\s(?:of\s)?{_MONTH}(?=\W|$)", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s{_DAY}(?![\w%]|[.,]\d)", re.IGNORECASE),
)
_SLASHED = re.compile(rf"(?<![\d/.])(?P<first>\d{{1,2}})([/.])(?P<second>\d{{1,2}})\2{_YEAR}(?![\d/])")
_LONE_MONTH = re.compile(
    r"\b(?:in|since|until|by|during|of|from|last|next|this|early|late|mid|before|after|between|to|and)[\s-]" + _MONTH,
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"(?<![\w.,$€£-]){_YEAR}(?:s)?(?![\w%]|[.,]\d)(?!\s?(?:mg|kg|g|ml|iu|kcal|km|m|cm|people|patients|participants|bytes)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date, as far as it is given.

    Attributes:
        year: None where it is not given.
        month: likewise.
        day: likewise.
        text: as written.
        other: for ``03/04/2020``: the same with day and month exchanged.
    """

    year: int | None
    month: int | None
    day: int | None
    text: str
    other: tuple[int, int] | None = None


def dates(text: str) -> tuple[list[Date], str]:
    """Dates of a text, and the text with them blanked, so that their numbers are not read again."""
    found: list[Date] = []
    rest = text
    for number, form in enumerate((*_FORMS, _SLASHED, _LONE_MONTH, _ALONE)):
        for match in list(form.finditer(rest)):
            date = _slashed(match) if form is _SLASHED else _named(match)
            # "may" and "march" are verbs unless written with a capital.
            month = match.groupdict().get("month") or ""
            if date is None or (number > 0 and month in ("may", "march", "mar", "sep", "dec", "jan", "oct")):
                continue
            found.append(date)
            rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
    return found, rest


def _named(match: re.Match[str]) -> Date | None:
    parts = match.groupdict()
    name = (parts.get("month") or "").casefold()
    month = int(name) if name.isdigit() else _MONTHS.get(name)
    day = int(parts["day"]) if parts.get("day") else None
    if (day is not None and not 1 <= day <= 31) or (month is not None and not 1 <= month <= 12):
        return None
    return Date(int(parts["year"]) if parts.get("year") else None, month, day, match.group())


def _slashed(match: re.Match[str]) -> Date | None:
    first, second = int(match["first"]), int(match["second"])
    if max(first, second) > 31 or min(first, second) < 1 or min(first, second) > 12:
        return None
    exchanged = (second, first) if max(first, second) <= 12 else None
    month, day = (second, first) if first > 12 or exchanged else (first, second)
    return Date(int(match["year"]), month, day, match.group(), other=exchanged and (exchanged[1], exchanged[0]))


def _span(date: Date) -> int:
    """How many years a date covers: "the 1880s" ten, "the 1500s" a hundred."""
    if date.year is None or not date.text.strip().endswith("s") or date.month is not None:
        return 1
    return 10 if date.year % 100 else 100


def _carries(given: Date, claim: Date) -> bool:
    """Whether every part that the claim states is the evidence's."""
    if _span(claim) > 1:
        within = given.year is not None and claim.year is not None and 0 <= given.year - claim.year < _span(claim)
        return within and (_span(given) == 1 or given.year == claim.year)
    if _span(given) > 1:
        return False

    def same(month: int | None, day: int | None) -> bool:
        return (claim.month in (None, month)) and (claim.day in (None, day)) and claim.year in (None, given.year)

    return same(given.month, given.day) or (given.other is not None and same(*given.other))


def missing(claim: Iterable[Date], given: Iterable[Date]) -> list[Date]:
    """Dates of a claim that the evidence does not carry."""
    pool = list(given)

    def carried(date: Date) -> bool:
        # A year tells its decade or century only where the evidence speaks of none.
        alike = [other for other in pool if _span(other) == _span(date)] if _span(date) > 1 else []
        return any(_carries(other, reading) for other in alike or pool for reading in _readings(date))

    return [date for date in claim if not carried(date)]


def _readings(date: Date) -> Iterator[Date]:
    yield date
    if date.other is not None:
        yield Date(date.year, date.other[0], date.other[1], date.text)
