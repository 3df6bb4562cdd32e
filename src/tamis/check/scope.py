"""Whether a claim says of more or of fewer, more or less often, or with another limit what the evidence says.

"All", "most", "some" and "few" are looked up with what they count, "always", "usually" and "sometimes" with the clause
they stand in: where the evidence has such a word there, the claim may only have one that means the same. What a claim
limits to "only" some cases must be limited there too, and how fast or for how long something happens must be said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tamis.check.numbers import NUMERALS
from tamis.check.polarity import pieces
from tamis.check.units import unit_of
from tamis.text.tokens import is_stop, terms, words

_NEARLY = r"(?:almost|nearly|practically|virtually|fast) "
_COUNTING = (
    ("most", rf"{_NEARLY}(?:all|every|each)|majority|(?<!the )(?<!at )most|(?:die )?meisten"),
    ("all", r"(?<!above )(?<!after )(?<!at )(?<!in )(?<!first of )all|every|each|alle[nr]?|jede[mnrs]?"),
    ("many", r"many|numerous|viele[nr]?"),
    ("part", r"half|third|quarter|part|parts|portion|fraction|halfte|drittel|viertel|teil"),
    ("some", r"some|several|a few|certain|einige[nr]?|manche[nr]?"),
    ("few", r"(?<!a )few|hardly any|wenige[nr]?"),
)
_RECURRING = (
    ("most", rf"{_NEARLY}always|mostly|usually|generally|typically|normally|as a rule|meistens|meist|normalerweise"),
    ("all", r"always|invariably|every time|immer|stets"),
    ("many", r"often|frequently|commonly|haufig|oft"),
    ("some", r"sometimes|occasionally|at times|now and then|manchmal|gelegentlich"),
    ("few", r"rarely|seldom|hardly ever|scarcely|selten"),
)
_MAY_STAND_FOR = frozenset(
    frozenset(pair)
    for pair in (("most", "many"), ("many", "some"), ("some", "part"), ("some", "few"), ("part", "many"))
)
"""Different words of one pair are a manner of speaking."""


def _one_of(forms: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?P<{name}>\b(?:{form})\b)" for name, form in forms))


_COUNTED, _RECURS = _one_of(_COUNTING), _one_of(_RECURRING)
_LIMITED = re.compile(r"(?<!not )(?<!if )\b(?:only|solely|exclusively|nur|ausschlie\w+lich)\b(?P<behind>.{0,40})")
_NO_LIMIT = re.compile(
    r"\A\W++(?:an?\b|about|after|since|later|recently|now|then|partly|slightly|briefly"
    r"|half|once|twice|one\b|two|ein\w*\b|(?:\w++\W++){0,2}\d)"
)
"""What "only" stands before where it tells what the writer thinks of an amount or a time."""
_LIMITS = re.compile(
    r"\b(?:only|just|sole|solely|exclusive\w*|alone|merely|except\w*|unless|other than|but|limited|restricted|reserved"
    r"|single|until|no|not|never|none|nobody|without|must|required?|nur|allein|ausschlie\w+|kein\w*|nicht)\b|n['’]t\b"
)
_MANNERS = tuple(
    (timed, frozenset(mine.split()), frozenset(theirs.split()))
    for timed, mine, theirs in (
        (
            True,
            "rapidly quickly swiftly speedily promptly instantly immediately",
            (
                "fast rapid rapidly quick quickly swift swiftly speed speedy speedily prompt promptly instant instantly"
                " soon immediate immediately once sudden suddenly short shortly directly acute"
            ),
        ),
        (True, "slowly gradually", "slow slowly slower gradual gradually step steps long progressive progressively"),
        (
            False,
            "completely entirely fully totally wholly",
            (
                "complete completely entire entirely full fully total totally whole wholly all every everything no none"
                " never any eliminate eliminated perfect perfectly absolute"
            ),
        ),
        (False, "partially partly", "partial partially partly part parts some half third quarter share incomplete"),
        (
            True,
            "permanently",
            "permanent permanently forever always lasting ever irreversible irreversibly never indefinitely",
        ),
        (True, "temporarily", "temporary temporarily short briefly brief while transient until passing"),
    )
)
"""How something happens: whether a length of time tells as much, words of a claim, words that carry them."""
_IN_WHICH = re.compile(r"\b(?:in|for|among|amongst|across|with|at|to)\s+$")
_ALIGNED = 0.5
"""Share of a claim clause's terms that an evidence clause must hold to be about the same."""
_AS_CLOSE = 0.85
_REACH = 60
"""Characters beside a word that counts within which its phrase lies."""
_WHOLE = 4
"""Words behind one that counts, among which is what it counts."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How far one clause goes.

    Attributes:
        terms: what it is about, without the words that count.
        counted: (what is counted, how many) for each "all", "most", "some" ….
        recurring: how often, of "always", "usually", "sometimes" …, in order.
        anew: what counts in a phrase of place or group: "in most countries".
        limited: it says "only".
        text: folded.
    """

    terms: frozenset[str]
    counted: tuple[tuple[str, str], ...]
    recurring: tuple[str, ...]
    anew: tuple[tuple[str, str], ...]
    limited: bool
    text: str


