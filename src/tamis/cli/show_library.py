"""Shelves, themes and cards as a person reads them in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tamis.cli.terminal import say, styled, wrapped
from tamis.schema.document import owner
from tamis.schema.library import Card, CardSentence, Shelf, Theme

_TITLE_COLUMN = 76
_KEYWORDS = 6


def shelf_tree(shelves: Sequence[Shelf], themes: Sequence[Theme]) -> None:
    """The shelves below each other, with what stands on them."""
    counted = Counter(theme.shelf_id for theme in themes if not theme.outlier)
    below: dict[str, list[Shelf]] = {}
    for shelf in shelves:
        below.setdefault(shelf.parent, []).append(shelf)

    def show(parent: str) -> None:
        for shelf in sorted(below.get(parent, []), key=lambda shelf: (-shelf.support, shelf.shelf_id)):
            indent = "  " * (shelf.depth - 1)
            number = counted[shelf.shelf_id]
            own = f", {number} theme{'s' * (number != 1)}" if number else ""
            say(f"{indent}{shelf.label}  ({shelf.support} passages{own})  {shelf.shelf_id}")
            show(shelf.shelf_id)

    show("")


def theme_list(themes: Sequence[Theme]) -> None:
    """One theme a line, the largest first."""
    for theme in sorted(themes, key=lambda theme: (theme.outlier, -len(theme.members), theme.theme_id)):
        say(f"{theme.label}  ({len(theme.members)} passages)  {theme.theme_id}")
        if theme.keywords:
            styled(f"    {', '.join(theme.keywords[:_KEYWORDS])}", dim=True)


def card_text(card: Card, sources: Mapping[str, tuple[str, str]]) -> None:
    """A card with its evidence grade, its sentences and the passages behind them.

    Args:
        card: to show.
        sources: document id → title and URL.
    """
    basis = card.basis
    years = "" if basis.years is None else f", {basis.years[0]}-{basis.years[1]}"
    if basis.years is not None and basis.years[0] == basis.years[1]:
        years = f", {basis.years[0]}"
    origins = f"{basis.origins} source{'s' * (basis.origins != 1)}"
    say(f"{card.title:<{_TITLE_COLUMN}}  evidence: {card.evidence_quality} · {origins}{years}")
    numbers: dict[str, int] = {}
    for sentence in card.sentences:
        _sentence(sentence, numbers, indent="  ")
    if card.tip:
        _sentence(card.tip, numbers, indent="  Tip: ")
    for note in (card.controversy_note, card.confidence_note):
        if note:
            say(wrapped(note, indent="  "))
    if card.safety_flagged:
        say("  Flagged for review before use: the facet is safety-sensitive.")
    say()
    for chunk_id, number in numbers.items():
        title, url = sources.get(owner(chunk_id), (chunk_id, ""))
        say(f"[c{number}] {title}  {url}  ({chunk_id})")
    styled(f"{card.tier}{f' · {card.model}' if card.model else ''} · {card.about}", dim=True)


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
