"""Numbers with their units, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tamis.check.units import MONEY, RATES, denominator, unit_of
from tamis.text.tokens import fold, terms

_WORDS = {
    word: float(value)
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {
    "thirteen": 13.0,
    "fourteen": 14.0,
    "fifteen": 15.0,
    "sixteen": 16.0,
    "seventeen": 17.0,
    "eighteen": 18.0,
    "nineteen": 19.0,
    "twenty": 20.0,
    "thirty": 30.0,
    "forty": 40.0,
    "fifty": 50.0,
    "sixty": 60.0,
    "seventy": 70.0,
    "eighty": 80.0,
    "ninety": 90.0,
    "dozen": 12.0,
}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "m": 1e6,
    "bn": 1e9,
    "k": 1e3,
}
NUMERALS = frozenset(_WORDS) | frozenset(word for word in _SCALES if len(word) > 2)
"""Words that count."""
_ORDINALS = {
    word: float(value)
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
} | {"twenty-first": 21.0}
ORDINAL = "th"
"""The unit of "third" and "3rd"."""
CENTURY = "centuri"
"""The term of a century."""
_DIGITS = (
    r"\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d{1,2}|\d{4,})(?![\d,])|"
    r"\d{1,3}(?:[,\u00a0\u202f'’ ]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
)
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<currency>[$€£])?\s?(?P<sign>[-−](?=\d))?(?P<digits>{_DIGITS})(?!\.\d)(?P<scale>k|m|bn)?(?![\w])"
    r"|(?<![\w.])(?P<glued>\d+(?:\.\d+)?)(?P<unit>%|°[cf]?|×|[a-zµμ]{1,4})(?!\w)",
    re.IGNORECASE,
)
_WORD_NUMBER = re.compile(
    r"\b(?P<tens>(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-)?(?P<word>[a-z]+)\b", re.IGNORECASE
)
_NEXT = re.compile(r"[\s-]{0,2}(%|°[cf]?|[$€£×]|[^\W\d_]+)", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\w:.,])(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\w:])")
_ORDINAL = re.compile(
    rf"\b(?:(?P<digits>\d{{1,3}})(?:st|nd|rd|th)|(?P<word>{'|'.join(sorted(_ORDINALS, key=len, reverse=True))}))"
    r"[\s-](?P<counted>[^\W\d_]{3,})",
    re.IGNORECASE,
)
_OFTEN = re.compile(r"\b(once|twice|thrice)(?=\s)", re.IGNORECASE)
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_REGULAR = re.compile(
    r"\b(?:(?:every|each)\s(?P<unit>hour|day|week|month|year)|(?P<rate>hourly|daily|weekly|monthly|yearly|annually))\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b([A-Z]{3})\s?$")
_SCALE_WORD = re.compile(r"[\s-](hundred|thousand|million|billion|trillion)\b", re.IGNORECASE)
_SCALE = re.compile(r"\s(celsius|fahrenheit|c|f)\b", re.IGNORECASE)
_POINTS = re.compile(r"\s?points?\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.|over|under"
    r"|(?:more|less|fewer) than)\s*$|[~≈]\s*$",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"(?<!no )(?<!not )\b(?:(over|more than)|under|(?:less|fewer) than)\s*$", re.IGNORECASE)
_TOLERANCE = 0.05
"""Relative difference that "about" allows."""
_SAME_RATE = 60
"""Characters behind an amount within which "every day" is what it is counted by."""


@dataclass(frozen=True, slots=True)
class Number:
    """One number.

    Attributes:
        value: scale words applied; of a time of day or a result ("2:01:09") the seconds.
        unit: normalised, empty where none of the known ones follows; `ORDINAL` for "third".
        counted: the folded word after it, for numbers without unit ("three studies").
        text: as written, with its unit.
        step: the last place given: 0.1 for "4.5", 100,000 for "3.1 million".
        about: whether "about" or the like stands before it.
        spelled: written as a word.
        per: what it is counted by ("day" in "30 g a day"), empty where nothing is said.
        at: where it begins in its text.
        aside: 1 where what it stands for is more ("over"), -1 where it is less, else 0.
    """

    value: float
    unit: str
    counted: str
    text: str
    step: float = 1.0
    about: bool = False
    spelled: bool = False
    per: str = ""
    at: int = field(default=-1, compare=False)
    aside: int = 0


def numbers(text: str) -> list[Number]:
    """Every number of a text that stands for itself; digits inside identifiers and versions do not.

    Args:
        text: dates already taken out where they are not wanted.
    """
    found = [_clock(match) for match in _CLOCK.finditer(text)]
    text = _CLOCK.sub(lambda match: " " * len(match.group()), text)
    found += [_ordinal(match) for match in _ORDINAL.finditer(text)]
    found += [number for match in _NUMBER.finditer(text) if (number := _digits(text, match)) is not None]
    found += [number for match in _WORD_NUMBER.finditer(text) if (number := _spelled(text, match)) is not None]
    found += [number for match in _OFTEN.finditer(text) if (number := _often(text, match)).per]
    return _ranged(found) + _regular(text, found)


def _regular(text: str, found: Sequence[Number]) -> list[Number]:
    """How often, where no amount says it: "every day" is once a day."""
    rated = [number.at for number in found if number.per]
    return [
        Number(1.0, "time", "", match.group(), spelled=True, per=per, at=match.start())
        for match in _REGULAR.finditer(text)
        if (per := unit_of(match["unit"]) if match["unit"] else RATES[match["rate"].casefold()])
        and not any(0 <= match.start() - at <= _SAME_RATE for at in rated)
    ]


def _often(text: str, match: re.Match[str]) -> Number:
    """How often in a time: "twice a day"."""
    per = denominator(text, match.end())
    return Number(_TIMES[match[1].casefold()], "time", "", match.group(), spelled=True, per=per, at=match.start())


def _clock(match: re.Match[str]) -> Number:
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return Number(3600 * hours + 60 * minutes + seconds, "clock", "", match.group(), at=match.start())


def _ordinal(match: re.Match[str]) -> Number:
    word = match["word"]
    value = _ORDINALS[word.casefold()] if word else float(match["digits"])
    return Number(
        value, ORDINAL, (terms(match["counted"]) or [""])[0], match.group(), spelled=bool(word), at=match.start()
    )


def _digits(text: str, match: re.Match[str]) -> Number | None:
    before = text[max(0, match.start() - 16) : match.start()]
    about, aside = bool(_ABOUT.search(before)), _aside(before)
    if match["glued"]:
        unit = unit_of(match["unit"])
        raw = match["glued"]
        per = denominator(text, match.end())
        said = match.group().strip()
        return (
            Number(float(raw), unit, "", said, _step(raw), about, per=per, at=match.start(), aside=aside)
            if unit
            else None
        )
    raw = _plain(match["digits"])
    sign = -1.0 if match["sign"] and not _joins(text, match.start("sign")) else 1.0
    scale = _SCALES[match["scale"].casefold()] if match["scale"] else 1.0
    more, end = _scaled(text, match.end())
    unit, counted, after = _following(text, end)
    if match["currency"]:
        unit = match["currency"]
    elif (code := _CODE.search(text[max(0, match.start("digits") - 5) : match.start("digits")])) and (
        money := unit_of(code[1])
    ) in MONEY:
        unit, counted = money, ""
    said = text[match.start() : end].strip()
    scale *= more
    return Number(
        sign * float(raw) * scale,
        unit,
        counted,
        said,
        _step(raw) * scale,
        about,
        per=denominator(text, after),
        at=match.start("digits"),
        aside=aside,
    )


def _aside(before: str) -> int:
    found = _ASIDE.search(before)
    return 0 if found is None else 1 if found[1] else -1


def _plain(digits: str) -> str:
    """Digits with a decimal point and nothing else: 1.234,5 and 1,234.5 alike, and 0,5 for a half."""
    if re.fullmatch(r"(?<![\d.])\d{1,3}(?:\.\d{3})++,\d+|(?<!\d)\d++,(?:\d{1,2}|\d{4,})", digits):
        return digits.replace(".", "").replace(",", ".")
    return re.sub(r"[,\u00a0\u202f'’ ]", "", digits)


def _joins(text: str, sign: int) -> bool:
    """Whether a hyphen joins a range or compound instead of making the number negative."""
    return sign > 0 and not text[sign - 1].isspace() and text[sign - 1] not in "(["


def _spelled(text: str, match: re.Match[str]) -> Number | None:
    value = _WORDS.get(match["word"].casefold())
    if value is None:
        return None
    if match["tens"]:
        value += _WORDS[match["tens"][:-1].casefold()]
    before = text[max(0, match.start() - 16) : match.start()]
    about, aside = bool(_ABOUT.search(before)), _aside(before)
    scale, end = _scaled(text, match.end())
    unit, counted, after = _following(text, end)
    said = text[match.start() : end]
    per = denominator(text, after)
    return Number(value * scale, unit, counted, said, scale, about, True, per, match.start(), aside)


def _scaled(text: str, end: int) -> tuple[float, int]:
    word = _SCALE_WORD.match(text, end)
    return (_SCALES[word[1].casefold()], word.end()) if word else (1.0, end)


def _following(text: str, end: int) -> tuple[str, str, int]:
    """Unit, or the word that is counted, and where it ends."""
    match = _NEXT.match(text, end)
    if not match:
        return "", "", end
    word = match[1].casefold()
    if word in ("degrees", "degree", "°"):
        scale = _SCALE.match(text, match.end())
        return ("°" + scale[1][0].casefold(), "", scale.end()) if scale else ("degree", "", match.end())
    if word == "percentage" and (points := _POINTS.match(text, match.end())):
        return "percentage point", "", points.end()
    if unit := unit_of(word):
        # A one-letter unit behind a space is more often a word.
        spaced = len(word) == 1 and match.group()[0].isspace() and word not in "%$€£¥×glmhvw"
        return ("", "", end) if spaced else (unit, "", match.end())
    return "", fold(word), end


def _step(raw: str) -> float:
    return 10.0 ** -len(raw.partition(".")[2])


def _ranged(found: list[Number]) -> list[Number]:
    """Give the start of a range the unit of its end, as in "5-10 mg"."""
    out = list(found)
    for place, number in enumerate(out[:-1]):
        following = out[place + 1]
        if not number.unit and number.counted in ("", "to", "and", "or") and following.unit not in ("", ORDINAL):
            unit = following.unit if number.counted != "and" else ""
            out[place] = replace(number, unit=unit, counted="", per=following.per)
    return out


def matches(claim: Number, given: Number) -> bool:
    """Whether a number of the evidence carries a number of the claim: same unit where both have one, same value.

    Rounding to a coarser place is no change; "about" allows five per cent. Units are never converted. A century is
    carried by a year in it.
    """
    if claim.per and given.per and claim.per != given.per:
        return False
    if (claim.unit == ORDINAL) != (given.unit == ORDINAL):
        return claim.counted == CENTURY and given.unit in ("", "s") and century(given.value) == claim.value
    if claim.unit and given.unit and claim.unit != given.unit:
        return False
    difference = abs(claim.value - given.value)
    if difference <= 1e-9 * abs(given.value):
        return True
    if claim.step > given.step and difference <= claim.step / 2:
        return True
    if claim.aside * (given.value - claim.value) < 0:
        return False
    return claim.about and difference <= _TOLERANCE * abs(given.value)


def century(year: float) -> int:
    """The century of a year, 0 for what is no year: the 1500s are the 16th."""
    return int(year) // 100 + 1 if year == int(year) and 100 <= year < 2100 else 0


def missing(claim: Sequence[Number], given: Iterable[Number]) -> list[Number]:
    """Numbers of a claim that the evidence does not carry.

    A spelled number without a unit counts only where the evidence gives another number of the same things: "two ways"
    may be the writer's own count. "One" is mostly an article. An ordinal counts where the evidence has another of the
    same things; a century always does.
    """
    pool = list(given)
    centuries = [other for other in pool if other.counted == CENTURY and other.unit == ORDINAL]

    def carried(number: Number) -> bool:
        # A year tells its century only where the evidence speaks of none.
        among = centuries if centuries and number.counted == CENTURY and number.unit == ORDINAL else pool
        return any(matches(number, other) for other in among)

    return [number for number in claim if not carried(number) and _states(number, pool)]


def _states(number: Number, pool: Sequence[Number]) -> bool:
    if number.unit == ORDINAL:
        same = any(other.unit == ORDINAL and other.counted == number.counted for other in pool)
        return number.counted == CENTURY or same
    if not number.spelled:
        return True
    if number.per and (number.unit == "time" or number.value == 1.0):
        if _REGULAR.fullmatch(number.text) and any(o.unit != "time" and o.per == number.per for o in pool):
            # "Daily" sums up "30 g a day".
            return False
        alike = [other for other in pool if (other.unit, other.counted) == (number.unit, number.counted)]
        return any(other.per for other in alike)
    if number.value == 1.0:
        return False
    return bool(number.unit) or any(other.counted and other.counted == number.counted for other in pool)
