"""Fetched text is inert: what reads like an order to a model is kept out of every prompt, counted and shown (K5).

Each passage is weighed by patterns (`tamis.check.patterns`), as written and under its disguises; neighbouring passages
of a document are weighed together, because an order may be cut into pieces. People also write *about* such orders, and
give orders to each other in recipes and manuals: quoting and reporting weigh less, and no single ordinary imperative is
enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tamis.check.disguise import disguises, hidden, visible
from tamis.check.patterns import ADDRESSED, CONTINUES, GRAVE, REPORTED, TALKED_ABOUT, Pattern, patterns
from tamis.schema.evidence import Quarantined, Segment
from tamis.text.sentences import sentences

THRESHOLD = 1.0
_QUOTED_WEIGHT = 0.35
_REPORTED_WEIGHT = 0.4
_LEADING = 0.5
"""Weight at which a passage in front of a refused one goes with it."""
_WINDOW = 3
"""Neighbours weighed together."""
_NEIGHBOUR_CHARACTERS = 240
"""Passages further apart than this are not neighbours."""
_CUT = re.compile(r"\b(?:ignor|disregard|forget|overrid|bypass|reveal|repeat|you are now)")
"""Beginnings of orders that may go on in the next passage."""
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("`", "`"), ("'", "'"), ("‘", "’"))


@dataclass(frozen=True, slots=True)
class Weighed:
    """How much a text looks like an order to a model.

    Attributes:
        score: 1 and more is quarantined.
        reason: the heaviest family, with the disguise it wore.
    """

    score: float
    reason: str


def weigh(text: str) -> Weighed:
    """Weigh one text: the weights of all patterns found, each counted once.

    Args:
        text: any text.
    """
    plain = visible(text)
    found = _families(plain)
    if secret := hidden(text):
        found["hidden characters"] = 1.0
        found |= _families(visible(secret))
    if _total(found) < THRESHOLD:
        for disguise, reading in disguises(text):
            under = _families(reading)
            if _total(under) >= THRESHOLD and (under.keys() & GRAVE or disguise == "base64"):
                found |= {f"{family} ({disguise})": weight for family, weight in under.items()}
                break
    return Weighed(_total(found), max(found, key=lambda family: (found[family], family), default=""))


def _total(found: dict[str, float]) -> float:
    return round(sum(found.values()), 6)


def _families(plain: str) -> dict[str, float]:
    """Family → the weights of its signs, added up; of signs in the same words the heaviest counts."""
    signs: dict[str, list[tuple[float, int, int]]] = {}
    for pattern in patterns():
        if any(cue in plain for cue in pattern.cues):
            matches = pattern.expression.finditer(plain)
            found = [(_in_context(pattern, plain, match), match.start(), match.end()) for match in matches]
            if found:
                # Saying the same thing twice does not make it an order.
                signs.setdefault(pattern.family, []).append(max(found, key=lambda sign: sign[0]))
    return {family: _added(found) for family, found in signs.items()}


def _added(signs: list[tuple[float, int, int]]) -> float:
    counted: list[tuple[int, int]] = []
    total = 0.0
    for weight, start, end in sorted(signs, key=lambda sign: (-sign[0], sign[1])):
        if all(end <= first or start >= last for first, last in counted):
            counted.append((start, end))
            total += weight
    return total


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


def reason(text: str) -> str:
    """Why a text would be quarantined, empty where it would not."""
    weighed = weigh(text)
    return weighed.reason if weighed.score >= THRESHOLD else ""


def screen(segments: Sequence[Segment]) -> tuple[tuple[Segment, ...], tuple[Quarantined, ...]]:
    """Part segments into those that may be shown to a model and those that may not.

    Args:
        segments: of any number of documents, in any order.

    Returns:
        What is kept, in the order given, and what is quarantined, by document and position.
    """
    by_document = sorted(range(len(segments)), key=lambda row: (segments[row].document_id, segments[row].start, row))
    refused: dict[int, str] = {}
    for _, rows in groupby(by_document, key=lambda row: segments[row].document_id):
        members = list(rows)
        spans = [(segments[row].start, segments[row].end) for row in members]
        for place, why in _refused([segments[row].text for row in members], spans).items():
            refused[members[place]] = why
    kept = tuple(segment for row, segment in enumerate(segments) if row not in refused)
    out = tuple(
        Quarantined(
            segments[row].document_id, (segments[row].start, segments[row].end), refused[row], segments[row].text
        )
        for row in by_document
        if row in refused
    )
    return kept, out


def screen_text(document_id: str, text: str) -> tuple[Quarantined, ...]:
    """The sentences of a whole text that would be quarantined."""
    spans = sentences(text)
    refused = _refused([text[start:end] for start, end in spans], spans)
    return tuple(
        Quarantined(document_id, spans[place], refused[place], text[slice(*spans[place])]) for place in sorted(refused)
    )


def _refused(texts: Sequence[str], spans: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Places of the passages of one document that are refused, with the reason."""
    weighed = [weigh(text) for text in texts]
    refused = {place: found.reason for place, found in enumerate(weighed) if found.score >= THRESHOLD}
    hinting = {p for p, found in enumerate(weighed) if found.score > 0.0 or _CUT.search(visible(texts[p]))}
    for window in _windows(spans):
        if hinting.isdisjoint(window) or not refused.keys().isdisjoint(window):
            continue
        joined = weigh(" ".join(texts[place] for place in window))
        if joined.score >= THRESHOLD:
            refused.update(dict.fromkeys(window, f"{joined.reason}, over several passages"))
    return refused | _surroundings(texts, spans, weighed, refused)


def _windows(spans: Sequence[tuple[int, int]]) -> Iterable[tuple[int, ...]]:
    """Runs of neighbours, short ones first, so that no more is refused than must be."""
    for size in range(2, _WINDOW + 1):
        for first in range(len(spans) - size + 1):
            run = range(first, first + size)
            if all(_neighbours(spans[place], spans[place + 1]) for place in run[:-1]):
                yield tuple(run)


def _neighbours(left: tuple[int, int], right: tuple[int, int]) -> bool:
    return right[0] - left[1] <= _NEIGHBOUR_CHARACTERS


def _surroundings(
    texts: Sequence[str], spans: Sequence[tuple[int, int]], weighed: Sequence[Weighed], refused: dict[int, str]
) -> dict[int, str]:
    """What leads up to a refused passage, and what goes on giving orders right behind it."""
    more: dict[int, str] = {}
    for place in sorted(refused):
        before = place - 1
        if before >= 0 and weighed[before].score >= _LEADING and _neighbours(spans[before], spans[place]):
            more[before] = "leads up to the order after it"
        for following in range(place + 1, min(place + _WINDOW + 1, len(texts))):
            if not (_neighbours(spans[following - 1], spans[following]) and CONTINUES.match(visible(texts[following]))):
                break
            more[following] = "goes on with the order before it"
    return {place: why for place, why in more.items() if place not in refused}
