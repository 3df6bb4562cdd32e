"""Layer C: a card for every theme, then one for every shelf, from the bottom up (L5-L9).

A card whose content hash did not change is left alone, byte for byte. Every other is stored the moment it is made; a
model's reply is kept before it is read, so that a build killed in between does not pay for it twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from tamis.check.disagree import disagreement
from tamis.check.ledger import check
from tamis.check.quarantine import reason
from tamis.errors import ModelError
from tamis.library.cards import Draft, assemble, content_hash, covered, draft, evidence_of, extracts
from tamis.library.statements import Comparison, compare
from tamis.models.llm import load_chat
from tamis.models.llm.ledger import prompt_tokens
from tamis.models.protocols import ChatModel, Message
from tamis.schema.document import Chunk
from tamis.schema.evidence import Evidence
from tamis.schema.library import Card, Quote, Shelf, Theme
from tamis.schema.report import Sentence
from tamis.shelving.workshop import Workshop
from tamis.summarize.selection import Material, select, theme_sentences
from tamis.text.fingerprints import sha256_hex
from tamis.write.card import SCHEMA, Wording, conversation, worded
from tamis.write.prompts import CARD

if TYPE_CHECKING:
    from tamis.settings import ModelRole


@dataclass(frozen=True, slots=True)
class _Order:
    """A card to be made.

    Attributes:
        made: what from.
        hashed: its content hash.
        kind: what it is about.
        messages: for the model, empty where none words it.
    """

    made: Draft
    hashed: str
    kind: str
    messages: tuple[Message, ...] = ()


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
    role = shop.app.settings.llm.main
    model = load_chat(role) if shop.use_llm else None
    problems = _theme_cards(shop, themes, current, model, role)
    _shelf_cards(shop, shelves, themes, current)
    graph.note(f"{shop.facet}:build_layer_c", shop.corpus.digest)
    return problems


def _making(shop: Workshop, model: ChatModel | None) -> str:
    """How cards are made: anything here that changes makes all of them anew."""
    settings = shop.app.settings
    words = [CARD, model.name, settings.llm.main.temperature, settings.llm.main.max_tokens] if model else []
    how = settings.layer_c.model_dump(mode="json", exclude={"concurrency"})
    return json.dumps([how, words], ensure_ascii=False)


def _theme_cards(
    shop: Workshop, themes: Sequence[Theme], current: Mapping[str, str], model: ChatModel | None, role: ModelRole
) -> list[str]:
    making = _making(shop, model)
    stale = []
    for theme in themes:
        members = [(member.chunk_id, shop.corpus.hashes[member.chunk_id]) for member in theme.members]
        hashed = content_hash(theme.theme_id, theme.label, members, making=making)
        if current.get(theme.theme_id) != hashed:
            stale.append((theme, hashed))
    shop.progress.stage(f"cards of {shop.facet}", len(stale))
    orders = (_ordered(shop, theme, hashed, model) for theme, hashed in stale)
    if model is None:
        for order in orders:
            _finish(shop, order, Wording(flaw="no model"), "")
        return []
    problems: list[str] = []
    for order, reply, failure in _replies(shop, orders, model, role):
        found = (
            worded(reply, order.messages, evidence_of(order.made, shop.corpus.origins), max_tokens=role.max_tokens)
            if reply
            else Wording(flaw=failure or "nothing to word")
        )
        if _finish(shop, order, found, model.name) == "extractive" and order.messages:
            problems.append(
                f"{order.made.about}: {found.flaw or 'nothing the model wrote is in the passages'}; extracts instead"
            )
        shop.library.graph.note(f"reply:{order.hashed}", "")
    return problems


def _ordered(shop: Workshop, theme: Theme, hashed: str, model: ChatModel | None) -> _Order:
    chunks, vectors = shop.corpus.some([member.chunk_id for member in theme.members])
    quotes, chosen, comparison = _material(shop, chunks)
    coverage = covered(vectors, shop.app.embedder.passages([quotes[row].text for row in chosen]))
    documents = sorted({chunk.document_id for chunk in chunks})
    made = draft(
        theme.theme_id, theme.facet, theme.label, quotes, chosen, comparison, shop.corpus.origins, documents,
        chunks=len(chunks), coverage=coverage,
    )  # fmt: skip
    messages: tuple[Message, ...] = ()
    if model is not None and made.quotes:
        shown = [
            replace(item, title="" if reason(item.title) else item.title)
            for item in evidence_of(made, shop.corpus.origins)
        ]
        messages = conversation(made.title, shown, language="en", disagreement=made.disagreement, thin=made.thin)
    return _Order(made, hashed, "theme", messages)


def _material(shop: Workshop, chunks: Sequence[Chunk]) -> tuple[list[Quote], list[int], Comparison]:
    """All sentences of a theme, the selected ones, and how all of them compare."""
    origins = shop.corpus.origins
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    sentences = theme_sentences(chunks)
    refused: set[int] = set()
    while True:
        allowed = [row for row in range(len(sentences)) if row not in refused]
        picked = select([sentences[row] for row in allowed], shop.app.settings.layer_c)
        chosen = [allowed[row] for row in picked]
        # Only what is chosen is ever shown, so only that is screened (K5).
        if not (orders := {row for row in chosen if reason(sentences[row].text)}):
            break
        refused |= orders
    quotes = [_quote(sentence, by_id[sentence.chunk_id], shop) for sentence in sentences]
    names = {chunk.document_id: origins[chunk.document_id].name for chunk in chunks}
    return quotes, chosen, compare(quotes, names, disagreement)


def _quote(sentence: Material, chunk: Chunk, shop: Workshop) -> Quote:
    return Quote(
        sentence.text,
        chunk.chunk_id,
        chunk.document_id,
        (chunk.start + sentence.start, chunk.start + sentence.end),
        sha256_hex(chunk.text[sentence.start : sentence.end]),
        shop.corpus.origins[chunk.document_id].year,
    )


def _replies(
    shop: Workshop, orders: Iterable[_Order], model: ChatModel, role: ModelRole
) -> Iterator[tuple[_Order, str, str]]:
    """Each order with the reply to its one call, or why there is none; so many calls at once as settings allow."""
    graph = shop.library.graph
    pending = iter(orders)
    with ThreadPoolExecutor(shop.app.settings.layer_c.concurrency) as pool:
        while batch := list(islice(pending, shop.app.settings.layer_c.concurrency)):
            kept = [graph.noted(f"reply:{order.hashed}") for order in batch]
            calls: list[Future[tuple[str, str]] | None] = []
            for order, known in zip(batch, kept, strict=True):
                if known or not order.messages:
                    calls.append(None)
                    continue
                tokens = prompt_tokens(model, order.messages)
                shop.calls.reserve("main", role, calls=1, prompt=tokens, completion=role.max_tokens)
                calls.append(pool.submit(_call, shop.calls.metered("main", model, role), order.messages, role))
            for order, known, call in zip(batch, kept, calls, strict=True):
                reply, failure = call.result() if call else (known, "")
                if reply and not known:
                    graph.note(f"reply:{order.hashed}", reply)
                yield order, reply, failure


def _call(model: ChatModel, messages: Sequence[Message], role: ModelRole) -> tuple[str, str]:
    try:
        reply = model.complete(messages, max_tokens=role.max_tokens, temperature=role.temperature, schema=SCHEMA)
    except ModelError as error:
        return "", error.message
    return reply.text, ""


def _finish(shop: Workshop, order: _Order, found: Wording, model: str) -> str:
    """Check the sentences, put the card together and store it.

    Returns:
        Its tier.
    """
    evidence = evidence_of(order.made, shop.corpus.origins)
    summary = _checked(shop, found.summary, evidence) if not found.flaw else ()
    usable = any(sentence.support in ("supported", "weak") for sentence in summary)
    if usable:
        (tip,) = _checked(shop, (found.tip,), evidence) or (None,) if found.tip else (None,)
        card = _card(
            shop,
            order,
            summary,
            tier="model",
            model=model,
            title=_title(found.title, evidence, shop),
            tip=tip if tip and tip.support == "supported" else None,
            controversy=_note(shop, found.controversy_note, order.made.disagreement),
            confidence=_note(shop, found.confidence_note, order.made.thin),
            opinion=found.quality,
        )
    else:
        card = _card(shop, order, _checked(shop, extracts(evidence), evidence), tier="extractive")
    _store(shop, card)
    shop.progress.advance(1, card.title)
    return card.tier


def _card(shop: Workshop, order: _Order, sentences: Sequence[Sentence], **wording: object) -> Card:
    flagged = shop.facet in shop.app.settings.layer_c.safety_sensitive_facets
    return assemble(order.made, sentences, kind=order.kind, flagged=flagged, hashed=order.hashed, **wording)  # type: ignore[arg-type]


def _checked(shop: Workshop, sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> tuple[Sentence, ...]:
    """The sentences with their verdicts; those that bring in what no passage holds are gone (C1)."""
    safe = [sentence for sentence in sentences if not reason(sentence.text)]
    kept, _ = check(safe, evidence, embedder=shop.app.embedder, settings=shop.app.settings.check)
    return kept


def _title(title: str, evidence: Sequence[Evidence], shop: Workshop) -> str:
    """A model's title, where it brings in no number or name that the passages do not hold."""
    if not title or reason(title):
        return ""
    every = tuple(item.label for item in evidence)
    kept, _ = check([Sentence(title, every)], evidence, embedder=shop.app.embedder, settings=shop.app.settings.check)
    return title if kept else ""


