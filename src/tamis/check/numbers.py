"""Numbers with their units, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tamis.text.tokens import fold

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
_UNITS = {
    form: name
    for name, forms in {
        "%": "% percent percentage pct",
        "$": "$ usd dollar dollars",
        "€": "€ eur euro euros",
        "£": "£ gbp pound-sterling",
        "mg": "mg milligram milligrams",
        "µg": "µg μg ug mcg microgram micrograms",
        "g": "g gram grams gramme grammes",
        "kg": "kg kilogram kilograms kilo kilos",
        "lb": "lb lbs pound pounds",
        "oz": "oz ounce ounces",
        "iu": "iu",
        "kcal": "kcal calories calorie kilocalories",
        "kj": "kj kilojoules",
        "ml": "ml millilitre millilitres milliliter milliliters",
        "l": "l litre litres liter liters",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "cm": "cm centimetre centimetres centimeter centimeters",
        "m": "m metre metres meter meters",
        "km": "km kilometre kilometres kilometer kilometers",
        "mi": "mile miles",
        "ft": "ft foot feet",
        "in": "inch inches",
        "ms": "ms millisecond milliseconds",
        "s": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years yr yrs",
        "decade": "decade decades",
        "century": "century centuries",
        "°c": "°c celsius degrees-celsius",
        "°f": "°f fahrenheit",
        "degree": "° degree degrees",
        "byte": "byte bytes",
        "bit": "bit bits",
        "kb": "kb kib kilobytes kilobyte",
        "mb": "mb mib megabytes megabyte",
        "gb": "gb gib gigabytes gigabyte",
        "tb": "tb tib terabytes terabyte",
        "hz": "hz hertz",
        "khz": "khz",
        "mhz": "mhz",
        "ghz": "ghz",
        "w": "w watt watts",
        "kw": "kw kilowatt kilowatts",
        "kwh": "kwh",
        "v": "v volt volts",
        "time": "time times ×",
    }.items()
    for form in forms.split()
}
_DIGITS = r"\d{1,3}(?:[,\u00a0\u202f'’ ]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<currency>[$€£])?\s?(?P<sign>[-−](?=\d))?(?P<digits>{_DIGITS})(?!\.\d)(?P<scale>k|m|bn)?(?![\w])"
    r"|(?<![\w.])(?P<glued>\d+(?:\.\d+)?)(?P<unit>%|°[cf]?|×|[a-zµμ]{1,4})(?!\w)",
    re.IGNORECASE,
)
_WORD_NUMBER = re.compile(
    r"\b(?P<tens>(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-)?(?P<word>[a-z]+)\b", re.IGNORECASE
)
_NEXT = re.compile(r"[\s-]{0,2}(%|°[cf]?|[$€£×]|[^\W\d_]+)", re.IGNORECASE)
_RANGE_END = re.compile(r"\s?(?:-|–|—|to|and|or)\s?\d", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.|over|more than)\s*$|[~≈]\s*$",
    re.IGNORECASE,
)
_TOLERANCE = 0.05
"""Relative difference that "about" allows."""


@dataclass(frozen=True, slots=True)
class Number:
    """One number.

    Attributes:
        value: scale words applied.
        unit: normalised, empty where none of the known ones follows.
        counted: the folded word after it, for numbers without unit ("three studies").
        decimals: digits behind the point as written.
        about: whether "about" or the like stands before it.
        spelled: written as a word.
        text: as written, with its unit.
    """

    value: float
    unit: str
    counted: str
    decimals: int
    about: bool
    spelled: bool
    text: str


def numbers(text: str) -> list[Number]:
    """Every number of a text that stands for itself; digits inside identifiers and versions do not.

    Args:
        text: dates already taken out where they are not wanted.
    """
    found = [number for match in _NUMBER.finditer(text) if (number := _digits(text, match)) is not None]
    found += [number for match in _WORD_NUMBER.finditer(text) if (number := _spelled(text, match)) is not None]
    return _ranged(found)


def _digits(text: str, match: re.Match[str]) -> Number | None:
    about = bool(_ABOUT.search(text[max(0, match.start() - 16) : match.start()]))
    if match["glued"]:
        unit = _UNITS.get(match["unit"].casefold(), "")
        if not unit:
            return None
        raw = match["glued"]
        return Number(float(raw), unit, "", _decimals(raw), about, False, match.group().strip())
    raw = re.sub(r"[,\u00a0\u202f'’ ]", "", match["digits"])
    value = float(raw) * (-1.0 if match["sign"] and not _joins(text, match.start("sign")) else 1.0)
    end = match.end()
    if match["scale"]:
        value *= _SCALES[match["scale"].casefold()]
    value, end = _scaled(text, value, end)
    unit, counted = _following(text, end)
    if match["currency"]:
        unit = match["currency"]
    return Number(value, unit, counted, _decimals(raw), about, False, text[match.start() : end].strip())


def _joins(text: str, sign: int) -> bool:
    """Whether a hyphen joins a range or compound instead of making the number negative."""
    return sign > 0 and not text[sign - 1].isspace() and text[sign - 1] not in "(["


def _spelled(text: str, match: re.Match[str]) -> Number | None:
    value = _WORDS.get(match["word"].casefold())
    if value is None:
        return None
    if match["tens"]:
        value += _WORDS[match["tens"][:-1].casefold()]
    about = bool(_ABOUT.search(text[max(0, match.start() - 16) : match.start()]))
    value, end = _scaled(text, value, match.end())
    unit, counted = _following(text, end)
    return Number(value, unit, counted, 0, about, True, text[match.start() : end])


def _scaled(text: str, value: float, end: int) -> tuple[float, int]:
    word = re.compile(r"[\s-](hundred|thousand|million|billion|trillion)\b", re.IGNORECASE).match(text, end)
    return (value * _SCALES[word[1].casefold()], word.end()) if word else (value, end)


def _following(text: str, end: int) -> tuple[str, str]:
    match = _NEXT.match(text, end)
    if not match:
        return "", ""
    word = match[1].casefold()
    if word in ("degrees", "degree", "°"):
        scale = re.compile(r"\s(celsius|fahrenheit|c|f)\b", re.IGNORECASE).match(text, match.end())
        return ("°" + scale[1][0].casefold(), "") if scale else ("degree", "")
    # A one-letter unit behind a space is more often a word.
    if unit := _UNITS.get(word, ""):
        return (
            (unit, "")
            if len(word) > 1 or not match.group()[0].isspace() or word in "%$€£×" or word in "glmhv"
            else ("", "")
        )
    return "", fold(word)


def _decimals(raw: str) -> int:
    return len(raw.partition(".")[2])


def _ranged(found: list[Number]) -> list[Number]:
    """Give the start of a range the unit of its end, as in "5-10 mg"."""
    out = list(found)
    for place, number in enumerate(out[:-1]):
        following = out[place + 1]
        if not number.unit and number.counted in ("", "to", "and", "or") and following.unit:
            out[place] = Number(
                number.value,
                following.unit if number.counted != "and" else "",
                "",
                number.decimals,
                number.about,
                number.spelled,
                number.text,
            )
    return out


def matches(claim: Number, given: Number) -> bool:
    """Whether a number of the evidence carries a number of the claim: same unit where both have one, same value.

    Rounding to fewer decimals is no change; "about" allows five per cent.
    """
    if claim.unit and given.unit and claim.unit != given.unit:
        return False
    if claim.value == given.value or abs(claim.value - given.value) <= 1e-9 * abs(given.value):
        return True
    if claim.decimals < given.decimals and round(given.value, claim.decimals) == claim.value:
        return True
    return claim.about and abs(claim.value - given.value) <= _TOLERANCE * abs(given.value)


def missing(claim: Sequence[Number], given: Iterable[Number]) -> list[Number]:
    """Numbers of a claim that the evidence does not carry.

    A spelled number without a unit counts only where the evidence gives another number of the same things: "two ways"
    may be the writer's own count. "One" is mostly an article.
    """
    pool = list(given)
    return [number for number in claim if not any(matches(number, other) for other in pool) and _states(number, pool)]


def _states(number: Number, pool: Sequence[Number]) -> bool:
    if not number.spelled:
        return True
    if number.value == 1.0:
        return False
    return bool(number.unit) or any(other.counted and other.counted == number.counted for other in pool)