def extents_of(sentence: str) -> tuple[Extent, ...]:
    """How far each clause of a sentence goes."""
    return tuple(map(_extent, pieces(sentence)))


def _extent(clause: str) -> Extent:
    found = [(match, head) for match in _COUNTED.finditer(clause) if (head := _head(clause, match))]
    only = _LIMITED.search(clause)
    rest = _RECURS.sub(" ", _COUNTED.sub(" ", clause))
    return Extent(
        frozenset(terms(rest)),
        tuple((head, str(match.lastgroup)) for match, head in found),
        tuple(str(match.lastgroup) for match in _RECURS.finditer(clause)),
        tuple(
            (head, str(m.lastgroup))
            for m, head in found
            if _IN_WHICH.search(clause[max(0, m.start() - _REACH) : m.start()])
        ),
        only is not None and not _NO_LIMIT.match(only["behind"]),
        clause,
    )


def _head(clause: str, match: re.Match[str]) -> str:
    """The term of what is counted; empty before a number or a time, where nothing is."""
    for word in words(clause[match.end() : match.end() + _REACH])[:_WHOLE]:
        if word in NUMERALS or word[0].isdigit() or unit_of(word) or word == "other":
            return ""
        if word != "of" and not is_stop(word) and (found := terms(word)):
            return found[0]
    return ""


def widened(claim: str, evidence: Sequence[Extent], *, timed: bool) -> str:
    """In what a claim goes further, or less far, than its evidence; empty where it does not.

    Args:
        claim: one sentence.
        evidence: the clauses of everything it cites.
        timed: the evidence gives a length of time.
    """
    clauses = extents_of(claim)
    known = frozenset().union(*(one.terms for one in evidence))
    for said in clauses:
        near = list(_near(said, evidence))
        for why in (_recounted(said, near, known), _recurring(said, near), _limit(said, near)):
            if why:
                return why
    return _manner(claim, evidence, timed=timed)


def _near(said: Extent, evidence: Sequence[Extent]) -> Iterator[Extent]:
    """The clauses closest to one of the claim, none where none is about the same."""
    shares = [len(said.terms & one.terms) / len(said.terms) if said.terms else 0.0 for one in evidence]
    best = max(shares, default=0.0)
    if best >= _ALIGNED:
        yield from (one for one, share in zip(evidence, shares, strict=True) if share >= _AS_CLOSE * best)


def _suits(mine: str, theirs: str) -> bool:
    return mine == theirs or frozenset((mine, theirs)) in _MAY_STAND_FOR


def _recounted(said: Extent, near: Sequence[Extent], known: frozenset[str]) -> str:
    """What is counted otherwise, or only in the claim."""
    for head, amount in said.counted:
        theirs = [other for one in near for what, other in one.counted if what == head]
        if theirs and not any(_suits(amount, other) for other in theirs):
            return f"{amount} {head}, where it is {' or '.join(sorted(set(theirs)))}"
    every = [amount for one in near for _, amount in one.counted]
    for head, amount in said.anew:
        if near and head not in known and not any(_suits(amount, other) for other in every):
            return f"{amount} {head}, of which nothing is said"
    return ""


def _recurring(said: Extent, near: Sequence[Extent]) -> str:
    """What happens more or less often."""
    theirs = [other for one in near for other in one.recurring]
    for often in said.recurring:
        if theirs and not any(_suits(often, other) for other in theirs):
            return f"{_OFTEN[often]}, where it is {' or '.join(_OFTEN[other] for other in sorted(set(theirs)))}"
    return ""


_OFTEN = {"all": "always", "most": "usually", "many": "often", "some": "sometimes", "few": "rarely"}


def _limit(said: Extent, near: Sequence[Extent]) -> str:
    """An "only" for which no evidence gives a reason."""
    if not said.limited or not near or any(_LIMITS.search(one.text) for one in near):
        return ""
    return "only, where nothing is excluded"


def _manner(claim: str, evidence: Sequence[Extent], *, timed: bool) -> str:
    """A word for how fast, how completely or for how long, of which no evidence says anything."""
    given = {word for one in evidence for word in words(one.text)}
    for by_time, mine, theirs in _MANNERS:
        found = [word for word in words(claim) if word in mine]
        if found and given.isdisjoint(theirs) and not (by_time and timed):
            return f"{found[0]}, of which nothing is said"
    return ""