def _note(shop: Workshop, wording: str, found: str) -> str:
    """A model's wording of what code found, where it says nothing else."""
    if not wording or not found or reason(wording):
        return ""
    basis = Evidence("E1", "", "", "", "", (0, len(found)), "", found, 1.0)
    kept, _ = check([Sentence(wording, ("E1",))], [basis], embedder=shop.app.embedder, settings=shop.app.settings.check)
    return wording if kept and kept[0].support == "supported" else ""


def _store(shop: Workshop, card: Card) -> None:
    vector = shop.app.embedder.passages([f"{card.title}. {card.summary}"])[0]
    shop.library.put_card(card, vector)
    shop.made[shop.facet] = shop.made.get(shop.facet, 0) + 1


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
            _finish(shop, _shelf_order(shop, shelf, cards, hashed), Wording(flaw="shelves are not worded"), "")
        else:
            shop.progress.advance()


def _shelf_order(shop: Workshop, shelf: Shelf, cards: Sequence[Card], hashed: str) -> _Order:
    quotes = list(
        dict.fromkeys(quote for card in cards for sentence in card.sentences for quote in sentence.quotes[:1])
    )
    sentences = [Material(quote.text, quote.chunk_id, *quote.span) for quote in quotes]
    chosen = select(sentences, shop.app.settings.layer_c)
    chunks, vectors = shop.corpus.some(shop.library.graph.attached(shelf.shelf_id, below=True))
    documents = sorted({chunk.document_id for chunk in chunks})
    comparison = compare(quotes, {q.document_id: shop.corpus.origins[q.document_id].name for q in quotes}, disagreement)
    coverage = covered(vectors, shop.app.embedder.passages([quotes[row].text for row in chosen]))
    made = draft(
        shelf.shelf_id, shelf.facet, shelf.label, quotes, chosen, comparison, shop.corpus.origins, documents,
        chunks=len(chunks), coverage=coverage,
    )  # fmt: skip
    return _Order(made, hashed, "shelf")
