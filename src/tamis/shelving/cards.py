"""Layer C: a card for every theme, then one for every shelf, from the bottom up (L5-L9).

A card whose content hash did not change is left alone, byte for byte. Every other is stored the moment it is made.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tamis.check.disagree import agreement, disagreement
from tamis.check.probe import probe_for
from tamis.check.quarantine import reason
from tamis.library.cards import Draft, Origin, cohesion, content_hash, covered, draft, evidence_of
from tamis.library.statements import compare
from tamis.library.telling import extract, overview, quotable, titled, unlabelled
from tamis.models.llm import load_chat
from tamis.models.protocols import ChatModel
from tamis.reduce.vectors import passages
from tamis.schema.document import Chunk, Span
from tamis.schema.library import Card, Quote, Shelf, Theme
from tamis.shelving.wording import Order, extracted, forget_replies, worded_cards
from tamis.shelving.workshop import Workshop
from tamis.summarize.selection import Material, theme_sentences
from tamis.text.fingerprints import sha256_hex
from tamis.write.card import conversation
from tamis.write.prompts import CARD

_Place = tuple[str, Span]
"""A document and where in it a sentence stands."""


def build_cards(shop: Workshop) -> list[str]:
    """Make the cards that are missing or out of date, and forget those of what is no more.

    Returns:
        What went wrong, one line each.
    """
    graph = shop.library.graph
    themes = graph.themes(facet=shop.facet)
    shelves = graph.shelves(shop.facet)
    known = {card.about: card.content_hash for card in graph.cards(shop.facet)}
    indexed = shop.library.index.hashes()
    current = {about: text for about, text in known.items() if indexed.get(about) == text}
    alive = {theme.theme_id for theme in themes} | {shelf.shelf_id for shelf in shelves}
    if gone := sorted(known.keys() - alive):
        shop.library.forget_cards(gone)
    model = load_chat(shop.app.settings.llm.main) if shop.use_llm else None
    problems = _theme_cards(shop, themes, current, model)
    _shelf_cards(shop, shelves, themes, current)
    forget_replies(shop)
    graph.note(f"{shop.facet}:build_layer_c", shop.corpus.digest)
    return problems


def _making(shop: Workshop, model: ChatModel | None) -> str:
    """How cards are made: anything here that changes makes all of them anew."""
    settings = shop.app.settings
    words = [CARD, model.name, settings.llm.main.temperature, settings.llm.main.max_tokens] if model else []
    how = settings.layer_c.model_dump(mode="json", exclude={"concurrency", "query_cards"})
    probe = probe_for(shop.app.embedder.identity)
    return json.dumps([how, words, *([probe.digest] if probe is not None else [])], ensure_ascii=False)


def _theme_cards(
    shop: Workshop, themes: Sequence[Theme], current: Mapping[str, str], model: ChatModel | None
) -> list[str]:
    plain, making = _making(shop, None), _making(shop, model)
    stale = []
    for theme in themes:
        members = _members(shop, theme)
        hashed, unworded = (content_hash(theme.theme_id, theme.label, members, making=how) for how in (making, plain))
        if current.get(theme.theme_id) != hashed:
            stale.append((theme, hashed, unworded))
    shop.progress.stage(f"cards of {shop.facet}", len(stale))
    kept_out: set[_Place] = set()
    orders = (_ordered(shop, theme, hashed, unworded, model, kept_out) for theme, hashed, unworded in stale)
    if model is None:
        for order in orders:
            extracted(shop, order)
        return _told(kept_out)
    flaws = [(about, flaw) for about, flaw in worded_cards(shop, orders, model) if flaw]
    counted = Counter(flaw for _, flaw in flaws)
    first = {flaw: about for about, flaw in reversed(flaws)}
    return [
        f"{first[flaw]}{f' and {count - 1} more' if count > 1 else ''}: {flaw}; extracts instead"
        for flaw, count in counted.items()
    ] + _told(kept_out)


def _told(kept_out: set[_Place]) -> list[str]:
    """One line about the sentences that are on no card because they read like orders."""
    if not kept_out:
        return []
    count, among = len(kept_out), len({document for document, _ in kept_out})
    which = "a sentence reads like an order" if count == 1 else f"{count} sentences read like orders"
    more = f" and {among - 1} more" if among > 1 else ""
    return [f"{which} to a model and {'is' if count == 1 else 'are'} on no card: in {min(kept_out)[0]}{more}"]


def _members(shop: Workshop, theme: Theme) -> list[tuple[str, str]]:
    """Every passage of a theme with a text for all that its card depends on.

    Of an origin only which passages share it counts, not what it is called: that may be a document elsewhere.
    """
    groups: dict[str, int] = {}
    found = []
    for member in theme.members:
        chunk = shop.corpus.chunks[shop.corpus.rows[member.chunk_id]]
        origin = shop.corpus.origins[chunk.document_id]
        group = groups.setdefault(origin.name, len(groups))
        told = [shop.corpus.hashes[member.chunk_id], chunk.start, group, origin.source_type, origin.year]
        found.append((member.chunk_id, json.dumps([*told, origin.language])))
    return found


def _ordered(
    shop: Workshop, theme: Theme, hashed: str, unworded: str, model: ChatModel | None, kept_out: set[_Place]
) -> Order:
    made = _drafted(shop, theme, kept_out)
    if model is None or not made.quotes:
        return Order(made, hashed, "theme", unworded=unworded)
    shown = [
        replace(item, title="" if reason(item.title) else item.title) for item in evidence_of(made, shop.corpus.origins)
    ]
    corpus = shop.corpus
    documents = {corpus.chunks[corpus.rows[member.chunk_id]].document_id for member in theme.members}
    language = _language([corpus.origins[name] for name in documents])
    messages = conversation(made.title, shown, language=language, disagreement=made.disagreement, thin=made.thin)
    return Order(made, hashed, "theme", messages, unworded)


def _language(origins: Sequence[Origin]) -> str:
    """That of most documents."""
    counted = Counter(origin.language for origin in origins if origin.language)
    return min(counted, key=lambda code: (-counted[code], code)) if counted else "en"


def _drafted(shop: Workshop, theme: Theme, kept_out: set[_Place]) -> Draft:
    """What a theme's card is made from.

    Only what a card shows is read for orders: the sentences it takes, those that confirm them, and those that oppose
    each other (K5). Where one is refused, all are chosen anew without it.

    Args:
        shop: the models, and the collection.
        theme: to be told.
        kept_out: gets the places of what is refused.
    """
    chunks, vectors = shop.corpus.some([member.chunk_id for member in theme.members])
    origins = shop.corpus.origins
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    told = _sayings(shop, [(one.text, _quote(one, by_id[one.chunk_id], shop)) for one in theme_sentences(chunks)])
    documents = sorted({chunk.document_id for chunk in chunks})
    names = {name: origins[name].name for name in documents}
    while True:
        quotes = [quote for _, quote in told]
        sources = [quote.document_id for quote in quotes]
        chosen = extract([text for text, _ in told], shop.app.settings.layer_c, sources)
        refused = _orders(shop, [quotes[row] for row in chosen])
        if not refused:
            coverage = covered(vectors, passages(shop.app.embedder, [quotes[row].text for row in chosen]))
            made = draft(
                theme.theme_id, theme.facet, theme.label, quotes, chosen,
                compare(quotes, names, disagreement, agreement, chosen), origins, documents,
                chunks=len(chunks), coverage=coverage, cohesion=cohesion(vectors),
            )  # fmt: skip
            beside = [quote for pair in (*made.confirming, *made.basis.opposing) for quote in pair]
            if not (refused := _orders(shop, beside)):
                return made
        kept_out |= {(quote.document_id, quote.span) for quote in quotes if quote.text in refused}
        told = [(text, quote) for text, quote in told if quote.text not in refused]


def _sayings(shop: Workshop, told: Sequence[tuple[str, Quote]]) -> list[tuple[str, Quote]]:
    """What may be quoted: no notices, and no titles of documents that say anything beside them."""
    said = [(text, quote) for text, quote in told if quotable(quote.text)]
    titles = [titled(quote.text, shop.corpus.told[quote.document_id].title) for _, quote in said]
    more = {quote.document_id for (_, quote), title in zip(said, titles, strict=True) if not title}
    return [entry for entry, title in zip(said, titles, strict=True) if not title or entry[1].document_id not in more]


def _orders(shop: Workshop, quotes: Sequence[Quote]) -> set[str]:
    """Texts that read like orders to a model, by patterns or by the vectors that coverage needs anyway."""
    texts = list(dict.fromkeys(quote.text for quote in quotes))
    refused = {text for text in texts if reason(text)}
    rest = [text for text in texts if text not in refused]
    if rest and (probe := probe_for(shop.app.embedder.identity)) is not None:
        why = probe.reasons(passages(shop.app.embedder, rest))
        refused |= {text for text, found in zip(rest, why, strict=True) if found}
    return refused


def _quote(sentence: Material, chunk: Chunk, shop: Workshop) -> Quote:
    return Quote(
        unlabelled(sentence.text),
        chunk.chunk_id,
        chunk.document_id,
        (chunk.start + sentence.start, chunk.start + sentence.end),
        sha256_hex(chunk.text[sentence.start : sentence.end]),
        shop.corpus.origins[chunk.document_id].year,
    )


def _shelf_cards(shop: Workshop, shelves: Sequence[Shelf], themes: Sequence[Theme], current: Mapping[str, str]) -> None:
    """A shelf's card is made from the cards right below it: those of its themes, and of the shelves on it."""
    graph = shop.library.graph
    making = _making(shop, None)
    below: dict[str, list[str]] = {}
    for theme in themes:
        below.setdefault(theme.shelf_id, []).append(theme.theme_id)
    for shelf in shelves:
        below.setdefault(shelf.parent, []).append(shelf.shelf_id)
    shop.progress.stage(f"shelf cards of {shop.facet}", len(shelves))
    for shelf in sorted(shelves, key=lambda shelf: (-shelf.depth, shelf.shelf_id)):
        cards = [card for about in sorted(below.get(shelf.shelf_id, [])) if (card := graph.card(about))]
        members = [(card.about, card.content_hash) for card in cards]
        hashed = content_hash(shelf.shelf_id, shelf.label, members, making=making)
        if current.get(shelf.shelf_id) != hashed:
            extracted(shop, _shelf_order(shop, shelf, cards, hashed))
        else:
            shop.progress.advance()


