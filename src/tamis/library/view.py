"""The library as things to walk through: shelves, themes, chunks and their cards, each with its neighbours (L10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from tamis.errors import UnknownNameError
from tamis.library.present import Present, quotes_of
from tamis.schema.document import Chunk, Document, owner
from tamis.schema.library import Card, Shelf, Theme
from tamis.store.library import GraphStore
from tamis.store.protocols import CollectionReader

Place = TypeVar("Place", Shelf, Theme, Shelf | Theme)
_NEAR = 5
_ALIKE = 65.0
"""Least likeness, of 100, of a name that may have been meant."""
_WORDS = 0.9
"""What a name counts that has the words, beside one that is spelt alike as a whole."""


@dataclass(frozen=True, slots=True)
class GraphView:
    """The entrance: find a shelf, a theme or a chunk, then go on from there.

    Attributes:
        graph: of the library.
        reader: of the collection it was built from.
        held: what closes both when nobody holds it any more.
    """

    graph: GraphStore
    reader: CollectionReader
    held: object = None
    present: Present = field(init=False)

    def __post_init__(self) -> None:
        """The collection may have changed since the library was built from it."""
        object.__setattr__(self, "present", Present(self.reader))

    def facets(self) -> tuple[str, ...]:
        """Names of the facets, ascending."""
        return self.graph.facets()

    def shelves(self, facet: str = "") -> list[ShelfView]:
        """The topmost shelves, of one facet where one is named."""
        return [ShelfView(self, shelf) for shelf in self.graph.shelves(facet) if not shelf.parent]

    def shelf(self, name: str) -> ShelfView:
        """A shelf by its path, or by its label where only one has it.

        Raises:
            UnknownNameError: there is none, or several.
        """
        return ShelfView(self, _found(name, self.graph.shelves(), "shelf", self._listed("shelves")))

    def theme(self, name: str) -> ThemeView:
        """A theme by its path, or by its label where only one has it.

        Raises:
            UnknownNameError: there is none, or several.
        """
        return ThemeView(self, _found(name, self.graph.themes(), "theme", self._listed("themes")))

    def find(self, name: str) -> ShelfView | ThemeView:
        """A theme or shelf by its path, or by its label; where both are called so, the theme.

        Raises:
            UnknownNameError: there is none, or several.
        """
        shelves, themes = self.graph.shelves(), self.graph.themes()
        # Of several that are called so, none is meant more than another: then both kinds are asked.
        if len(of_theme := _called(name, themes)) == 1:
            return ThemeView(self, of_theme[0])
        if len(of_shelf := _called(name, shelves)) == 1:
            return ShelfView(self, of_shelf[0])
        both: list[Shelf | Theme] = [*shelves, *themes]
        return self._seen(_found(name, both, "shelf or theme", self._listed("shelves", "themes")))

    def _seen(self, place: Shelf | Theme) -> ShelfView | ThemeView:
        return ShelfView(self, place) if isinstance(place, Shelf) else ThemeView(self, place)

    def _listed(self, *commands: str) -> str:
        shown = " and ".join(f"`tamis {command} --name {self.reader.info.name}`" for command in commands)
        return f"{shown} {'list' if len(commands) > 1 else 'lists'} what there is"

    def chunk(self, chunk_id: str) -> ChunkView:
        """A passage by its id.

        Raises:
            UnknownNameError: there is none, or none any more.
        """
        if found := self.present.chunks([chunk_id]):
            return ChunkView(self, found[0])
        if self.graph.themes_of(chunk_id):
            raise UnknownNameError(
                f"the chunk {chunk_id!r} is gone from the collection since the library was built", fix=self._rebuilt
            )
        raise UnknownNameError(f"there is no chunk {chunk_id!r}", fix="take an id that a card or theme names")

    @property
    def _rebuilt(self) -> str:
        return f"`tamis build --name {self.reader.info.name}` brings the library up to date"

    def outdated(self, card: Card) -> tuple[str, ...]:
        """Documents that a card rests on and that are gone since or read otherwise, ascending by id."""
        if card.kind == "shelf":
            below = self.graph.attached(card.about, below=True)
        else:
            below = tuple(member.chunk_id for member in self.graph.theme(card.about).members)
        gone = {owner(chunk_id) for chunk_id in below if not self.present.exists(chunk_id)}
        return tuple(sorted(gone | {quote.document_id for quote in quotes_of(card) if not self.present.stands(quote)}))


@dataclass(frozen=True, slots=True)
class ShelfView:
    """A shelf and what is around it."""

    view: GraphView
    shelf: Shelf

    @property
    def id(self) -> str:
        """Its path."""
        return self.shelf.shelf_id

    @property
    def label(self) -> str:
        """What a person reads."""
        return self.shelf.label

    def parents(self) -> list[ShelfView]:
        """The shelves above, nearest first."""
        return [ShelfView(self.view, shelf) for shelf in self.view.graph.ancestors(self.id)]

    def children(self) -> list[ShelfView]:
        """The shelves right below, by path."""
        every = self.view.graph.shelves(self.shelf.facet)
        return [ShelfView(self.view, shelf) for shelf in every if shelf.parent == self.id]

    def neighbours(self) -> list[ShelfView]:
        """The other shelves with the same parent, by path."""
        every = self.view.graph.shelves(self.shelf.facet)
        return [
            ShelfView(self.view, shelf)
            for shelf in every
            if shelf.parent == self.shelf.parent and shelf.shelf_id != self.id
        ]

    def themes(self) -> list[ThemeView]:
        """The themes on it."""
        return [ThemeView(self.view, theme) for theme in self.view.graph.themes(shelf_id=self.id)]

    def chunks(self, *, below: bool = False) -> list[ChunkView]:
        """The passages on it, and on all shelves below; those that the collection has no more are left out."""
        ids = self.view.graph.attached(self.id, below=below)
        return [ChunkView(self.view, chunk) for chunk in self.view.present.chunks(ids)]

    def card(self) -> Card:
        """Its card.

        Raises:
            UnknownNameError: none was made yet.
        """
        return _card(self.view, self.id)


@dataclass(frozen=True, slots=True)
class ThemeView:
    """A theme and what is around it."""

    view: GraphView
    theme: Theme

    @property
    def id(self) -> str:
        """Its path."""
        return self.theme.theme_id

    @property
    def label(self) -> str:
        """What a person reads."""
        return self.theme.label

    def parents(self) -> list[ShelfView]:
        """The shelf it stands on and those above, nearest first."""
        shelf = ShelfView(self.view, self.view.graph.shelf(self.theme.shelf_id))
        return [shelf, *shelf.parents()]

    def neighbours(self) -> list[ThemeView]:
        """The other themes of its shelf, by path."""
        every = self.view.graph.themes(shelf_id=self.theme.shelf_id)
        return [ThemeView(self.view, theme) for theme in every if theme.theme_id != self.id]

    def chunks(self) -> list[ChunkView]:
        """Its passages, the most central first; those that the collection has no more are left out."""
        found = self.view.present.chunks(member.chunk_id for member in self.theme.members)
        return [ChunkView(self.view, chunk) for chunk in found]

    def card(self) -> Card:
        """Its card.

        Raises:
            UnknownNameError: none was made yet.
        """
        return _card(self.view, self.id)


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A passage and what is around it."""

    view: GraphView
    chunk: Chunk

    @property
    def id(self) -> str:
        """Its id."""
        return self.chunk.chunk_id

    @property
    def text(self) -> str:
        """The passage."""
        return self.chunk.text

    @property
    def document(self) -> Document:
        """The document it is from."""
        return self.view.reader.documents([self.chunk.document_id])[0]

    def parents(self) -> list[ThemeView]:
        """The themes it belongs to, its primary one first."""
        return [ThemeView(self.view, theme) for theme in self.view.graph.themes_of(self.id)]

    def neighbours(self, k: int = _NEAR) -> list[ChunkView]:
        """The nearest other passages of the collection."""
        reader = self.view.reader
        hits = reader.search_vectors(reader.vectors([self.id])[0], k + 1)
        others = [name for name in hits.ids if name != self.id][:k]
        return [ChunkView(self.view, chunk) for chunk in reader.chunks(others)]


