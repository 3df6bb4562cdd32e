"""All steps in their order, for every facet."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tamis.errors import UnknownNameError
from tamis.schema.progress import Progress
from tamis.schema.report import Ledger
from tamis.shelving.cards import build_cards
from tamis.shelving.facets import facets_of, facets_to_build, forget, remember
from tamis.shelving.steps import build_entities, build_shelves, build_themes, put_on_shelves
from tamis.shelving.workshop import Workshop

if TYPE_CHECKING:
    from tamis.app import Tamis
    from tamis.settings_library import FacetSettings
    from tamis.store.library import LibraryStore
    from tamis.store.protocols import CollectionReader

STEPS = ("embed", "build_entities", "build_layer_a", "attach", "build_layer_b", "build_layer_c")
"""In the order in which each needs the one before."""


@dataclass(slots=True)
class FacetSummary:
    """What a build did to one facet.

    Attributes:
        facet: its name.
        links: mentions that stand for a term; 0 without an ontology.
        shelves: how many there are.
        chunks: how many stand on one.
        themes: how many there are.
        outliers: chunks in no community.
        cards: how many there are.
        made: cards written by this build.
        worded: of all cards, how many a model worded.
        problems: what was left out, one line each.
    """

    facet: str
    links: int = 0
    shelves: int = 0
    chunks: int = 0
    themes: int = 0
    outliers: int = 0
    cards: int = 0
    made: int = 0
    worded: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(slots=True)
class BuildSummary:
    """What a build did.

    Attributes:
        name: of the collection.
        documents: it has.
        chunks: it has.
        facets: by name.
        dropped: facets that settings name no more.
        ledger: model calls.
        seconds: wall time.
    """

    name: str
    documents: int
    chunks: int
    facets: list[FacetSummary] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    seconds: float = 0.0


_STEPS: dict[str, Callable[[Workshop], list[str]]] = {
    "build_entities": build_entities,
    "build_layer_a": build_shelves,
    "attach": put_on_shelves,
    "build_layer_b": build_themes,
    "build_layer_c": build_cards,
}


def build(
    name: str,
    *,
    app: Tamis,
    reader: CollectionReader,
    library: LibraryStore,
    progress: Progress,
    facet: str = "",
    ontology: str | None = None,
    only: Sequence[str] = STEPS,
    use_llm: bool = True,
) -> BuildSummary:
    """Build the library of a collection, or what is missing of it.

    Args:
        name: of the collection.
        app: settings and models.
        reader: a snapshot of the collection.
        library: opened for writing.
        progress: listens.
        facet: only this one; empty for all.
        ontology: a file to build it from; empty for shelves from the texts, None for what it was built from.
        only: these steps, whatever their order.
        use_llm: False makes extractive cards.

    Raises:
        UnknownNameError: no such step or facet.
        UsageError: a facet or ontology that cannot be built.
    """
    unknown = [step for step in only if step not in STEPS]
    if unknown:
        raise UnknownNameError(f"there is no step {unknown[0]!r}", fix=f"one of: {', '.join(STEPS)}")
    started = time.perf_counter()
    wanted = facets_to_build(app.settings, library.graph, only=facet, ontology=ontology)
    shop = Workshop.open(app, reader, library, progress, use_llm=use_llm)
    summary = BuildSummary(name, len(shop.corpus.told), len(shop.corpus.chunks))
    for each, how in wanted.items():
        summary.facets.append(_facet(shop, each, how, only))
    if not facet and ontology is None and set(only) == set(STEPS):
        summary.dropped = _drop_others(shop, wanted)
    summary.ledger = shop.calls.closed()
    summary.seconds = round(time.perf_counter() - started, 3)
    progress.done()
    return summary


def _facet(shop: Workshop, facet: str, how: FacetSettings, only: Sequence[str]) -> FacetSummary:
    shop.facet, shop.how = facet, how
    entry = FacetSummary(facet, problems=[] if shop.corpus.chunks else ["the collection is empty"])
    for step in STEPS:
        if step in only and step in _STEPS:
            entry.problems += _STEPS[step](shop)
        if step == "build_entities":
            # What it is made of can be read; a build that ends too soon goes on with the same.
            _remember(shop)
    _count(shop, entry)
    if why := shop.why.get(facet, ""):
        entry.problems = [*(problem for problem in entry.problems if problem != why), why]
    _remember(shop)
    return entry


def _remember(shop: Workshop) -> None:
    graph, facet = shop.library.graph, shop.facet
    why = "" if graph.shelves(facet) else shop.why.get(facet, "") or graph.noted(f"{facet}:why")
    remember(graph, shop.app.settings, facet, shop.how, why)


def _drop_others(shop: Workshop, wanted: dict[str, FacetSettings]) -> list[str]:
    """Facets that settings name no more go with their cards."""
    others = [facet for facet in facets_of(shop.library.graph) if facet not in wanted]
    for facet in others:
        forget(shop.library, facet)
    return others


def _count(shop: Workshop, entry: FacetSummary) -> None:
    graph, facet = shop.library.graph, shop.facet
    themes = graph.themes(facet=facet)
    entry.shelves = len(graph.shelves(facet))
    entry.chunks = len(graph.attachments(facet))
    entry.themes = sum(not theme.outlier for theme in themes)
    entry.outliers = sum(len(theme.members) for theme in themes if theme.outlier)
    cards = graph.cards(facet)
    entry.links = sum(len(found.links) for found in graph.links(facet).values())
    entry.cards, entry.made = len(cards), shop.made.get(facet, 0)
    entry.worded = sum(card.tier == "model" for card in cards)
