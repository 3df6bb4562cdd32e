"""The library as things to walk through: shelves, themes, chunks and their cards, each with its neighbours (L10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tamis.errors import UnknownNameError
from tamis.schema.document import Chunk, Document
from tamis.schema.library import Card, Shelf, Theme
from tamis.store.library import GraphStore
from tamis.store.protocols import CollectionReader

T = TypeVar("T")
_NEAR = 5


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
        every = self.graph.shelves()
        return ShelfView(
            self,
            _find(name, {shelf.shelf_id: shelf for shelf in every}, label=lambda shelf: shelf.label, kind="shelf"),
        )

    def theme(self, name: str) -> ThemeView:
        """A theme by its path, or by its label where only one has it.

        Raises:
            UnknownNameError: there is none, or several.
        """
        every = self.graph.themes()
        return ThemeView(
            self,
            _find(name, {theme.theme_id: theme for theme in every}, label=lambda theme: theme.label, kind="theme"),
        )

    def chunk(self, chunk_id: str) -> ChunkView:
        """A passage by its id.

        Raises:
            UnknownNameError: there is none.
        """
        try:
            return ChunkView(self, self.reader.chunks([chunk_id])[0])
        except KeyError:
            raise UnknownNameError(
                f"there is no chunk {chunk_id!r}", fix="take an id that a card or theme names"
            ) from None


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
        """The passages on it, and on all shelves below."""
        ids = self.view.graph.attached(self.id, below=below)
        return [ChunkView(self.view, chunk) for chunk in self.view.reader.chunks(ids)]

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
        """Its passages, the most central first."""
        found = self.view.reader.chunks([member.chunk_id for member in self.theme.members])
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
        raise UnknownNameError(f"there is no card about {about!r} yet", fix="run `tamis build` to its end")
    return card


def _find(name: str, known: Mapping[str, T], *, label: Callable[[T], str], kind: str) -> T:
    if name in known:
        return known[name]
    if not known:
        raise UnknownNameError(f"there is no {kind} {name!r}: no library was built yet", fix="`tamis build` makes it")
    labelled = [key for key, entry in known.items() if label(entry).casefold() == name.casefold()]
    if len(labelled) == 1:
        return known[labelled[0]]
    if labelled:
        raise UnknownNameError(f"{len(labelled)} {kind}s are called {name!r}", fix=f"name one: {', '.join(labelled)}")
    from rapidfuzz import process

    choices = {key: f"{key} {label(entry)}" for key, entry in known.items()}
    near = [key for _, _, key in process.extract(name, choices, limit=3, score_cutoff=50)]
    meant = f"did you mean {', '.join(near)}?" if near else f"`tamis {kind.replace('shelf', 'shelve')}s` lists them"
    raise UnknownNameError(f"there is no {kind} {name!r}", fix=meant)
