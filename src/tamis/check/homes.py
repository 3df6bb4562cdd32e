"""Whether the facts of one clause of a claim live together in the evidence.

Each fact may stand somewhere in what is cited and the clause still be false: "the first weighs 20 kg", where the first
weighs 12 and the second 20. So the home of each number, date and name is looked up: the sentence, or the part of it
between two amounts of the same kind, together with what that part leaves out because the sentence said it before. A
clause is at odds with its evidence where another part holds more of its words than every home of its number does and
gives another amount of the same kind for them, and where what is said in one part of one name is said of another name
in the claim. Clauses that join two sources, each with its own fact, have a home each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tamis.check import dates as dating
from tamis.check.names import names
from tamis.check.numbers import NUMERALS, Number, matches, numbers
from tamis.check.units import TIMES, unit_of
from tamis.text.tokens import is_stop, terms, words

_CLAUSE = re.compile(
    r"[;:,()]\s+|\s[-–—]\s"
    r"|\b(?:and|but|although|though|whereas|while|because|unless|however|which|if|since|so that)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r";\s|\b(?:and|but|whereas|while|or|to)\b", re.IGNORECASE)
_COMMA = re.compile(r",\s")
_POINTING = re.compile(
    r"\b(?:it|its|they|their|them|this|these|those|he|she|his|her|such|both|former|latter)\b", re.IGNORECASE
)
_NAMED = 0.6
"""Share of a clause's words that a part must hold to be what the clause restates with another's amount, if it holds
a name that the homes of that amount do not."""
_UNNAMED = 0.8
"""Likewise where no name tells them apart."""
_LEAST_SAID = 3
"""Words and facts of a clause that can tell one home from another."""
_Fact = Number | dating.Date


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of the evidence, or the part of it that speaks of one amount.

    Attributes:
        window: terms that it says or takes over from what stands before it.
        near: likewise, without what the sentence before says.
        own: terms that it says itself.
        facts: its numbers and dates.
        marks: terms of the names in it and of those that it points back to.
        whole: terms of its sentence.
    """

    window: frozenset[str]
    near: frozenset[str]
    own: frozenset[str]
    facts: tuple[_Fact, ...]
    marks: frozenset[str]
    whole: frozenset[str]


def parts_of(sentences: Sequence[str], heading: str) -> tuple[Part, ...]:
    """A piece of evidence, cut so that each part speaks of one amount of a kind.

    Args:
        sentences: of its prose.
        heading: names what all of them speak of.
    """
    found: list[Part] = []
    above, before = frozenset(_said(heading)), ""
    for sentence in sentences:
        taken = above | _taken(before, sentence) if _POINTING.search(sentence) else above
        found += _cut(sentence, above, taken, _marks(before))
        before = sentence
    return tuple(found)


def _taken(before: str, sentence: str) -> frozenset[str]:
    """What "it" may mean: all of the sentence before, or how it begins where it gives an amount of the same kind."""
    dated, rest = dating.dates(before)
    here_dated, here = dating.dates(sentence)
    amounts: list[tuple[int, _Fact]] = [
        *((number.at, number) for number in numbers(rest)),
        *((before.find(date.text), date) for date in dated),
    ]
    mine: list[_Fact] = [*numbers(here), *here_dated]
    rivals = [at for at, amount in amounts if any(_alike(amount, other) for other in mine)]
    return frozenset(_said(before[: max(0, min(rivals, default=len(before)))]))


