"""Whether a claim pairs things crosswise: what the evidence says of one it says of the other.

Two clauses of the claim are laid beside two parts of the evidence. Where each clause joins a number or name that only
one part holds with something that only the other holds, and the second clause does the same the other way round, both
facts are there and neither is where it belongs. And where a clause tells of one thing, word for word nearly, what a
piece of evidence that does not know it tells of another, it has been given away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from tamis.check.polarity import pieces
from tamis.text.tokens import is_stop, terms, words

_NUMBER = re.compile(
    r"\d(?:[\d.,:]*\d)?"
    r"|\b(?:once|twice|thrice|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand)\b"
)
"""Digits, and words that count; *one* is a pronoun as often."""
_CAPITAL = re.compile(r"(?<=\S )[A-Z][\w'’-]*|\b[A-Z][a-z]*[A-Z]\w*|^\W*[A-Z][\w'’-]*")
_MOST_PARTS = 8
_SAME_BAG = 0.6
"""Jaccard overlap of two clauses of a claim with two of the evidence that makes one a rearrangement of the other."""
_POINTS = re.compile(r"\A\W*+(?:it|its|they|their|he|his|she|her|both)\b", re.IGNORECASE)
"""How a sentence begins that goes on about what the one before it names."""
_RETOLD = 0.8
"""Share of what a clause says of a thing that a sentence about another thing holds."""
_LEAST_TOLD = 2


@dataclass(frozen=True, slots=True)
class Cut:
    """Evidence cut into parts.

    Attributes:
        parts: content terms and numbers of each.
        fine: clauses; what their sentence joins says nothing about how they are paired.
    """

    parts: tuple[frozenset[str], ...]
    fine: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence of the evidence.

    Attributes:
        subject: the term that it begins with, or that the sentence begins with which it goes on from; empty for none.
        verb: the term behind that.
        content: terms and numbers.
        named: terms of the names it points back to.
    """

    subject: str
    verb: str
    content: frozenset[str]
    named: frozenset[str]


def crossed(claim: str, cuts: Sequence[Cut], says: Callable[[str], bool]) -> str:
    """What is paired crosswise, empty where nothing is.

    Args:
        claim: one sentence.
        cuts: the evidence in whole pieces, sentences and clauses.
        says: whether a clause stands in the evidence word for word; then it is paired as it should be.
    """
    clauses = [content(piece) for piece in pieces(claim) if len(terms(piece)) > 1 and not says(piece)]
    if len(clauses) < 2:
        return ""
    marks = _marks(claim)
    said = frozenset().union(*clauses)
    for cut in cuts:
        held = sorted((part for part in cut.parts if len(part & said) > 1), key=lambda part: -len(part & said))
        for (left, right), (one, other) in product(combinations(clauses, 2), permutations(held[:_MOST_PARTS], 2)):
            only_one, only_other = one - other, other - one
            mine, theirs = _joined(left, only_one, only_other, marks), _joined(right, only_other, only_one, marks)
            if not mine or not theirs or mine[0] == theirs[1] or mine[1] == theirs[0]:
                continue
            if cut.fine and len((left | right) & (one | other)) < _SAME_BAG * len(left | right | one | other):
                continue
            if not any(part.issuperset(pair) for part in cut.parts for pair in (mine, theirs)):
                return f"{mine[0]} with {mine[1]}, {theirs[0]} with {theirs[1]}"
    return ""


def told(sentences: Sequence[str]) -> tuple[Told, ...]:
    """What a piece of evidence says of what: its sentences with the word they begin with.

    Args:
        sentences: of its prose.
    """
    found: list[Told] = []
    subject, named = "", frozenset[str]()
    for sentence in sentences:
        pointing = bool(_POINTS.match(sentence))
        opening, verb = _opening(sentence)
        if not pointing:
            subject, named = opening, _names(sentence)
        found.append(Told(subject, verb, content(sentence), named if pointing else frozenset()))
    return tuple(found)


def given_away(claim: str, evidence: Sequence[Sequence[Told]], contents: Sequence[frozenset[str]]) -> str:
    """What a claim says of another thing than the only piece of evidence that tells it; empty where nothing.

    Args:
        claim: one sentence.
        evidence: what each piece it cites says.
        contents: terms and numbers of each of them, headings included.
    """
    for piece in pieces(claim):
        subject, verb = _opening(piece)
        said = content(piece) - {subject}
        if not subject or not verb or len(said) < _LEAST_TOLD:
            continue
        own = max((_share(said, one) for one, held in _pairs(evidence, contents) if subject in held), default=0.0)
        for one, held in _pairs(evidence, contents):
            strange = one.subject and one.subject != subject and one.subject not in said and subject not in held
            if strange and one.verb == verb and _share(said, one) >= _RETOLD and own < _share(said, one):
                return f"{subject} with what is said of {one.subject}"
    return ""


def _pairs(
    evidence: Sequence[Sequence[Told]], contents: Sequence[frozenset[str]]
) -> Iterator[tuple[Told, frozenset[str]]]:
    for sentences, held in zip(evidence, contents, strict=True):
        yield from ((one, held) for one in sentences)


def _share(said: frozenset[str], one: Told) -> float:
    return len(said & (one.content | one.named)) / len(said)


def _opening(text: str) -> tuple[str, str]:
    """The term a sentence begins with and the one behind it, both empty where it begins with no thing of its own."""
    first = words(text)[:2]
    if len(first) < 2 or is_stop(first[0]) or not first[0].isalpha() or first[0].endswith(("ing", "ly")):
        return "", (terms(first[1]) or [first[1]])[0] if len(first) > 1 else ""
    return (terms(first[0]) or [""])[0], (terms(first[1]) or [first[1]])[0]


def _names(text: str) -> frozenset[str]:
    """Terms of words with a capital."""
    return frozenset(term for match in _CAPITAL.finditer(text) for term in terms(match.group()))


def _joined(
    clause: frozenset[str], home: frozenset[str], away: frozenset[str], marks: frozenset[str]
) -> tuple[str, ...]:
    """A mark of the clause that only one part holds and a word of it that only the other does; empty without both."""
    here, there = sorted(clause & home & marks), sorted(clause & away)
    return (here[0], there[0]) if here and there else ()


def content(text: str) -> frozenset[str]:
    """Content terms, and numbers as they are written."""
    return frozenset(terms(_NUMBER.sub(" ", text))) | frozenset(_NUMBER.findall(text))


def _marks(claim: str) -> frozenset[str]:
    """What stands for one thing alone: numbers and words with a capital."""
    return _names(claim) | frozenset(_NUMBER.findall(claim))
