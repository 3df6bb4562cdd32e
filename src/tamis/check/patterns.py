"""What an order to a language model looks like: weighted patterns over folded text, kept in `patterns.yaml`.

Patterns are looked for only around their cues, so that a long text without any costs little more than looking for
some two hundred short strings in it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

GRAVE = frozenset({"asks to ignore instructions", "asks for the prompt or secrets"})
"""Families that are looked for under every disguise, and make what follows them suspect."""
_FRAGMENT = re.compile(r"\{([A-Z_]+)\}")
_WORD = re.compile(r"[a-z0-9]+")
_EDGES = " \n.,;:!?"
_SHORT = 2000
"""Characters up to which looking for a cue is quicker than looking up its first word."""
_BEFORE, _BEHIND = 240, 360
"""Characters around a cue in which its pattern may match."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One sign.

    Attributes:
        family: what it is a sign of; shown to the reader.
        weight: 1 decides alone.
        spoken: an order, whose weight falls where it is only quoted or told of.
        cues: a text without any of these cannot match.
        expression: compiled, for folded text.
    """

    family: str
    weight: float
    spoken: bool
    cues: tuple[str, ...]
    expression: re.Pattern[str]


def _folded(expression: str) -> str:
    """Decomposed and without accents, as folded text is; letters keep their case, which escapes need."""
    return "".join(c for c in unicodedata.normalize("NFKD", expression) if not unicodedata.combining(c))


def _pattern(entry: Mapping[str, Any], fragments: Mapping[str, str], cues: Mapping[str, list[str]]) -> Pattern:
    expression = _FRAGMENT.sub(lambda name: fragments[name.group(1)], entry["expression"])
    listed = cues[entry["cues"]] if isinstance(entry["cues"], str) else entry["cues"]
    return Pattern(
        entry["family"],
        float(entry["weight"]),
        bool(entry.get("spoken", True)),
        tuple(_folded(cue) for cue in listed),
        # Passages are divided by line feeds; an order may be cut at any blank.
        re.compile(_folded(expression).replace(" ", r"\s"), re.MULTILINE | re.DOTALL),
    )


@lru_cache(maxsize=1)
def patterns() -> tuple[Pattern, ...]:
    """All of them, in the order of the file."""
    from tamis.text import yamls

    data = yamls.load((files("tamis.check") / "patterns.yaml").read_text("utf-8"))
    return tuple(_pattern(entry, data["fragments"], data["cues"]) for entry in data["patterns"])


@lru_cache(maxsize=2)
def _all_cues(*, ascii_only: bool) -> Mapping[str, tuple[int, ...]]:
    """Cue → the patterns that wait for it."""
    waiting: dict[str, list[int]] = {}
    for number, pattern in enumerate(patterns()):
        for cue in pattern.cues:
            if cue.isascii() or not ascii_only:
                waiting.setdefault(cue, []).append(number)
    return {cue: tuple(numbers) for cue, numbers in sorted(waiting.items())}


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern found.

    Attributes:
        pattern: its place among `patterns`.
        weight: less than the pattern's where the order is quoted or told of.
        start: in the folded text.
        end: one past it.
    """

    pattern: int
    weight: float
    start: int
    end: int


def signs(plain: str) -> list[Sign]:
    """Every match of every pattern in a folded text, passages divided by line feeds."""
    places: dict[int, list[int]] = {}
    joined = plain.replace("\n", " ")
    may_occur = _words_of(joined)
    for cue, numbers in _all_cues(ascii_only=joined.isascii()).items():
        if may_occur(cue) and (found := list(_occurrences(joined, cue))):
            for number in numbers:
                places.setdefault(number, []).extend(found)
    return [
        Sign(number, _in_context(pattern, plain, match), *_bare_span(match))
        for number in sorted(places)
        for pattern in [patterns()[number]]
        for first, last in _around(places[number])
        for match in pattern.expression.finditer(plain, first, last)
    ]


def _bare_span(match: re.Match[str]) -> tuple[int, int]:
    """Where a match stands without blanks at its ends and the stop of a sentence before it: those are no part of it."""
    found = match.group()
    return match.end() - len(found.lstrip(_EDGES)), match.start() + len(found.rstrip())


def _words_of(plain: str) -> Callable[[str], bool]:
    """Tells of a cue whether it may occur: some word of the text begins as the cue's first word does."""
    if len(plain) < _SHORT:
        return lambda cue: cue in plain
    known = sorted(set(_WORD.findall(plain)))

    def may_occur(cue: str) -> bool:
        head = _WORD.search(cue)
        if head is None or not cue.isascii():
            return True
        at = bisect_left(known, head.group())
        return at < len(known) and known[at].startswith(head.group())

    return may_occur


def _occurrences(plain: str, cue: str) -> Iterator[int]:
    at = plain.find(cue)
    while at >= 0:
        yield at
        at = plain.find(cue, at + 1)


def _around(places: list[int]) -> Iterator[tuple[int, int]]:
    """Stretches around places, those that touch joined."""
    first = last = -1
    for place in sorted(places):
        if place - _BEFORE > last:
            if last >= 0:
                yield first, last
            first = max(0, place - _BEFORE)
        last = place + _BEHIND
    if last >= 0:
        yield first, last


