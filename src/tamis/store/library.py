"""What a store must offer for a library: a graph of shelves, themes, chunks and cards, and an index of the cards.

The graph holds what is true of the corpus and how it hangs together; the index finds cards by meaning. They are two
protocols because a server holds each of them better than one holds both; `LibraryStore` writes a card to both as one.
A facet is replaced as a whole or not at all, and nothing done to it touches another (L11).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from tamis.models.protocols import Vector
from tamis.schema.library import Card, EntityLink, EvidenceQuality, Shelf, Theme

Attachments = Mapping[str, tuple[str, ...]]
"""Chunk id → ids of the shelves it stands on."""


@dataclass(frozen=True, slots=True)
class LinkedChunk:
    """What linking found in one chunk.

    Attributes:
        key: hash of everything the links depend on; an equal key means they need not be found again.
        links: in the order of their start.
    """

    key: str
    links: tuple[EntityLink, ...]


class GraphStore(Protocol):
    """Shelves, themes, what stands on them, and the cards that describe them."""

    def facets(self) -> tuple[str, ...]:
        """Names of the facets that were built, ascending."""
        ...

    def shelves(self, facet: str = "") -> list[Shelf]:
        """All shelves, of one facet where one is named, ascending by id."""
        ...

    def shelf(self, shelf_id: str) -> Shelf:
        """One shelf.

        Raises:
            KeyError: no such shelf.
        """
        ...

    def ancestors(self, shelf_id: str) -> list[Shelf]:
        """The shelves above one, nearest first."""
        ...

    def attached(self, shelf_id: str, *, below: bool = False) -> tuple[str, ...]:
        """Chunks on a shelf, and on all shelves below it; ascending, none twice."""
        ...

    def attachments(self, facet: str) -> dict[str, tuple[str, ...]]:
        """Chunk id → ids of the shelves of a facet it stands on."""
        ...

    def themes(self, *, facet: str = "", shelf_id: str = "") -> list[Theme]:
        """All themes, of one facet or shelf where one is named, ascending by id."""
        ...

    def theme(self, theme_id: str) -> Theme:
        """One theme.

        Raises:
            KeyError: no such theme.
        """
        ...

    def themes_of(self, chunk_id: str) -> list[Theme]:
        """The themes a chunk belongs to, its primary one first."""
        ...

    def links(self, facet: str) -> dict[str, LinkedChunk]:
        """Chunk id → what linking found in it."""
        ...

    def card(self, about: str) -> Card | None:
        """The card of a theme or shelf."""
        ...

    def cards(self, facet: str = "") -> list[Card]:
        """All cards, of one facet where one is named, ascending by id."""
        ...

    def noted(self, key: str) -> str:
        """A small fact, empty when there is none."""
        ...

    def put_links(self, facet: str, found: Mapping[str, LinkedChunk], *, gone: Sequence[str] = ()) -> None:
        """Insert or replace what linking found in some chunks; forget it for chunks that are gone."""
        ...

    def settled(self, shelf_id: str) -> dict[str, str]:
        """Chunk id → hash of its text when the themes of a shelf were made."""
        ...

    def replace_shelves(self, facet: str, shelves: Sequence[Shelf]) -> None:
        """Make these the shelves of a facet; what stands on shelves that are no more is taken off."""
        ...

    def replace_attachments(self, facet: str, attachments: Attachments) -> None:
        """Make these the chunks that stand on the shelves of a facet."""
        ...

    def replace_themes(self, shelf_id: str, themes: Sequence[Theme], hashes: Mapping[str, str]) -> None:
        """Make these the themes of a shelf.

        Args:
            shelf_id: the shelf.
            themes: all of them.
            hashes: chunk id → hash of its text, of every chunk on the shelf.
        """
        ...

    def drop_themes(self, shelf_ids: Sequence[str]) -> None:
        """Forget all themes of shelves that are no more."""
        ...

    def put_card(self, card: Card) -> None:
        """Insert or replace a card."""
        ...

    def forget_cards(self, abouts: Sequence[str]) -> None:
        """Remove cards."""
        ...

    def drop_facet(self, facet: str) -> None:
        """Forget a facet and everything in it."""
        ...

    def note(self, key: str, value: str) -> None:
        """Keep a small fact; an empty one is forgotten."""
        ...

    def forget_notes(self, prefix: str) -> None:
        """Forget every small fact whose key begins like this."""
        ...


class CardIndex(Protocol):
    """Finds cards by meaning."""

    def put(self, card: Card, vector: Vector) -> None:
        """Insert or replace the entry of a card."""
        ...

    def forget(self, abouts: Sequence[str]) -> None:
        """Remove entries."""
        ...

    def hashes(self) -> dict[str, str]:
        """Id → content hash of every card that can be found."""
        ...

    def search(
        self, vector: Vector, k: int, *, facet: str = "", quality: EvidenceQuality | None = None, safe: bool = False
    ) -> list[tuple[str, float]]:
        """Ids of the nearest cards with their cosine, best first, equal ones by id.

        Args:
            vector: of what is looked for.
            k: most cards.
            facet: only of this one.
            quality: only of this evidence quality.
            safe: leave out cards that are flagged for review.
        """
        ...


class LibraryStore(Protocol):
    """The library of one collection."""

    @property
    def graph(self) -> GraphStore:
        """Shelves, themes, cards."""
        ...

    @property
    def index(self) -> CardIndex:
        """Cards by meaning."""
        ...

    def put_card(self, card: Card, vector: Vector) -> None:
        """Write a card to both as one; it survives the end of the process from then on."""
        ...

    def forget_cards(self, abouts: Sequence[str]) -> None:
        """Remove cards from both."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Everything written inside becomes visible as one."""
        ...
