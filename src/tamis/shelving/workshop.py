"""What every step of a build works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from tamis.models.llm.ledger import CallLedger
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
        why: facet → why it has no shelf.
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
    why: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(
        cls, app: Tamis, reader: CollectionReader, library: LibraryStore, progress: Progress, *, use_llm: bool
    ) -> Self:
        """Read the collection."""
        progress.stage("reading")
        return cls(app, read_corpus(reader), library, progress, CallLedger(), use_llm)
