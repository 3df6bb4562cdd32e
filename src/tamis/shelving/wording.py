"""Putting cards together: a model's wording where one was asked and holds, else extracts (L7, L8).

One call a card. A reply is kept the moment it arrives and forgotten with the storing of its card, so that a build
killed in between does not pay for it twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from tamis.check.ledger import check
from tamis.check.quarantine import reason
from tamis.errors import ModelError
from tamis.library.cards import Draft, assemble, evidence_of, extracts
from tamis.models.llm.ledger import prompt_tokens
from tamis.models.protocols import ChatModel, Message
from tamis.schema.evidence import Evidence
from tamis.schema.library import Card
from tamis.schema.report import Sentence
from tamis.shelving.workshop import Workshop
from tamis.write.card import SCHEMA, Wording, worded

MOST_FAILURES = 3
"""Calls in a row that fail before a build stops calling: a server that is down stays down."""


@dataclass(frozen=True, slots=True)
class Order:
    """A card to be made.

    Attributes:
        made: what from.
        hashed: its content hash.
        kind: what it is about.
        messages: for the model, empty where none words it.
        unworded: content hash of the card without a model; what a card gets whose call failed, so that a later build
            asks again.
    """

    made: Draft
    hashed: str
    kind: Literal["theme", "shelf"]
    messages: tuple[Message, ...] = ()
    unworded: str = ""


@dataclass(slots=True)
class _Line:
    """The line to the model.

    Attributes:
        failed: calls in a row that brought nothing.
        why: the last of them did not.
    """

    failed: int = 0
    why: str = ""

    @property
    def dead(self) -> bool:
        """Whether to stop calling."""
        return self.failed >= MOST_FAILURES

    def heard(self, failure: str) -> None:
        """Note how a call ended, empty for well."""
        self.failed, self.why = (self.failed + 1, failure) if failure else (0, "")


@dataclass(frozen=True, slots=True)
class _Reply:
    """What became of the call for a card: a text, or why there is none."""

    text: str = ""
    failure: str = ""


def extracted(shop: Workshop, order: Order, hashed: str = "") -> None:
    """Make a card of the selected sentences as they stand, and store it."""
    evidence = evidence_of(order.made, shop.corpus.origins)
    kept = _checked(shop, extracts(evidence), evidence, invented=False)
    flagged = _flagged(shop)
    card = assemble(
        order.made, kept, kind=order.kind, tier="extractive", flagged=flagged, hashed=hashed or order.hashed
    )
    _store(shop, order, card)


def worded_cards(shop: Workshop, orders: Iterable[Order], model: ChatModel) -> Iterator[tuple[str, str]]:
    """Ask for each card once, make it and store it.

    Yields:
        What each card is about, and why a model did not word it, empty where it did.
    """
    role = shop.app.settings.llm.main
    for order, reply in _replies(shop, orders, model):
        if not reply.text:
            extracted(shop, order, order.unworded if order.messages else "")
            yield order.made.about, reply.failure
            continue
        evidence = evidence_of(order.made, shop.corpus.origins)
        found = worded(reply.text, order.messages, evidence, max_tokens=role.max_tokens)
        card = None if found.flaw else _worded(shop, order, found, evidence, model.name)
        if card:
            _store(shop, order, card)
            yield order.made.about, ""
        else:
            extracted(shop, order)
            yield order.made.about, found.flaw or "nothing the model wrote is in the passages"


def forget_replies(shop: Workshop) -> None:
    """Drop what is left of replies to questions that nobody asks any more."""
    shop.library.graph.forget_notes(f"reply:{shop.facet}:")


def _key(shop: Workshop, order: Order) -> str:
    return f"reply:{shop.facet}:{order.hashed}"


def _replies(shop: Workshop, orders: Iterable[Order], model: ChatModel) -> Iterator[tuple[Order, _Reply]]:
    """Each order with the reply to its one call; so many calls at once as settings allow."""
    graph, role = shop.library.graph, shop.app.settings.llm.main
    metered, line = shop.calls.metered("main", model, role), _Line()
    pending, at_once = iter(orders), shop.app.settings.layer_c.concurrency
    with ThreadPoolExecutor(at_once) as pool:
        while batch := list(islice(pending, at_once)):
            found: dict[str, _Reply] = {}
            calls: dict[Future[_Reply], Order] = {}
            for order in batch:
                if not order.messages:
                    found[order.hashed] = _Reply()
                elif kept := graph.noted(_key(shop, order)):
                    found[order.hashed] = _Reply(kept)
                elif line.dead:
                    found[order.hashed] = _Reply(failure=line.why)
                else:
                    prompt = prompt_tokens(model, order.messages)
                    shop.calls.reserve("main", role, calls=1, prompt=prompt, completion=role.max_tokens)
                    calls[pool.submit(_call, metered, order.messages, shop)] = order
            for call in as_completed(calls):
                order, reply = calls[call], call.result()
                if reply.text:
                    graph.note(_key(shop, order), reply.text)
                line.heard(reply.failure)
                found[order.hashed] = reply
            yield from ((order, found[order.hashed]) for order in batch)


def _call(model: ChatModel, messages: Sequence[Message], shop: Workshop) -> _Reply:
    role = shop.app.settings.llm.main
    try:
        reply = model.complete(messages, max_tokens=role.max_tokens, temperature=role.temperature, schema=SCHEMA)
    except ModelError as error:
        return _Reply(failure=error.message)
    # An empty reply is an answer, and paid for.
    return _Reply(reply.text or " ")


def _worded(shop: Workshop, order: Order, found: Wording, evidence: Sequence[Evidence], model: str) -> Card | None:
    """The card in a model's words; None where nothing of them stands in the passages."""
    summary = _checked(shop, found.summary, evidence)
    if not summary:
        return None
    tips = _checked(shop, (found.tip,), evidence) if found.tip else ()
    return assemble(
        order.made,
        summary,
        kind=order.kind,
        tier="model",
        flagged=_flagged(shop),
        hashed=order.hashed,
        model=model,
        title=_title(shop, found.title, evidence),
        tip=next((tip for tip in tips if tip.support == "supported"), None),
        controversy=_note(shop, found.controversy_note, order.made.disagreement),
        confidence=_note(shop, found.confidence_note, order.made.thin),
        opinion=found.quality,
    )


