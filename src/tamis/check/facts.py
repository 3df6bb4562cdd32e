"""The facts of one claim, and which of them the evidence does not hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tamis.check import dates as dating
from tamis.check import names as naming
from tamis.check import numbers as counting
from tamis.check.bounds import beyond
from tamis.check.homes import homeless
from tamis.check.pairing import Cut, crossed, given_away
from tamis.check.polarity import opposed
from tamis.check.scope import widened
from tamis.check.source import Source, levelled
from tamis.check.units import TIMES
from tamis.models.protocols import EntityRecogniser
from tamis.text.tokens import terms

_QUOTE = re.compile(r"“([^“”\n]{2,400})”|\"([^\"\n]{2,400})\"|«([^«»\n]{2,400})»|„([^“”„\n]{2,400})[“”]")
_ELLIPSIS = re.compile(r"(?:(?<!\s)\s++)?\[?(?:\.\.\.|…)\]?\s*+")
_MOST_NAMED = 3
_LEAST_QUOTED_WORDS = 2
_LEAST_ALIGNED = 0.6
"""Share of a claim's terms that an evidence sentence must hold to be the one it restates."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a claim states that can be looked up.

    Attributes:
        text: the claim.
        numbers: with units, dates taken out.
        dates: as far as given.
        names: by capitals, digits, gazetteer and recogniser.
        quotes: what stands in quotation marks.
    """

    text: str
    numbers: tuple[counting.Number, ...]
    dates: tuple[dating.Date, ...]
    names: tuple[naming.Name, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flaw:
    """One fact that the evidence does not hold.

    Attributes:
        kind: ``number``, ``date``, ``name``, ``subject``, ``quote``, ``bound``, ``polarity``,
            ``scope`` or ``pairing``.
        text: for a reader, the fact and where it was looked for.
    """

    kind: str
    text: str


def read(text: str, recogniser: EntityRecogniser | None = None) -> Facts:
    """Take a claim apart."""
    found, rest = dating.dates(text)
    quoted = tuple(next(group for group in match.groups() if group) for match in _QUOTE.finditer(text))
    return Facts(text, tuple(counting.numbers(rest)), tuple(found), tuple(naming.names(rest, recogniser)), quoted)


def flaws(facts: Facts, cited: Sequence[Source]) -> tuple[Flaw, ...]:
    """Facts of a claim that none of the cited evidence holds.

    Args:
        facts: of the claim.
        cited: the evidence it cites, together.
    """
    where = ", ".join(source.label for source in cited) if len(cited) <= _MOST_NAMED else "any evidence"
    counted = [number for source in cited for number in source.numbers]
    known = [date for source in cited for date in source.dates]
    vocabulary = naming.vocabulary_of([source.vocabulary for source in cited])
    closest = _closest(facts.text, cited)
    found = [
        *(Flaw("number", f"number {n.text.strip()} not in {where}") for n in counting.missing(facts.numbers, counted)),
        *(
            Flaw("date", f"date {date.text.strip()} not in {where}")
            for date in dating.missing(facts.dates, known)
            if not _plain_year(date, counted)
        ),
        *(Flaw("name", f"name {name.text} not in {where}") for name in naming.missing(facts.names, vocabulary)),
        *(Flaw("quote", f"not word for word in {where}: {q}") for q in facts.quotes if not _quoted(q, cited)),
    ]
    if subject := naming.swapped(facts.text, closest, vocabulary):
        found.append(Flaw("subject", f"{subject} is not what the closest sentence of {where} speaks of"))
    told = [sentence for source in cited for sentence in source.sentences]
    if bound := beyond(facts.text, [numbers for source in cited for numbers in source.bounds], told):
        found.append(Flaw("bound", f"bounded otherwise in {where}: {bound}"))
    if against := opposed(facts.text, [unit for source in cited for unit in source.units]):
        found.append(Flaw("polarity", f"the closest sentence of {where} disagrees: {against}"))
    timed = any(number.unit in TIMES for number in counted)
    if scope := widened(facts.text, [extent for source in cited for extent in source.extents], timed=timed):
        found.append(Flaw("scope", f"goes further, or less far, than {where}: {scope}"))
    if pair := crossed(
        facts.text, _cuts(cited), lambda piece: any(levelled(piece) in source.level for source in cited)
    ):
        found.append(Flaw("pairing", f"paired otherwise in {where}: {pair}"))
    elif away := given_away(facts.text, [source.told for source in cited], [source.content for source in cited]):
        found.append(Flaw("pairing", f"given to something else in {where}: {away}"))
    elif misplaced := homeless(facts.text, [part for source in cited for part in source.parts]):
        found.append(Flaw("pairing", f"given to something else in {where}: {misplaced}"))
    return tuple(found)


def _cuts(cited: Sequence[Source]) -> list[Cut]:
    """Evidence as whole pieces, as sentences and as clauses."""
    return [
        Cut(tuple(source.content for source in cited)),
        Cut(tuple(part for source in cited for part in source.sentence_contents)),
        Cut(tuple(part for source in cited for part in source.clause_contents), fine=True),
    ]


def _plain_year(date: dating.Date, given: Sequence[counting.Number]) -> bool:
    """A lone year may stand in the evidence as a bare number, inside a range for one; a century by its ordinal."""
    if date.month is not None or date.year is None:
        return False
    if date.text.strip().endswith("s"):
        age = counting.century(date.year) if date.year % 100 == 0 else 0
        return any(n.unit == counting.ORDINAL and n.counted == counting.CENTURY and n.value == age for n in given)
    return any(number.value == date.year and not number.unit for number in given)


def _closest(text: str, cited: Sequence[Source]) -> str:
    """The cited sentence that holds most of a claim's terms, empty where none holds enough."""
    said = set(terms(text))
    best, share = "", 0.0
    for source in cited:
        for sentence, spoken in zip(source.sentences, source.sentence_terms, strict=True):
            held = len(said & spoken) / len(said) if said else 0.0
            if held > share:
                best, share = sentence, held
    return best if share >= _LEAST_ALIGNED else ""


def _quoted(quote: str, cited: Sequence[Source]) -> bool:
    """Whether a quotation is verbatim; a single word in marks is no quotation, an ellipsis leaves something out."""
    pieces = [levelled(piece) for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in pieces if piece]
    if sum(len(piece.split()) for piece in pieces) < _LEAST_QUOTED_WORDS:
        return True
    return any(all(piece in source.level for piece in pieces) for source in cited)
