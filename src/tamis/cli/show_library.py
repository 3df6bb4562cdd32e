"""Shelves, themes and cards as a person reads them in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tamis.cli.terminal import counted, say, styled, wrapped
from tamis.library.quality import with_numbers
from tamis.schema.document import owner
from tamis.schema.library import Card, CardSentence, Shelf, Theme

_TITLE_COLUMN = 76
_KEYWORDS = 6


def shelf_tree(shelves: Sequence[Shelf], themes: Sequence[Theme]) -> None:
    """The shelves below each other, with what stands on them; of several facets under the name of each."""
    told = Counter(theme.shelf_id for theme in themes if not theme.outlier)
    below: dict[str, list[Shelf]] = {}
    for shelf in shelves:
        below.setdefault(shelf.parent, []).append(shelf)

    def show(among: Sequence[Shelf]) -> None:
        for shelf in sorted(among, key=lambda shelf: (-shelf.support, shelf.shelf_id)):
            indent = "  " * (shelf.depth - 1)
            number = told[shelf.shelf_id]
            own = f", {counted(number, 'theme')}" if number else ""
            say(f"{indent}{shelf.label}  ({counted(shelf.support, 'passage')}{own})  {shelf.shelf_id}")
            show(below.get(shelf.shelf_id, ()))

    facets = sorted({shelf.facet for shelf in shelves})
    for facet in facets:
        if len(facets) > 1:
            styled(f"{facet}:", bold=True)
        show([shelf for shelf in below.get("", ()) if shelf.facet == facet])


def shelf_count(number: int) -> str:
    """How many shelves there are."""
    return "1 shelf" if number == 1 else f"{number} shelves"


def theme_list(themes: Sequence[Theme]) -> None:
    """One theme a line, the largest first."""
    for theme in sorted(themes, key=lambda theme: (theme.outlier, -len(theme.members), theme.theme_id)):
        say(f"{theme.label}  ({counted(len(theme.members), 'passage')})  {theme.theme_id}")
        if theme.keywords:
            styled(f"    {', '.join(theme.keywords[:_KEYWORDS])}", dim=True)


def card_text(
    card: Card, sources: Mapping[str, tuple[str, str]], *, outdated: Sequence[str] = (), mended: str = ""
) -> None:
    """A card with its evidence grade, its sentences and the passages behind them.

    Args:
        card: to show.
        sources: document id → title and URL, of those that are there.
        outdated: documents it rests on that are gone since or read otherwise.
        mended: what brings it up to date.
    """
    basis = card.basis
    years = "" if basis.period is None else f", {'-'.join(map(str, dict.fromkeys(basis.period)))}"
    origins = counted(basis.origins, "source")
    say(f"{card.title:<{_TITLE_COLUMN}}  evidence: {card.evidence_quality} · {origins}{years}")
    numbers: dict[str, int] = {}
    for sentence in card.sentences:
        _sentence(sentence, numbers, indent="  ")
    if card.tip:
        _sentence(card.tip, numbers, indent="  Tip: ")
    for note in (_controversy(card, numbers), card.confidence_note):
        if note:
            say(wrapped(note, indent="  "))
    if card.safety_flagged:
        say("  Flagged for review before use: the facet is safety-sensitive.")
    if outdated:
        more = f" and {len(outdated) - 1} more" if len(outdated) > 1 else ""
        say(wrapped(f"A source is gone since, or reads otherwise: {outdated[0]}{more}; {mended}.", indent="  "))
    say()
    for chunk_id, number in numbers.items():
        say(f"[c{number}] {_source(chunk_id, sources)}")
    styled(f"{card.tier}{f' · {card.model}' if card.model else ''} · {card.about}", dim=True)


def _controversy(card: Card, numbers: dict[str, int]) -> str:
    """The note on disagreements, its passages numbered like all others."""
    for quote in (quote for pair in card.basis.opposing for quote in pair):
        if f"[{quote.chunk_id}]" in card.controversy_note:
            numbers.setdefault(quote.chunk_id, len(numbers) + 1)
    return with_numbers(card.controversy_note, numbers)


def _source(chunk_id: str, sources: Mapping[str, tuple[str, str]]) -> str:
    """A passage by its title, its address where its id does not begin with that, and its id."""
    if owner(chunk_id) not in sources:
        return f"{chunk_id}  (gone since)"
    title, url = sources[owner(chunk_id)]
    parts = [title, "" if chunk_id.startswith(url) else url]
    named = "  ".join(part for part in parts if part)
    return f"{named}  ({chunk_id})" if named else chunk_id


def _sentence(sentence: CardSentence, numbers: dict[str, int], *, indent: str) -> None:
    for chunk_id in sentence.chunk_ids:
        numbers.setdefault(chunk_id, len(numbers) + 1)
    marks = ", ".join(f"c{numbers[chunk_id]}" for chunk_id in sentence.chunk_ids)
    doubt = "" if sentence.support == "supported" else f" ({sentence.support})"
    say(wrapped(f"{sentence.text}{f'  [{marks}]' if marks else ''}{doubt}", indent=indent))


def card_line(rank: int, card: Card, score: float, *, weak: bool = False) -> None:
    """A card in a list of results."""
    mark = " (weak match)" if weak else ""
    say(f"{rank}. {card.title}  {score:.2f}{mark}  evidence: {card.evidence_quality}  {card.about}")
    if card.sentences:
        say(wrapped(card.sentences[0].text, indent="   "))


def card_facts(card: Card) -> dict[str, Any]:
    """A card as JSON."""
    plain = asdict(card)
    for sentence, made in zip(plain["sentences"], card.sentences, strict=True):
        sentence["chunk_ids"] = list(made.chunk_ids)
    return {**plain, "summary": card.summary}