def _flagged(shop: Workshop) -> bool:
    return shop.facet in shop.app.settings.layer_c.safety_sensitive_facets


def _checked(
    shop: Workshop, sentences: Sequence[Sentence], evidence: Sequence[Evidence], *, invented: bool = True
) -> tuple[Sentence, ...]:
    """The sentences that the passages carry, each with its verdict (C1).

    Args:
        shop: the checks' own.
        sentences: the draft.
        evidence: what they may stand on.
        invented: whether names may stand in them that stand nowhere else: in a model's words, not in extracts.
    """
    safe = [sentence for sentence in sentences if not reason(sentence.text)]
    app = shop.app
    recogniser = app.recogniser if invented else None
    kept, _ = check(safe, evidence, embedder=app.embedder, settings=app.settings.check, recogniser=recogniser)
    return tuple(sentence for sentence in kept if sentence.citations and sentence.support in ("supported", "weak"))


def _title(shop: Workshop, title: str, evidence: Sequence[Evidence]) -> str:
    """A model's title, where it brings in no number or name that the passages do not hold."""
    if not title or reason(title):
        return ""
    every = tuple(item.label for item in evidence)
    app = shop.app
    kept, _ = check([Sentence(title, every)], evidence, embedder=app.embedder, settings=app.settings.check)
    return title if kept else ""


def _note(shop: Workshop, wording: str, found: str) -> str:
    """A model's wording of what code found, where it says nothing else."""
    if not wording or not found or reason(wording):
        return ""
    basis = Evidence("E1", "", "", "", "", (0, len(found)), "", found, 1.0)
    kept = _checked(shop, (Sentence(wording, ("E1",)),), (basis,))
    return wording if kept and kept[0].support == "supported" else ""


def _store(shop: Workshop, order: Order, card: Card) -> None:
    vector = shop.app.embedder.passages([f"{card.title}. {card.summary}"])[0]
    with shop.library.together():
        shop.library.put_card(card, vector)
        shop.library.graph.note(_key(shop, order), "")
    shop.made[shop.facet] = shop.made.get(shop.facet, 0) + 1
    shop.progress.advance(1, card.title)
