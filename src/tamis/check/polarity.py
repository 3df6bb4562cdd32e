"""Whether a claim says yes where the evidence says no, or the opposite of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tamis.text.tokens import fold, is_stop, terms

_NEGATION = re.compile(
    r"\b(?:not|cannot|no|never|none|nobody|nothing|neither|nor|without|hardly|unable|fail(?:s|ed)? to|lack(?:s|ed)?"
    r"|nicht|kein\w*|nie|ohne|pas|jamais|sans|aucun\w*|nunca|sin|ningun\w*)\b|n['’]t\b"
)
_NOT_NEGATING = re.compile(r"\bnot (?:only|just|merely)\b|\bno (?:later|more|less|fewer) than\b|\bno\. ?\d")
_CLAUSE = re.compile(
    r"[;:,()]\s+|\s+[-–—]\s+"
    r"|\b(?:but|although|though|whereas|while|because|unless|however|and|which|if)\b"
)
_LEAST_ALIGNED = 0.6
_OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in """
    increase/decrease increase/reduce increase/lower raise/lower raise/reduce rise/fall rose/fell
    higher/lower high/low more/less more/fewer most/least better/worse best/worst larger/smaller strong/weak
    always/never before/after above/below first/last early/late start/end with/without
    allow/forbid allow/prevent allowed/forbidden enable/disable enabled/disabled accept/reject include/exclude
    required/optional legal/illegal true/false positive/negative possible/impossible mutable/immutable
    safe/unsafe safe/dangerous improve/worsen beneficial/harmful protect/harm gain/loss success/failure succeed/fail
    faster/slower fast/slow cheaper/dearer open/close ascending/descending maximum/minimum agree/disagree hot/cold
    """.split()
)


def negated(text: str) -> bool:
    """Whether an odd number of negations stands in a text."""
    folded = _NOT_NEGATING.sub(" ", fold(text))
    return len(_NEGATION.findall(folded)) % 2 == 1


def _content(text: str) -> frozenset[str]:
    return frozenset(terms(_NEGATION.sub(" ", fold(text))))


def _units(evidence: Sequence[str]) -> list[str]:
    """Sentences, and the clauses of each."""
    found: list[str] = []
    for sentence in evidence:
        found.append(sentence)
        clauses = [clause.strip() for clause in _CLAUSE.split(sentence) if clause and len(clause.split()) > 2]
        found += clauses if len(clauses) > 1 else []
    return found


def _likeness(claim: frozenset[str], unit: frozenset[str]) -> float:
    """Dice coefficient of two sets of terms; a clause that the claim holds whole counts as close, however short."""
    total = len(claim) + len(unit)
    dice = 2 * len(claim & unit) / total if total else 0.0
    return max(dice, _LEAST_ALIGNED) if len(unit) > 1 and unit <= claim else dice


def contradiction(claim: str, evidence: Sequence[str]) -> str:
    """In what a claim opposes the evidence sentence (or clause) closest to it, empty where it does not.

    Args:
        claim: one sentence.
        evidence: sentences of what it cites.
    """
    said = _content(claim)
    units = _units(evidence)
    if not said or not units:
        return ""
    likeness = [_likeness(said, _content(unit)) for unit in units]
    best = max(likeness)
    if best < _LEAST_ALIGNED:
        return ""
    # Of several that are equally close, one that agrees is enough.
    closest = [unit for unit, value in zip(units, likeness, strict=True) if value >= best - 0.05]
    polarity = negated(claim)
    if all(negated(unit) != polarity for unit in closest):
        return "negated there" if not polarity else "not negated there"
    nearest = [unit for unit, value in zip(units, likeness, strict=True) if value == best and negated(unit) == polarity]
    pairs = [_opposite(claim, unit) for unit in nearest]
    return pairs[0] if pairs and all(pairs) else ""


def _opposite(claim: str, unit: str) -> str:
    """``increase/decrease`` where one stands in the claim and only the other in the unit."""
    said, given = set(_stems(claim)), set(_stems(unit))
    for left, right in _OPPOSITES:
        a, b = _stem(left), _stem(right)
        for mine, theirs, shown in ((a, b, f"{left}, not {right}"), (b, a, f"{right}, not {left}")):
            if mine in said and theirs in given and mine not in given and theirs not in said:
                return f"says {shown}"
    return ""


def _stem(word: str) -> str:
    return (terms(word) or [word])[0]


def _stems(text: str) -> list[str]:
    return [_stem(word) if not is_stop(word) else word for word in re.findall(r"[a-z]+", fold(text))]
