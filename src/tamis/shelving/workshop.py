"""What every step of a build works with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from tamis.models.llm.ledger import CallLedger
from tamis.models.protocols import Matrix, Vector
from tamis.schema.progress import Progress
from tamis.settings_library import FacetSettings
from tamis.shelving.corpus import Corpus, read_corpus

if TYPE_CHECKING:
    from tamis.app import Tamis
    from tamis.store.library import LibraryStore
    from tamis.store.protocols import CollectionReader


@dataclass(slots=True)
class Workshop:
    """One build under way.

    Attributes:
        app: settings and models.
        corpus: the collection.
        library: opened for writing.
        progress: listens.
        calls: of the model.
        use_llm: whether a model may word cards.
        facet: the one being built.
        how: it is built.
        made: facet → cards written so far.
        embedded: text → its vector, of sentences that were embedded before.
    """

    app: Tamis
    corpus: Corpus
    library: LibraryStore
    progress: Progress
    calls: CallLedger
    use_llm: bool = True
    facet: str = ""
    how: FacetSettings = field(default_factory=FacetSettings)
    made: dict[str, int] = field(default_factory=dict)
    embedded: dict[str, Vector] = field(default_factory=dict)

    @classmethod
    def open(
        cls, app: Tamis, reader: CollectionReader, library: LibraryStore, progress: Progress, *, use_llm: bool
    ) -> Self:
        """Read the collection."""
        progress.stage("reading")
        return cls(app, read_corpus(reader), library, progress, CallLedger(), use_llm)

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """(S, D) of some sentences; a shelf's card takes those of the cards below it."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self.embedded]
        self.embedded.update(zip(fresh, self.app.embedder.passages(fresh), strict=True))
        width = self.app.embedder.identity.dimensions
        return np.array([self.embedded[text] for text in texts], dtype=np.float32).reshape(len(texts), width)