def total(found: Collection[Sign]) -> tuple[float, str]:
    """What signs weigh together, and the family that weighs most.

    Saying the same thing twice does not make it an order: of each pattern the heaviest match counts, and of signs of a
    family in the same words the heaviest one.
    """
    best: dict[int, Sign] = {}
    for sign in found:
        if sign.pattern not in best or sign.weight > best[sign.pattern].weight:
            best[sign.pattern] = sign
    families: dict[str, float] = {}
    counted: dict[str, list[Sign]] = {}
    for sign in sorted(best.values(), key=lambda one: (-one.weight, one.start, one.pattern)):
        family = patterns()[sign.pattern].family
        others = counted.setdefault(family, [])
        if not any(_same_words(sign, other) for other in others):
            others.append(sign)
            families[family] = families.get(family, 0.0) + sign.weight
    heaviest = max(families, key=lambda family: (families[family], family), default="")
    return round(sum(families.values()), 6), heaviest


def _same_words(one: Sign, other: Sign) -> bool:
    """Whether two signs share half of the shorter one or more."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return 2 * shared >= min(one.end - one.start, other.end - other.start)


def grave(found: Collection[Sign]) -> bool:
    """Whether one of the signs is of a family that is looked for under every disguise."""
    return any(patterns()[sign.pattern].family in GRAVE for sign in found)


_QUOTED_WEIGHT = 0.35
_REPORTED_WEIGHT = 0.4
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("`", "`"), ("'", "'"), ("‘", "’"))


def _in_context(pattern: Pattern, plain: str, match: re.Match[str]) -> float:
    """The pattern's weight where it was found: less where the order is quoted or told of."""
    if not pattern.spoken:
        return pattern.weight
    start = max(plain.rfind(mark, 0, match.start()) for mark in ("\n", ". ", "! ", "? ")) + 1
    before = plain[start : match.start()]
    end = min((at for at in (plain.find(mark, match.end()) for mark in ("\n", ". ")) if at >= 0), default=len(plain))
    around = f"{before} {plain[match.end() : end]}"
    if TALKED_ABOUT.search(around) and (_quoted(plain, match.start(), match.end()) or REPORTED.search(before)):
        return pattern.weight * _QUOTED_WEIGHT
    if REPORTED.search(before) and not ADDRESSED.search(before):
        return pattern.weight * _REPORTED_WEIGHT
    return pattern.weight


def _quoted(plain: str, start: int, end: int) -> bool:
    """Whether quotation marks of one kind stand around the match, close to it."""
    before, after = plain[max(0, start - 60) : start], plain[end : end + 120]
    return any(
        (opening != closing or before.count(opening) % 2 == 1) and opening in before and closing in after
        for opening, closing in _QUOTES
    )


TALKED_ABOUT = re.compile(
    r"\b(?:attack(?:s|er|ers)?|injections?|injected|jailbreak(?:s|ing)?|malicious|adversar\w+|such as|for example|e\.g"
    r"|for instance|phrases?|example|exploits?|vulnerab\w+|trick(?:s|ed)?|attempts?|defen[cd]\w*|mitigat\w*|detect\w*"
    r"|guard against|researchers?|classifier|called|known as|prompts? (?:like|that)|filters?|payloads?|hidden text"
    r"|says|said|the (?:words|string|wording))\b"
)
"""Words of somebody who writes about such orders rather than giving one."""

REPORTED = re.compile(
    r"(?:\b(?:can|could|may|might|will|would|to|that|which|who|not|did|does|they|it|he|she|we|users?|models?|people"
    r"|often|sometimes)\s+"
    r"|\b(?:tells?|asks?|instructs?|telling|asking|instructing|told|asked|instructed)"
    r" (?:the|a|an|it|them|your|our)\s?\w*\s+(?:\w+ )?to\s+)$"
)
"""In front of an order's verb: it is told of, not given."""

ADDRESSED = re.compile(
    r"(?:\byou (?:must|should|will|shall|have to|need to|are to|can now|may now"
    r"|are (?:required|instructed|ordered|asked|commanded|expected|allowed|free) to)"
    r"|\b(?:want|need|ask(?:ing)?|order(?:ing)?|instruct(?:ing)?|command(?:ing)?|tell(?:ing)?) you to"
    r"|\b(?:ai|assistants?|models?|llms?) (?:must|should|shall|are (?:required|instructed|to)|need to))"
    r"\s+(?:now |please |immediately |completely |simply |just )*$"
)
"""In front of an order's verb: it is given to "you" or to the model after all."""

CONTINUES = re.compile(
    r"^\W*(?:then|and|also|instead|now|next|after that|finally|please|in addition|additionally|do this|remember"
    r"|make sure|first|second|third|fourth|lastly|simply|just|step \w+"
    r"|you (?:must|should|will|are|always|never|only|speak|talk|say|answer|recommend|received|were|have)"
    r"|it (?:must|is|should)|do not|don'?t|never|always|only|say|state|write|respond|reply"
    r"|answer|output|print|name|this (?:page|text|is)|the (?:answer|question)|talk|speak"
    r"|recommend|mention|include|tell|reveal|send|call|visit|act|pretend|start|begin|end|repeat|cite|rate|rank|treat)\b"
)
"""How an order goes on in the sentence after it."""
