"""Whether a claim pairs things crosswise: what the evidence says of one it says of the other.

Two clauses of the claim are laid beside two parts of the evidence. Where each clause joins a number or name that only
one part holds with something that only the other holds, and the second clause does the same the other way round, both
facts are there and neither is where it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from tamis.check.polarity import pieces
from tamis.text.tokens import terms

_NUMBER = re.compile(
    r"\d(?:[\d.,:]*\d)?"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand)\b"
)
"""Digits, and words that count; *one* is a pronoun as often."""
_CAPITAL = re.compile(r"(?<=\S )[A-Z][\w'’-]*|\b[A-Z][a-z]*[A-Z]\w*|^\W*[A-Z][\w'’-]*")
_MOST_PARTS = 8
_SAME_BAG = 0.6
"""Jaccard overlap of two clauses of a claim with two of the evidence that makes one a rearrangement of the other."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Evidence cut into parts.

    Attributes:
        parts: content terms and numbers of each.
        fine: clauses; what their sentence joins says nothing about how they are paired.
    """

    parts: tuple[frozenset[str], ...]
    fine: bool = False


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
    named = {term for match in _CAPITAL.finditer(claim) for term in terms(match.group())}
    return frozenset(named) | frozenset(_NUMBER.findall(claim))
