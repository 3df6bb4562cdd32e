"""Fetched text is inert: what reads like an order to a model is kept out of every prompt, counted and shown (K5).

Neighbouring passages of a document are read as one text, because an order may be cut into pieces; what patterns find in
it (`tamis.check.patterns`) is added up for each passage and for short runs of them. Then each passage is read under the
disguises it may wear. People also write *about* such orders, and give orders to each other in recipes and manuals:
quoting and reporting weigh less, and no single ordinary imperative is enough.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tamis.check.disguise import disguises, hidden, visible
from tamis.check.patterns import CONTINUES, Sign, grave, signs, total
from tamis.schema.document import Document, Span
from tamis.schema.evidence import Quarantined, Segment
from tamis.text.sentences import sentences

THRESHOLD = 1.0
_LEADING = 0.5
"""Weight at which a passage beside a refused one goes with it."""
_REST_WORDS = 3
"""A sentence may end in a name of so many words that stands alone."""
_STOPS = frozenset(".!?:;…。！？")
_WINDOW = 4
"""Neighbours weighed together."""
_NEIGHBOUR_CHARACTERS = 240
"""Passages further apart than this are not neighbours."""


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
    score, family = total(signs(plain))
    return Weighed(score, family) if score >= THRESHOLD else _disguised(text, plain) or Weighed(score, family)


def _disguised(text: str, plain: str) -> Weighed | None:
    """What a text weighs under a disguise that hides an order; None where there is none."""
    if secret := hidden(text):
        score, family = total(signs(visible(secret)))
        return Weighed(1.0 + score, family or "hidden characters")
    for disguise, reading in disguises(text, plain):
        under = signs(reading)
        score, family = total(under)
        if score >= THRESHOLD and (grave(under) or disguise.startswith("base")):
            return Weighed(score, f"{family} ({disguise})")
    return None


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


def screen_document(document: Document) -> tuple[Quarantined, ...]:
    """The title and the sentences of a document that would be quarantined; a title stands at no place of the text."""
    why = reason(document.title)
    title = (Quarantined(document.document_id, (0, 0), why, document.title),) if why else ()
    return title + screen_text(document.document_id, document.text)


def _refused(texts: Sequence[str], spans: Sequence[Span]) -> dict[int, str]:
    """Places of the passages of one document that are refused, with the reason."""
    refused: dict[int, str] = {}
    for first, last in _neighbourhoods(spans):
        for place, why in _refused_among(texts[first:last]).items():
            refused[first + place] = why
    return refused


def _neighbourhoods(spans: Sequence[Span]) -> Iterable[tuple[int, int]]:
    """Ranges of passages that follow close upon each other."""
    first = 0
    for place in range(1, len(spans) + 1):
        if place == len(spans) or spans[place][0] - spans[place - 1][1] > _NEIGHBOUR_CHARACTERS:
            yield first, place
            first = place


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring passages as one folded text.

    Attributes:
        folded: of each passage.
        starts: where each begins in the text.
        signs: found in it, ascending by start.
    """

    folded: tuple[str, ...]
    starts: tuple[int, ...]
    signs: tuple[Sign, ...]

    def within(self, first: int, last: int) -> list[Sign]:
        """The signs that lie in passages ``first`` to ``last`` and nowhere else."""
        start, end = self.starts[first], self.starts[last] + len(self.folded[last])
        return [sign for sign in self.signs if sign.start >= start and sign.end <= end]

    def passages(self) -> list[tuple[int, int]]:
        """For each sign, the first and the last passage it touches."""
        return [
            (bisect_right(self.starts, sign.start) - 1, bisect_right(self.starts, max(sign.start, sign.end - 1)) - 1)
            for sign in self.signs
        ]


def _run(texts: Sequence[str]) -> _Run:
    folded = tuple(visible(text).replace("\n", " ") for text in texts)
    starts, at = [], 0
    for text in folded:
        starts.append(at)
        at += len(text) + 1
    return _Run(folded, tuple(starts), tuple(sorted(signs("\n".join(folded)), key=lambda one: (one.start, one.end))))


def _refused_among(texts: Sequence[str]) -> dict[int, str]:
    """Places among neighbours that are refused, with the reason."""
    run = _run(texts)
    touched = run.passages()
    weights: dict[int, float] = {}
    refused: dict[int, str] = {}
    for place in sorted({place for first, last in touched for place in range(first, last + 1)}):
        weights[place], family = total(run.within(place, place))
        if weights[place] >= THRESHOLD:
            refused[place] = family
    for place, text in enumerate(texts):
        if place not in refused and (found := _disguised(text, run.folded[place])) is not None:
            refused[place] = found.reason
    for first, last in _windows(touched, len(texts)):
        window = range(first, last + 1)
        if refused.keys().isdisjoint(window):
            score, family = total(run.within(first, last))
            if score >= THRESHOLD:
                refused.update(dict.fromkeys(window, f"{family}, over several passages"))
    return refused | _surroundings(texts, run.folded, weights, refused)


def _windows(touched: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Runs of neighbours that begin and end with a sign, short ones first, so that no more is refused than must be."""
    firsts = {first for first, _ in touched}
    lasts = {last for _, last in touched}
    return sorted(
        ((first, last) for first in firsts for last in range(first + 1, min(first + _WINDOW, count)) if last in lasts),
        key=lambda window: (window[1] - window[0], window),
    )


def _surroundings(
    texts: Sequence[str], folded: Sequence[str], weights: dict[int, float], refused: dict[int, str]
) -> dict[int, str]:
    """What leads up to a refused passage, and what goes on giving orders right behind it."""
    more: dict[int, str] = {}
    for place in sorted(refused):
        if place and (weights.get(place - 1, 0.0) >= _LEADING or _one_sentence(texts[place - 1], texts[place])):
            more[place - 1] = "leads up to the order after it"
        for following in range(place + 1, min(place + _WINDOW, len(folded))):
            goes_on = CONTINUES.match(folded[following]) or _one_sentence(texts[following - 1], texts[following])
            if weights.get(following, 0.0) < _LEADING and not goes_on:
                break
            more[following] = "goes on with the order before it"
    return {place: why for place, why in more.items() if place not in refused}


def _one_sentence(before: str, after: str) -> bool:
    """Whether a passage ends and the next one begins in the middle of a sentence."""
    goes_on = after[:1].islower() or len(after.split()) <= _REST_WORDS
    return goes_on and before.rstrip()[-1:] not in _STOPS
