"""A library as one HTML page: shelves, themes, cards, and the sentences they stand on, highlighted where they stand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tamis.library.present import Present
from tamis.library.quality import with_numbers
from tamis.private import replacing
from tamis.render.references import linkable
from tamis.schema.document import Chunk
from tamis.schema.library import Card, CardSentence, EvidenceBasis, Quote, Shelf, Theme
from tamis.store.library import GraphStore
from tamis.store.nouns import DocumentSignals
from tamis.store.protocols import CollectionReader


def write_html(name: str, graph: GraphStore, reader: CollectionReader, path: Path) -> int:
    """Write the page; it needs no server and no other file.

    Args:
        name: of the collection.
        graph: of the library.
        reader: of the collection.
        path: of the file.

    Returns:
        How many passages were left out because the collection has them no more, or they read otherwise.
    """
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["counted"] = _counted
    source = (files("tamis.render") / "templates" / "library.html.jinja").read_text("utf-8")
    facts = page_facts(name, graph, reader)
    with replacing(path) as unfinished:
        # Lone surrogates of a broken document cannot be written.
        unfinished.write_text(environment.from_string(source).render(facts), "utf-8", errors="replace")
    return int(facts["gone"])


def _counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def page_facts(name: str, graph: GraphStore, reader: CollectionReader) -> dict[str, Any]:
    """Everything the page shows, as plain values."""
    shelves, themes, cards = graph.shelves(), graph.themes(), graph.cards()
    present = Present(reader)
    quoted = list(dict.fromkeys(quote for card in cards for quote in _quotes(card)))
    standing = {quote for quote in quoted if present.stands(quote)}
    chunks = {chunk.chunk_id: chunk for chunk in present.chunks(sorted({quote.chunk_id for quote in standing}))}
    facts = {entry.document_id: entry for entry in present.signals(sorted({quote.document_id for quote in standing}))}
    made = {card.about: _card(card, standing, chunks, facts) for card in cards}
    on: dict[str, list[Theme]] = {}
    for theme in themes:
        on.setdefault(theme.shelf_id, []).append(theme)
    below: dict[str, list[Shelf]] = {}
    for shelf in shelves:
        below.setdefault(shelf.parent, []).append(shelf)
    return {
        "name": name,
        "gone": len({quote.chunk_id for quote in quoted if quote not in standing}),
        "shelf_count": len(shelves),
        "theme_count": len(themes),
        "card_count": len(cards),
        "facets": [
            {
                "name": facet,
                "shelves": [
                    _shelf(shelf, below, on, made) for shelf in _ordered(below.get("", ())) if shelf.facet == facet
                ],
            }
            for facet in graph.facets()
        ],
    }


def _ordered(shelves: Sequence[Shelf]) -> list[Shelf]:
    return sorted(shelves, key=lambda shelf: (-shelf.support, shelf.shelf_id))


def _shelf(
    shelf: Shelf, below: Mapping[str, Sequence[Shelf]], on: Mapping[str, Sequence[Theme]], cards: Mapping[str, Any]
) -> dict[str, Any]:
    themes = sorted(on.get(shelf.shelf_id, ()), key=lambda theme: (theme.outlier, -len(theme.members), theme.theme_id))
    return {
        "label": shelf.label,
        "support": shelf.support,
        "card": cards.get(shelf.shelf_id),
        "children": [_shelf(child, below, on, cards) for child in _ordered(below.get(shelf.shelf_id, ()))],
        "themes": [
            {
                "label": theme.label,
                "size": len(theme.members),
                "outlier": theme.outlier,
                "card": cards.get(theme.theme_id),
            }
            for theme in themes
        ],
    }


def _quotes(card: Card) -> list[Quote]:
    return [quote for sentence in card.sentences for quote in sentence.quotes]


def _card(
    card: Card, standing: Collection[Quote], chunks: Mapping[str, Chunk], facts: Mapping[str, DocumentSignals]
) -> dict[str, Any]:
    numbers: dict[str, int] = {}
    for quote in _quotes(card):
        if quote in standing:
            numbers.setdefault(quote.chunk_id, len(numbers) + 1)
    return {
        "title": card.title,
        "quality": card.evidence_quality,
        "basis": _basis(card.basis),
        "flagged": card.safety_flagged,
        "sentences": [_sentence(sentence, standing, numbers, chunks, facts) for sentence in card.sentences],
        "tip": card.tip.text if card.tip else "",
        "notes": [note for note in (with_numbers(card.controversy_note, numbers), card.confidence_note) if note],
        "gone": len({quote.chunk_id for quote in _quotes(card) if quote not in standing}),
    }


def _basis(basis: EvidenceBasis) -> str:
    years = f", {'-'.join(map(str, dict.fromkeys(basis.period)))}" if basis.period else ""
    documents, passages = _counted(basis.documents, "document"), _counted(basis.chunks, "passage")
    return f"{basis.origins} independent of {documents}, {passages}{years}"


def _sentence(
    sentence: CardSentence,
    standing: Collection[Quote],
    numbers: Mapping[str, int],
    chunks: Mapping[str, Chunk],
    facts: Mapping[str, DocumentSignals],
) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "doubt": "" if sentence.support == "supported" else sentence.support,
        "quotes": [
            _quote(quote, numbers, chunks[quote.chunk_id], facts[quote.document_id])
            for quote in sentence.quotes
            if quote in standing
        ],
    }


def _quote(quote: Quote, numbers: Mapping[str, int], chunk: Chunk, facts: DocumentSignals) -> dict[str, Any]:
    start, end = quote.span[0] - chunk.start, quote.span[1] - chunk.start
    return {
        "number": numbers[quote.chunk_id],
        "title": facts.title or quote.chunk_id,
        # An address that its document's id is, or ends it, is said by the passage's id.
        "url": "" if unquote(facts.url).endswith(facts.document_id) else facts.url,
        "link": facts.url if linkable(facts.url) else "",
        "year": quote.year,
        "before": chunk.text[:start],
        "text": chunk.text[start:end],
        "after": chunk.text[end:],
        "chunk_id": quote.chunk_id if facts.title else "",
    }
