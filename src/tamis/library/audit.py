"""What must hold between collection, graph and cards index, and where it does not (L11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tamis.library.present import quotes_of
from tamis.schema.document import Span
from tamis.schema.library import Card, Shelf, Theme
from tamis.store.library import LibraryStore


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where an invariant does not hold.

    Attributes:
        rule: its short name.
        where: id of the shelf, theme, card or chunk.
        what: one line for a person.
    """

    rule: str
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What was looked at, and what was found.

    Attributes:
        shelves: how many were checked.
        themes: likewise.
        cards: likewise.
        chunks: how many stand on a shelf.
        breaches: by rule, then place.
        unfinished: shelves and themes that wait for their cards, in facets whose cards were never made to the end.
    """

    shelves: int
    themes: int
    cards: int
    chunks: int
    breaches: tuple[Breach, ...]
    unfinished: int = 0


def waiting(library: LibraryStore) -> int:
    """How many shelves and themes have no card because a build did not come to its end."""
    graph = library.graph
    begun = [facet for facet in graph.facets() if not graph.noted(f"{facet}:build_layer_c")]
    if not begun:
        return 0
    known = library.index.hashes().keys()
    described = {shelf.shelf_id for facet in begun for shelf in graph.shelves(facet)}
    described |= {theme.theme_id for facet in begun for theme in graph.themes(facet=facet)}
    return len(described - known)


def audit(library: LibraryStore, *, exists: Callable[[str], bool], hash_at: Callable[[str, Span], str]) -> Audit:
    """Check every invariant.

    Args:
        library: of the collection.
        exists: whether a chunk id is in the collection.
        hash_at: document id and span → hash of the text there, empty where there is none.
    """
    graph = library.graph
    shelves = {shelf.shelf_id: shelf for shelf in graph.shelves()}
    themes = {theme.theme_id: theme for theme in graph.themes()}
    cards = graph.cards()
    carded = {facet: bool(graph.noted(f"{facet}:build_layer_c")) for facet in graph.facets()}
    described: list[Theme | Shelf] = [theme for theme in themes.values() if carded.get(theme.facet)]
    described += [shelf for shelf in shelves.values() if carded.get(shelf.facet)]
    attached = {name: set(graph.attached(name)) for name in shelves}
    below = {name: set(graph.attached(name, below=True)) for name in shelves}
    found = [
        *_shelves(shelves, below),
        *_chunks(attached, exists),
        *_themes(themes, shelves, attached),
        *_cards(cards, themes, below, hash_at),
        *_stores(cards, library.index.hashes()),
        *_missing(cards, described),
    ]
    return Audit(
        len(shelves),
        len(themes),
        len(cards),
        len(set().union(*attached.values())) if attached else 0,
        tuple(sorted(found, key=lambda breach: (breach.rule, breach.where, breach.what))),
        waiting(library),
    )


def _shelves(shelves: dict[str, Shelf], below: dict[str, set[str]]) -> Iterator[Breach]:
    for name, shelf in shelves.items():
        if shelf.parent and shelf.parent not in shelves:
            yield Breach("shelf-parent", name, f"stands on {shelf.parent!r}, which does not exist")
        elif _circular(name, shelves):
            yield Breach("shelf-cycle", name, "is its own ancestor")
        elif shelf.parent and shelf.depth != shelves[shelf.parent].depth + 1:
            yield Breach("shelf-depth", name, f"depth {shelf.depth} below depth {shelves[shelf.parent].depth}")
        if shelf.support != len(below[name]):
            yield Breach("shelf-support", name, f"counts {shelf.support} passages, {len(below[name])} stand there")


def _circular(name: str, shelves: dict[str, Shelf]) -> bool:
    seen: set[str] = set()
    while name in shelves and shelves[name].parent:
        if name in seen:
            return True
        seen.add(name)
        name = shelves[name].parent
    return False


def _chunks(attached: dict[str, set[str]], exists: Callable[[str], bool]) -> Iterator[Breach]:
    for chunk in sorted(set().union(*attached.values())) if attached else []:
        if not exists(chunk):
            yield Breach("chunk-gone", chunk, "stands on a shelf and is not in the collection")


def _themes(themes: dict[str, Theme], shelves: dict[str, Shelf], attached: dict[str, set[str]]) -> Iterator[Breach]:
    by_shelf: dict[str, list[Theme]] = {}
    for name, theme in themes.items():
        by_shelf.setdefault(theme.shelf_id, []).append(theme)
        if theme.shelf_id not in shelves:
            yield Breach("theme-shelf", name, f"stands on {theme.shelf_id!r}, which does not exist")
        if not theme.members:
            yield Breach("theme-empty", name, "has no passages")
    for shelf_id, chunks in attached.items():
        siblings = by_shelf.get(shelf_id, [])
        members = {member.chunk_id for theme in siblings for member in theme.members}
        primary = [member.chunk_id for theme in siblings for member in theme.members if member.primary]
        if members != chunks:
            differ = sorted(members ^ chunks)
            yield Breach(
                "theme-parity", shelf_id, f"{len(differ)} passages differ from its themes', {differ[0]!r} first"
            )
        if len(primary) != len(set(primary)) or set(primary) != members:
            yield Breach("theme-primary", shelf_id, "a passage has no primary theme here, or two")
        labels = [theme.label for theme in siblings]
        for label in sorted({label for label in labels if labels.count(label) > 1}):
            yield Breach("theme-label", shelf_id, f"two themes are called {label!r}")


def _cards(
    cards: Sequence[Card],
    themes: dict[str, Theme],
    below: dict[str, set[str]],
    hash_at: Callable[[str, Span], str],
) -> Iterator[Breach]:
    for card in cards:
        if card.about in themes and card.kind == "theme":
            own = {member.chunk_id for member in themes[card.about].members}
        elif card.about in below and card.kind == "shelf":
            own = below[card.about]
        else:
            yield Breach("card-orphan", card.about, f"describes a {card.kind} that does not exist")
            continue
        for quote in quotes_of(card):
            if quote.chunk_id not in own:
                yield Breach(
                    "card-chunk", card.about, f"quotes {quote.chunk_id!r}, which is not part of the {card.kind}"
                )
            elif hash_at(quote.document_id, quote.span) != quote.sha256:
                yield Breach("card-quote", card.about, f"quotes {quote.document_id!r} as it no longer reads")


def _stores(cards: Sequence[Card], indexed: dict[str, str]) -> Iterator[Breach]:
    known = {card.about: card.content_hash for card in cards}
    for about in sorted(known.keys() | indexed.keys()):
        if about not in indexed:
            yield Breach("card-index", about, "has a card that cannot be found")
        elif about not in known:
            yield Breach("card-index", about, "can be found and has no card")
        elif known[about] != indexed[about]:
            yield Breach("card-hash", about, "differs between graph and index")


def _missing(cards: Sequence[Card], described: Sequence[Theme | Shelf]) -> Iterator[Breach]:
    """Themes and shelves without a card, in facets whose cards were made."""
    known = {card.about for card in cards}
    for entry in described:
        about = entry.theme_id if isinstance(entry, Theme) else entry.shelf_id
        if about not in known:
            yield Breach("card-missing", about, "has no card")