def _cut(sentence: str, above: frozenset[str], taken: frozenset[str], known: frozenset[str]) -> list[Part]:
    """Parts of a sentence; one that begins or ends short takes over the beginning or end of its neighbour."""
    dated, rest = dating.dates(sentence)
    counted, whole = numbers(rest), frozenset(_said(sentence))
    edges = sorted({edge for edge in _edges(sentence, counted) if edge})
    spans = list(zip([0, *edges], [*edges, len(sentence)], strict=True))
    bounds = [_around(rest[start:end], [n for n in counted if start <= n.at < end], start) for start, end in spans]
    head, tail = bounds[0][0], bounds[-1][1]
    out = []
    for place, (start, end) in enumerate(spans):
        piece = sentence[start:end]
        own = frozenset(_said(rest[start:end]))
        shared: list[str] = []
        if place:
            shared += head[len(bounds[place][0]) :]
        if place + 1 < len(spans):
            shared += tail[len(bounds[place][1]) :]
        facts: tuple[_Fact, ...] = (
            *(n for n in counted if start <= n.at < end),
            *(d for d in dated if d.text in piece),
        )
        near = own | frozenset(shared) | above
        out.append(Part(near | taken, near, own, facts, _marks(piece) | (known & taken), whole))
    return out


def _around(piece: str, counted: Sequence[Number], start: int) -> tuple[list[str], list[str]]:
    """What a part says before its first number and behind its last."""
    if not counted:
        return _said(piece), []
    first, last = min(n.at for n in counted), max(n.at for n in counted)
    return _said(piece[: first - start]), _said(piece[last - start :])


def _edges(text: str, counted: Sequence[Number]) -> list[int]:
    """Where one amount ends and the next of its kind begins: at the last joint between them, else the last comma."""
    found = []
    ordered = sorted((number for number in counted if number.at >= 0), key=lambda number: number.at)
    for place, left in enumerate(ordered):
        right = next((other for other in ordered[place + 1 :] if _alike(left, other)), None)
        if right is None:
            continue
        between = text[left.at + len(left.text) : right.at]
        joints = list(_JOINT.finditer(between))
        behind = between[joints[-1].end() :] if joints else ""
        if joints and (_tells(between[: joints[-1].start()]) or _tells(behind)):
            found.append(left.at + len(left.text) + joints[-1].start())
            continue
        commas = [comma for comma in _COMMA.finditer(between) if _said(between[comma.end() :])]
        if commas and not joints:
            found.append(left.at + len(left.text) + commas[-1].start())
    return found


def _tells(text: str) -> bool:
    """Whether something stands between two amounts that belongs to one of them."""
    return bool(_said(text)) or any(character.isdigit() for character in text)


def _said(text: str) -> list[str]:
    """Terms without numbers and units, in order."""
    return [
        term
        for word in words(text)
        if not is_stop(word) and not unit_of(word) and word not in NUMERALS and not word[:1].isdigit()
        for term in terms(word)
    ]


def _marks(text: str) -> frozenset[str]:
    """Terms of the names in a text, units and numbers aside."""
    return frozenset(term for name in names(text) if not name.opens for term in _said(name.text))


def _alike(one: _Fact, other: _Fact) -> bool:
    """Whether two facts are amounts of the same kind, so that one may stand where the other belongs."""
    if isinstance(one, Number) and isinstance(other, Number):
        if one.unit in TIMES:
            return other.unit in TIMES
        return one.unit == other.unit if one.unit else bool(one.counted) and one.counted == other.counted
    if isinstance(one, Number) or isinstance(other, Number):
        return False
    return (one.year is None, one.month is None) == (other.year is None, other.month is None)


def _one_unit(one: _Fact, other: _Fact) -> bool:
    return not isinstance(one, Number) or not isinstance(other, Number) or one.unit == other.unit


