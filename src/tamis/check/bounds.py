"""Whether a claim bounds an amount on the side where the evidence does not.

"At least two days" and "one to two days" share every number and say opposite things. Each number is read with what
stands around it: at least, at most, more than, less than, the lower or upper end of a range, the start or end of a
change; a denial in front of it turns it round ("not for more than two days"). A bound of the claim must suit one of the
places where the evidence gives that number. Where the evidence says how much, the claim may not say "indefinitely".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tamis.check import dates as dating
from tamis.check.numbers import Number, matches, numbers
from tamis.check.polarity import denies
from tamis.check.units import TIMES
from tamis.text.tokens import fold, terms

_LOOK_BACK = 40
_REACH = 200
"""Characters of a clause, before and behind a number, that may deny it."""
_CLAUSE = re.compile(r"[;:,.]\s|\b(?:and|but)\b")
_BEFORE = tuple(
    (side, re.compile(rf"(?:{words})\s*(?:(?:about|around|some|of|the|a)\s+)*$"))
    for side, words in (
        (">=", r"\b(?:no|not) (?:less|fewer|lower|shorter|earlier|younger) than|\b(?:no|not) (?:under|below)|≥|>="),
        (
            "<=",
            r"\b(?:no|not) (?:more|longer|later|greater|higher|older|larger|deeper) than|\b(?:no|not) (?:over|above)",
        ),
        (">=", r"\bat (?:the very )?least|\b(?:a )?minimum(?: of)?"),
        ("<=", r"\bat (?:the very )?most|\bup to|\bwithin|\b(?:a )?maximum(?: of)?|\bnot exceed(?:ing)?|≤|<="),
        (">", r"\b(?:more|greater|longer|higher|older|larger|later|deeper) than|\babove|\bexceed\w*|\bupwards of|>"),
        (">", r"\b(?:for|of|just|well|slightly|lasts?|lasted|takes?|took|keeps?|kept) over"),
        ("<", r"\b(?:less|fewer|lower|shorter|younger|smaller|earlier) than|\bunder|\bbelow|<"),
    )
)
"""What bounds the number behind it; the first that fits counts."""
_OVER = re.compile(r"\bover\s*$")
"""Of a time it says how long something took, not that it took longer."""
_WORD = r"(?:[^\W\d]{1,20}\s{1,4})?"
_AFTER = (
    (
        ">=",
        re.compile(rf"{_WORD}(?:(?:or|and) (?:more|longer|older|over|above|higher|later)\b|at (?:the )?least\b)"),
    ),
    (
        "<=",
        re.compile(rf"{_WORD}(?:(?:or|and) (?:less|fewer|younger|under|below|lower|earlier)\b|at (?:the )?most\b)"),
    ),
)
_RANGE = re.compile(r"\s{0,4}(?:[^\W\d]{1,12}\s?|%\s?|°[cf]?\s?)?(?:to|or|and|[-–—−])\s{0,4}")
_START, _END = re.compile(r"\b(?:down |up )?from\s+(?:[$€£]\s?)?$"), re.compile(r"\b(?:in)?to\s+(?:[$€£]\s?)?$")
_TURNED = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}
_AVOIDS = re.compile(r"\b(?:avoid|discard|throw|unsafe|risk|danger|spoil|refrain)\w*")
"""Words that make a bound one to stay away from."""
_AGAINST = {
    ">=": frozenset({"<=", "<", "high"}),
    ">": frozenset({"<=", "<", "high", "exactly"}),
    "<=": frozenset({">=", ">", "low"}),
    "<": frozenset({">=", ">", "low", "exactly"}),
}
_BOUNDLESS = re.compile(
    r"\b(?:indefinite(?:ly)?|forever|endless(?:ly)?|for ever|for good|permanent(?:ly)?|unlimited"
    r"|(?:without|no) (?:any )?(?:time )?limit|for life|for any (?:length of )?time"
    r"|as long as (?:you|one) (?:like|want|wish)\w*)\b"
)
_LEAST_ALIGNED = 0.5
"""Share of a claim's terms that an evidence sentence must hold to give the amount for what the claim calls endless."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number as its sentence bounds it.

    Attributes:
        number: the number.
        side: ``>=``, ``<=``, ``>``, ``<``, ``low`` or ``high`` end of a range, ``exactly``, empty for "about".
        role: ``start`` or ``end`` of a change from one amount to another, else empty.
    """

    number: Number
    side: str
    role: str


def bounded(sentence: str) -> tuple[Bounded, ...]:
    """The numbers of a sentence with their bounds."""
    rest = dating.dates(sentence)[1]
    ordered = sorted((number for number in numbers(rest) if number.at >= 0), key=lambda number: number.at)
    folded = rest.lower()
    sides = [_side(folded, number) for number in ordered]
    for place, (left, right) in enumerate(pairwise(ordered)):
        between = folded[left.at + len(left.text) : right.at]
        between_two = " and" not in between or folded[: left.at].rstrip().endswith("between")
        if left.value < right.value and between_two and _RANGE.fullmatch(between):
            sides[place] = "low" if sides[place] in ("exactly", "") else sides[place]
            sides[place + 1] = "high" if sides[place + 1] in ("exactly", "") else sides[place + 1]
    return tuple(Bounded(number, side, _role(folded, number)) for number, side in zip(ordered, sides, strict=True))


def _side(text: str, number: Number) -> str:
    before = text[max(0, number.at - _LOOK_BACK) : number.at]
    after = text[number.at + len(number.text) :].lstrip()
    side = next((side for side, form in _BEFORE if form.search(before)), "")
    if not side and number.unit not in TIMES and _OVER.search(before):
        side = ">"
    side = side or next((side for side, form in _AFTER if form.match(after)), "")
    if not side:
        return "" if number.about else "exactly"
    clause = _CLAUSE.split(text[max(0, number.at - _REACH) : number.at])[-1]
    lead = next((form.sub("", clause) for name, form in _BEFORE if name == side and form.search(clause)), clause)
    rest = _CLAUSE.split(text[number.at : number.at + _REACH])[0]
    whole = f"{lead} {rest}"
    return _TURNED[side] if denies(whole) or _AVOIDS.search(whole) else side


def _role(text: str, number: Number) -> str:
    before = text[max(0, number.at - _LOOK_BACK) : number.at]
    return "start" if _START.search(before) else "end" if _END.search(before) else ""


def beyond(claim: str, evidence: Sequence[Sequence[Bounded]], sentences: Sequence[str]) -> str:
    """The amount that a claim bounds otherwise than the evidence, empty where none is.

    Args:
        claim: one sentence.
        evidence: the numbers of each sentence of what it cites.
        sentences: those sentences.
    """
    said = bounded(claim)
    if turned := _turned(said, evidence):
        return turned
    for mine in said:
        alike = [given for found in evidence for given in found if _same(mine.number, given.number)]
        sides = {given.side for given in alike}
        if mine.side in _AGAINST and sides and sides <= _AGAINST[mine.side]:
            return f"{mine.side} {mine.number.text.strip()}, where it is {' or '.join(sorted(sides))} that"
    return _endless(claim, evidence, sentences)


def _same(claim: Number, given: Number) -> bool:
    return claim.value == given.value and matches(claim, given)


def _turned(said: Sequence[Bounded], evidence: Sequence[Sequence[Bounded]]) -> str:
    """A change that runs from the end to the start of what the evidence tells."""
    starts, ends = ([mine.number for mine in said if mine.role == role] for role in ("start", "end"))
    for start, end in ((start, end) for start in starts for end in ends):
        straight = turned = False
        for found in evidence:
            roles = {
                (which, given.role)
                for given in found
                for which, number in (("start", start), ("end", end))
                if _same(number, given.number)
            }
            straight |= {("start", "start"), ("end", "end")} <= roles
            turned |= {("start", "end"), ("end", "start")} <= roles
        if turned and not straight:
            return f"from {start.text.strip()} to {end.text.strip()}, where it is the other way round"
    return ""


def _endless(claim: str, evidence: Sequence[Sequence[Bounded]], sentences: Sequence[str]) -> str:
    """A word for no end, where the evidence names one."""
    word = _BOUNDLESS.search(fold(claim))
    if word is None or denies(fold(claim)[: word.start()]) or any(_BOUNDLESS.search(fold(s)) for s in sentences):
        return ""
    content = set(terms(claim)) - set(terms(word.group()))
    for found, sentence in zip(evidence, sentences, strict=True):
        timed = next((given for given in found if given.number.unit in TIMES), None)
        if timed and content and len(content & set(terms(sentence))) >= _LEAST_ALIGNED * len(content):
            return f"{word.group()}, where {timed.number.text.strip()} {timed.number.unit} is given"
    return ""
