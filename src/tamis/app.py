"""The app: wires settings to parts. Doors call it; it has no logic of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis.errors import DiskError, StoreError, UnknownCollectionError
from tamis.schema.progress import Progress, Silence

if TYPE_CHECKING:
    from tamis.collection import Collection
    from tamis.digest.digest import Digester
    from tamis.models.protocols import Embedder, EntityRecogniser, Reranker
    from tamis.recheck import Verification
    from tamis.schema.document import Page
    from tamis.schema.question import Interpretation
    from tamis.schema.report import Answer
    from tamis.settings import Settings
    from tamis.store.nouns import CollectionInfo
    from tamis.store.protocols import Store


def data_folder() -> Path:
    """Where collections live: ``TAMIS_HOME``, else the platform's data folder."""
    named = os.environ.get("TAMIS_HOME")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("tamis")


class Tamis:
    """One configured engine. Parts are built when first used and kept.

    Args:
        settings: everything that can be set; read from files and environment when None.
        home: the data folder; `data_folder` when None.
    """

    def __init__(self, settings: Settings | None = None, home: Path | None = None) -> None:
        if settings is None:
            from tamis.settings_files import load_settings

            settings = load_settings().settings
        self.settings = settings
        self.home = home or data_folder()

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model that the settings name."""
        from tamis.models.embedder import load_embedder

        return load_embedder(self.settings.embedding)

    @cached_property
    def reranker(self) -> Reranker:
        """The cross-encoder that reads what reduction left."""
        from tamis.models.reranker import load_reranker

        return load_reranker(threads=self.settings.embedding.threads)

    @cached_property
    def recogniser(self) -> EntityRecogniser:
        """The entity recogniser."""
        from tamis.models.ner import load_recogniser

        return load_recogniser()

    @cached_property
    def question_recogniser(self) -> EntityRecogniser:
        """Finds the names in a question; loads no model, and reads names typed without capitals."""
        from tamis.models.gazetteer import load_question_recogniser

        return load_question_recogniser()

    @cached_property
    def digester(self) -> Digester:
        """Turns documents into what is stored of them."""
        from tamis.digest.digest import Digester

        return Digester(self.embedder, self.recogniser, self.settings)

    @cached_property
    def store(self) -> Store:
        """Where collections live."""
        from tamis.store.sqlite import SqliteStore

        return SqliteStore(self.home, self.settings.store, self.embedder.identity)

    @cached_property
    def shelf(self) -> Store:
        """The same collections, without asking which model made their vectors: to list, show and delete."""
        from tamis.store.sqlite import SqliteStore

        return SqliteStore(self.home, self.settings.store)

    def collection(self, name: str) -> Collection:
        """A handle on a collection; nothing is opened yet."""
        from tamis.collection import Collection

        return Collection(name, self)

    def collections(self) -> list[CollectionInfo]:
        """What there is and can be read, ascending by name."""
        return [found for _, found in self._listed() if not isinstance(found, StoreError)]

    def damaged(self) -> list[tuple[str, StoreError]]:
        """Names of the collections that cannot be read, and why."""
        return [(name, found) for name, found in self._listed() if isinstance(found, StoreError)]

    def _listed(self) -> Iterator[tuple[str, CollectionInfo | StoreError]]:
        for name in self.shelf.names():
            try:
                yield name, self.collection(name).info()
            except UnknownCollectionError:
                # Deleted by somebody since its name was read.
                continue
            except StoreError as error:
                yield name, error

    def check_home(self) -> None:
        """See whether the data folder can be used; one that does not exist yet can, where it can be made.

        Raises:
            DiskError: it cannot.
        """
        missing = [folder for folder in (self.home, *self.home.absolute().parents) if not os.path.lexists(folder)]
        try:
            if missing:
                missing[-1].mkdir()
                missing[-1].rmdir()
            else:
                os.scandir(self.home).close()
        except OSError as error:
            raise DiskError(
                f"the data folder {self.home} cannot be {'made' if missing else 'read'}: {error.strerror}",
                fix="set TAMIS_HOME to a folder of yours, or check its permissions and place",
            ) from error

    def delete(self, name: str) -> None:
        """Remove a collection.

        Raises:
            UnknownCollectionError: no such collection.
        """
        self.shelf.delete(name)

    def interpret(self, question: str) -> Interpretation:
        """What a question asks for, found without a model call (A2)."""
        from tamis.plan.interpret import interpret

        return interpret(
            question,
            embedder=self.embedder,
            recogniser=self.question_recogniser,
            settings=self.settings.interpret,
        )

    def page(self, target: str, *, allow_hosts: Sequence[str] = ()) -> Page:
        """What tamis reads in a page or file.

        Raises:
            AcquireError: it cannot be had or read.
        """
        from tamis.intake import read_one

        return read_one(target, self.settings, allow_hosts=allow_hosts)

    def scroll(
        self,
        question: str,
        *,
        name: str | None = None,
        vibe: str | None = None,
        limit: int = 30,
        use_llm: bool = True,
        explain: bool = False,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        language: str | None = None,
        cards: bool = False,
        progress: Progress | None = None,
    ) -> Answer:
        """Ask one collection, or several separated by commas, and get a checked, cited answer.

        Args:
            question: what to ask.
            name: collection names, comma-separated.
            vibe: a mood that leans the ranking, in any words.
            limit: most documents considered.
            use_llm: False answers with extracts alone.
            explain: fill in what each signal contributed to each item.
            max_cost: refuse above this bound.
            max_tokens: refuse above this bound.
            language: of the answer, ISO 639-1; the question's by default.
            cards: read what the nearest cards of the library quote, too.
            progress: listens.

        Raises:
            UsageError: no collection named, or an empty question.
            UnknownCollectionError: no such collection.
            BoundExceededError: the bound is above what is allowed; nothing was spent.
        """
        from tamis.ask import Request, ask

        request = Request(
            question=question,
            names=_names(name),
            vibe=vibe,
            limit=limit,
            use_llm=use_llm,
            explain=explain,
            max_cost=max_cost,
            max_tokens=max_tokens,
            language=language,
            cards=cards,
        )
        return ask(request, self, progress or Silence())

    def verify(self, report: Mapping[str, Any], *, name: str | None = None) -> Verification:
        """Check a saved `scroll --json` report again, offline (C2).

        Args:
            report: the parsed JSON.
            name: the collections it was asked of, comma-separated; their stored text is then compared too.

        Raises:
            UsageError: not such a report.
            UnknownCollectionError: no such collection.
        """
        from tamis.recheck import recheck

        return recheck(report, self, _names(name))

    def demo(self, *, progress: Progress | None = None) -> Answer:
        """Build the shipped example collection if it is not there yet, and ask it its first question."""
        from tamis.example import NAME, QUESTIONS, documents_folder

        with documents_folder() as folder:
            self.collection(NAME).ingest([folder], by_name=True, progress=progress)
        return self.scroll(QUESTIONS[0], name=NAME, progress=progress)


def _names(listed: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (listed or "").split(",") if part.strip())


def scroll(question: str, *, name: str | None = None, **options: object) -> Answer:
    """Ask with the user's settings: `Tamis().scroll`."""
    return Tamis().scroll(question, name=name, **options)  # type: ignore[arg-type]