def _carries(given: _Fact, claim: _Fact) -> bool:
    if isinstance(claim, Number):
        return isinstance(given, Number) and matches(claim, given)
    return isinstance(given, dating.Date) and not dating.missing([claim], [given])


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of the claim.

    Attributes:
        said: its terms.
        facts: its numbers and dates.
        marks: terms of its names.
    """

    said: frozenset[str]
    facts: tuple[_Fact, ...]
    marks: frozenset[str]


def _clauses(claim: str) -> list[_Clause]:
    """Clauses of a claim; one that begins with its verb or number has the subject of the one before."""
    dated, rest = dating.dates(claim)
    counted = numbers(rest)
    found: list[_Clause] = []
    at, subject = 0, frozenset[str]()
    for end in [*(match.start() for match in _CLAUSE.finditer(claim)), len(claim)]:
        piece = claim[at:end]
        facts: tuple[_Fact, ...] = (*(n for n in counted if at <= n.at < end), *(d for d in dated if d.text in piece))
        said, marks = frozenset(_said(rest[at:end])), _marks(piece)
        at = end
        if not said and not facts:
            continue
        lead = words(_CLAUSE.sub(" ", piece, count=1))[:1]
        if found and facts and not marks and lead and not is_stop(lead[0]) and not lead[0][:1].isdigit():
            said, marks = said | subject, subject
        if marks:
            subject = marks
        found.append(_Clause(said, facts, marks))
    return found


def homeless(claim: str, evidence: Sequence[Part]) -> str:
    """The fact of a claim that the evidence gives to something else, empty where each is at home.

    Args:
        claim: one sentence.
        evidence: the parts of everything it cites.
    """
    clauses = _clauses(claim)
    every = tuple(fact for clause in clauses for fact in clause.facts)
    said = frozenset().union(*(clause.said for clause in clauses))
    for clause in clauses:
        for fact in clause.facts:
            if why := _misplaced(clause, fact, every, said, evidence):
                return why
        if why := _misnamed(clause, said, evidence):
            return why
    return ""


def _share(clause: _Clause, fact: _Fact, part: Part, window: frozenset[str]) -> float:
    others = [other for other in clause.facts if other is not fact and not _alike(other, fact)]
    held = len(clause.said & window) + sum(any(_carries(given, other) for given in part.facts) for other in others)
    return held / (len(clause.said) + len(others))


def _misplaced(
    clause: _Clause, fact: _Fact, every: Sequence[_Fact], said: frozenset[str], evidence: Sequence[Part]
) -> str:
    """Whether a clause gives an amount to what another part gives a different amount of the same kind."""
    homes = [part for part in evidence if any(_carries(given, fact) for given in part.facts)]
    if not homes or len(clause.said) + len(clause.facts) < _LEAST_SAID:
        return ""
    shares = [_share(clause, fact, part, part.window) for part in homes]
    best = max(shares)
    held = frozenset().union(*(part.window for part in homes))
    if best >= 1.0 or not any(_foreign(home, fact, every, clause.said) for home in homes):
        return ""
    name = fact.text.strip()
    for part in evidence:
        if part in homes:
            continue
        rival = next((g for g in part.facts if _alike(fact, g) and not any(_carries(g, mine) for mine in every)), None)
        if rival is None:
            continue
        share = _share(clause, fact, part, part.window if _one_unit(fact, rival) else part.near)
        named = bool((clause.marks - held) & part.window)
        if share > best and share >= (_NAMED if named else _UNNAMED):
            return f"{name}, where {rival.text.strip()} is given"
    for home in homes:
        apart = clause.marks - held
        if not apart or apart & home.whole or not (home.marks - said) or not clause.said - clause.marks:
            return ""
        if not clause.said - apart <= home.window:
            return ""
    return f"{name} with {min(clause.marks - held)}"


def _foreign(home: Part, fact: _Fact, every: Sequence[_Fact], said: frozenset[str]) -> bool:
    """Whether a home of a fact speaks of something that the clause does not."""
    if home.own - said:
        return True
    return any(not any(_carries(given, mine) for mine in every) for given in home.facts if not _carries(given, fact))


def _misnamed(clause: _Clause, said: frozenset[str], evidence: Sequence[Part]) -> str:
    """Whether two names of a clause stand in two parts that say the same, each beside another name."""
    marks, rest = sorted(clause.marks), clause.said - clause.marks
    beside = [part for part in evidence if rest <= part.window and part.marks - said] if rest else []
    for place, one in enumerate(marks):
        for other in marks[place + 1 :]:
            if any({one, other} <= part.window for part in evidence):
                continue
            if all(any(here in part.window for part in beside) for here in (one, other)):
                return f"{one} with {other}"
    return ""