def _shelf_order(shop: Workshop, shelf: Shelf, cards: Sequence[Card], hashed: str) -> Order:
    groups = [
        [sentence.quotes[0] for sentence in card.sentences if sentence.quotes]
        for card in sorted(cards, key=lambda card: (-card.basis.chunks, card.about))
    ]
    taken = overview([[quote.text for quote in group] for group in groups], shop.app.settings.layer_c)
    first = [groups[group][at] for group, at in taken]
    quotes = list(dict.fromkeys([*first, *(quote for group in groups for quote in group)]))
    chosen = [quotes.index(quote) for quote in dict.fromkeys(first)]
    chunks, vectors = shop.corpus.some(shop.library.graph.attached(shelf.shelf_id, below=True))
    documents = sorted({chunk.document_id for chunk in chunks})
    names = {name: shop.corpus.origins[name].name for name in documents}
    comparison = compare(quotes, names, disagreement, agreement)
    coverage = covered(vectors, passages(shop.app.embedder, [quotes[row].text for row in chosen]))
    alone = len(cards) == 1 and cards[0].basis.chunks == len(chunks)
    title = cards[0].title if alone else shelf.label
    made = draft(
        shelf.shelf_id, shelf.facet, title, quotes, chosen, comparison, shop.corpus.origins, documents,
        chunks=len(chunks), coverage=coverage, cohesion=cohesion(vectors),
    )  # fmt: skip
    return Order(made, hashed, "shelf")