def _card(view: GraphView, about: str) -> Card:
    card = view.graph.card(about)
    if card is None:
        raise UnknownNameError(
            f"the card of {about!r} is not built yet", fix=f"`tamis build --name {view.reader.info.name}` makes it"
        )
    return card


def _id(place: Shelf | Theme) -> str:
    return place.shelf_id if isinstance(place, Shelf) else place.theme_id


def _called(name: str, every: Iterable[Place]) -> list[Place]:
    """What has a path, or else all that have a label."""
    known = list(every)
    exact = [place for place in known if _id(place) == name]
    return exact or [place for place in known if place.label.casefold() == name.casefold()]


def _found(name: str, every: Iterable[Place], kind: str, listed: str) -> Place:
    known = list(every)
    called = _called(name, known)
    if len(called) == 1:
        return called[0]
    if not known:
        raise UnknownNameError(f"there is no {kind} {name!r}: no library was built yet", fix="`tamis build` makes it")
    if called:
        names = ", ".join(_id(place) for place in called)
        raise UnknownNameError(f"{len(called)} of them are called {name!r}", fix=f"name one: {names}")
    near = [_id(place) for place in _alike(name, known)]
    raise UnknownNameError(f"there is no {kind} {name!r}", fix=f"did you mean {', '.join(near)}?" if near else listed)


def _alike(name: str, known: Iterable[Place], most: int = 3) -> list[Place]:
    """What may have been meant by a name, the likeliest first."""
    from rapidfuzz import fuzz

    wanted = name.casefold().strip()

    def likeness(place: Shelf | Theme) -> float:
        label, path = place.label.casefold(), _id(place)
        whole = max(fuzz.ratio(wanted, text) for text in (label, path, path.rpartition("/")[2]))
        return max(whole, _WORDS * fuzz.token_set_ratio(wanted, label))

    scored = sorted(((-likeness(place), _id(place), place) for place in known), key=lambda entry: entry[:2])
    return [place for score, _, place in scored[:most] if -score >= _ALIKE]
