"""The library of a collection: the Python surface of building, browsing and asking it (L10)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tamis.app import Tamis
from tamis.errors import UnknownNameError, UsageError
from tamis.schema.progress import Progress, Silence

if TYPE_CHECKING:
    from tamis.library.audit import Audit
    from tamis.library.view import GraphView
    from tamis.schema.library import Card, EvidenceQuality
    from tamis.schema.report import Answer
    from tamis.shelving import BuildSummary
    from tamis.store.library import LibraryStore


class Library:
    """Shelves, themes and cards made from a collection.

    Args:
        name: of the collection.
        app: the engine to use; a new one with the user's settings when None.
    """

    def __init__(self, name: str, app: Tamis | None = None) -> None:
        self.name = name
        self._app = app or Tamis()
        self._open = ExitStack()
        self._view: GraphView | None = None
        self._searched: LibraryStore | None = None

    def build(
        self,
        facet: str = "",
        *,
        ontology: Path | str | None = None,
        only: Sequence[str] = (),
        use_llm: bool = True,
        progress: Progress | None = None,
    ) -> BuildSummary:
        """Build the library, or what is missing of it; what did not change is left alone.

        Args:
            facet: only this one; empty for all.
            ontology: a file to build it from, whatever settings say; empty for shelves from the texts. Without a
                facet, it makes one that is called like the file.
            only: these steps; all when empty.
            use_llm: False makes extractive cards.
            progress: listens.

        Raises:
            UnknownCollectionError: no such collection.
            UnknownNameError: no such facet or step.
            UsageError: an ontology that cannot be read, or one that is called like another facet.
            BusyStoreError: another process is building.
        """
        from tamis.shelving import STEPS, build

        self.close()
        with self._app.store.reader(self.name) as reader, self._app.store.library(self.name, writing=True) as library:
            return build(
                self.name,
                app=self._app,
                reader=reader,
                library=library,
                progress=progress or Silence(),
                facet=facet,
                ontology=None if ontology is None else str(ontology),
                only=only or STEPS,
                use_llm=use_llm,
            )

    def drop(self, facet: str) -> dict[str, int]:
        """Forget a facet with its cards; it stays away until a build names it.

        Args:
            facet: its name.

        Returns:
            How many ``shelves``, ``themes`` and ``cards`` went.

        Raises:
            UnknownCollectionError: no such collection.
            UnknownNameError: no such facet.
            BusyStoreError: another process is building.
        """
        from tamis.shelving import drop

        self.close()
        with self._app.store.library(self.name, writing=True) as library:
            return drop(library, facet)

    def embed(self) -> None:
        """Make sure that every passage has a vector of the model in use.

        Raises:
            EmbeddingMismatchError: they come from another; `Collection.reembed` makes new ones.
        """
        with self._app.store.reader(self.name):
            pass

    def build_entities(self, facet: str = "") -> BuildSummary:
        """Link what the passages name to the terms of ontologies (L2)."""
        return self.build(facet, only=["build_entities"])

    def build_layer_a(self, facet: str = "") -> BuildSummary:
        """Make the shelves (L3)."""
        return self.build(facet, only=["build_layer_a"])

    def attach(self, facet: str = "") -> BuildSummary:
        """Put the passages on the shelves (L3)."""
        return self.build(facet, only=["attach"])

    def build_layer_b(self, facet: str = "") -> BuildSummary:
        """Find the themes of every shelf (L4)."""
        return self.build(facet, only=["build_layer_b"])

    def build_layer_c(self, facet: str = "", *, use_llm: bool = True) -> BuildSummary:
        """Write the cards (L5-L9)."""
        return self.build(facet, only=["build_layer_c"], use_llm=use_llm)

    def built(self, facet: str = "") -> Self:
        """The library itself, where there is something to read in it.

        Args:
            facet: has to be there too; empty for any.

        Raises:
            UnknownCollectionError: no such collection.
            UsageError: nothing was built yet.
            UnknownNameError: the library has no such facet.
        """
        there, without = self.graph.facets(), self.without_shelves()
        if not there and without:
            why = "; ".join(f"{name}: {reason}" for name, reason in without.items())
            raise UsageError(f"the library of {self.name} has no shelf: {why}", fix=self._again)
        if not there:
            raise UsageError(f"{self.name} has no library yet", fix=f"`tamis build --name {self.name}` makes one")
        if facet in without:
            raise UsageError(f"the facet {facet!r} of {self.name} has no shelf: {without[facet]}", fix=self._again)
        if facet and facet not in there:
            raise UnknownNameError(
                f"the library of {self.name} has no facet {facet!r}", fix=f"it has {', '.join(there)}"
            )
        return self

    @property
    def _again(self) -> str:
        return f"`tamis build --name {self.name}` tries again"

    def without_shelves(self) -> dict[str, str]:
        """Facets that were built and have no shelf: name → why."""
        from tamis.shelving import facets_of

        graph = self.graph.graph
        return {name: why for name in facets_of(graph) if (why := graph.noted(f"{name}:why"))}

    @property
    def graph(self) -> GraphView:
        """The library to walk through, as it stood when it was first asked for; `close` lets go of it."""
        if self._view is None:
            from tamis.library.view import GraphView

            reader = self._open.enter_context(self._app.store.reader(self.name))
            library = self._open.enter_context(self._app.store.library(self.name))
            self._view = GraphView(library.graph, reader, self._open)
        return self._view

    def waiting(self) -> int:
        """How many shelves and themes have no card because a build did not come to its end."""
        from tamis.library.audit import waiting

        with self._app.store.library(self.name) as library:
            return waiting(library)

    def search_cards(
        self, text: str, k: int = 10, *, facet: str = "", quality: EvidenceQuality | None = None, safe: bool = False
    ) -> list[tuple[Card, float]]:
        """Cards by meaning, best first, each with its cosine; of a shelf that is one theme, the theme's alone.

        Args:
            text: what to look for.
            k: most cards.
            facet: only of this one.
            quality: only of this evidence quality.
            safe: leave out cards that are flagged for review.

        Raises:
            UnknownCollectionError: no such collection.
        """
        from tamis.library.cards import without_twins

        # Kept open: reading all vectors again costs more than the search, and the index sees itself what changed.
        if self._searched is None:
            self._searched = self._open.enter_context(self._app.store.library(self.name))
        library = self._searched
        vector = self._app.embedder.queries([text])[0]
        # Twice as many, since at worst every second is the card of a shelf that is one theme; read only as needed.
        found = iter(library.index.search(vector, 2 * k, facet=facet, quality=quality, safe=safe))
        cards: list[tuple[Card, float]] = []
        while some := list(islice(found, k - len(cards))):
            read = [(card, score) for about, score in some if (card := library.graph.card(about)) is not None]
            cards = without_twins([*cards, *read])
        if not cards and not library.graph.facets():
            # Nothing was built yet; it may be by the next time.
            self.close()
        return cards

    def is_weak(self, text: str, card: Card, score: float) -> bool:
        """Whether a card is near by chance: no nearer than foreign questions come, and none of the words is in it.

        Args:
            text: what was looked for.
            card: found.
            score: its cosine.
        """
        from tamis.library.cards import shares_word

        return score < self._app.settings.answer.foreign_similarity and not shares_word(text, card)

    def query(self, question: str, *, use_llm: bool = True, progress: Progress | None = None) -> Answer:
        """A cited answer over cards and passages together; every claim is cited to passages, never to a card."""
        return self._app.scroll(question, name=self.name, use_llm=use_llm, cards=True, progress=progress)

    def audit(self) -> Audit:
        """Check every invariant between collection, graph and cards index (L11)."""
        from tamis.library.audit import audit
        from tamis.library.present import Present

        with self._app.store.reader(self.name) as reader, self._app.store.library(self.name) as library:
            present = Present(reader)
            return audit(library, exists=present.exists, hash_at=present.hash_at)

    def export_graphml(self, path: Path | str) -> int:
        """Write shelves, themes, cards and passages as GraphML.

        Returns:
            How many passages were left out because the collection has them no more.
        """
        from tamis.library.export import write_graphml

        with self._app.store.reader(self.name) as reader, self._app.store.library(self.name) as library:
            return write_graphml(library.graph, reader, Path(path))

    def export_html(self, path: Path | str) -> int:
        """Write the library as one HTML page that needs no server and no other file.

        Returns:
            How many passages were left out because the collection has them no more, or they read otherwise.
        """
        from tamis.render.library import write_html

        with self._app.store.reader(self.name) as reader, self._app.store.library(self.name) as library:
            return write_html(self.name, library.graph, reader, Path(path))

    def close(self) -> None:
        """Let go of the files that `graph` and `search_cards` hold open."""
        self._view = self._searched = None
        self._open.close()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
