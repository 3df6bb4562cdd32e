"""One collection: the Python surface of filling, searching and keeping it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.schema.progress import Progress, Silence

if TYPE_CHECKING:
    from tamis.acquire.outcome import CrawlSummary
    from tamis.app import Tamis
    from tamis.intake import IngestSummary
    from tamis.schema.evidence import Quarantined
    from tamis.schema.ranking import Ranking
    from tamis.store.nouns import CollectionInfo, Health


class Collection:
    """A named local knowledge base.

    Args:
        name: lower-case letters, digits, ``.``, ``_`` and ``-``.
        app: the engine to use; a new one with the user's settings when None.
    """

    def __init__(self, name: str, app: Tamis | None = None) -> None:
        if app is None:
            from tamis.app import Tamis

            app = Tamis()
        self.name = name
        self._app = app

    def ingest(
        self, paths: Sequence[Path | str], *, by_name: bool = False, progress: Progress | None = None
    ) -> IngestSummary:
        """Read files and folders into the collection; what did not change is left alone, what is gone is taken out.

        Args:
            paths: files and folders.
            by_name: take a file for the stored one of the same name below its folder, wherever that one lay, and take
                nothing out.
            progress: listens.

        Raises:
            UsageError: a path that does not exist, or nothing readable in it.
            BusyStoreError: another process is writing.
        """
        from tamis.intake import ingest

        app = self._app
        with app.store.writer(self.name) as writer:
            return ingest(
                [Path(path) for path in paths],
                writer=writer,
                digester=app.digester,
                settings=app.settings,
                progress=progress or Silence(),
                by_name=by_name,
            )

    def forget(self, document_ids: Sequence[str]) -> int:
        """Remove single documents, by their ids; a file or page that is read again comes back.

        Returns:
            How many.

        Raises:
            UnknownCollectionError: no such collection.
            UnknownNameError: no such document; then none is removed.
            BusyStoreError: another process is writing.
        """
        from tamis.intake import forget

        app = self._app
        # Opening for writing would make a collection that is not there.
        with app.store.reader(self.name):
            pass
        with app.store.writer(self.name) as writer:
            return forget(document_ids, writer=writer, embedder=app.embedder, settings=app.settings)

    def crawl(
        self,
        url: str,
        *,
        depth: int | None = None,
        max_pages: int | None = None,
        delay: float | None = None,
        concurrency: int | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        allow_hosts: Sequence[str] = (),
        force: bool = False,
        progress: Progress | None = None,
    ) -> CrawlSummary:
        """Read a site into the collection; a second time, only what changed (N1, N2).

        Args:
            url: the start page.
            depth: most clicks from it.
            max_pages: most pages stored.
            delay: seconds between requests; adapts to the site when None.
            concurrency: requests under way at once.
            include: globs of which a URL must match one.
            exclude: globs of which a URL may match none.
            allow_hosts: hosts whose private or loopback addresses may be fetched.
            force: read every page again, changed or not.
            progress: listens.

        Raises:
            RefusedAddressError: the guard refused the start page.
            BusyStoreError: another process is writing.
        """
        from tamis.acquire.breaker import BreakerFile
        from tamis.acquire.request import CrawlRequest
        from tamis.intake import crawl

        request = CrawlRequest(
            url, depth, max_pages, delay, concurrency, tuple(include), tuple(exclude), tuple(allow_hosts), force
        )
        app = self._app
        with app.store.writer(self.name) as writer:
            return crawl(
                request,
                writer=writer,
                digester=app.digester,
                settings=app.settings,
                breaker=BreakerFile(app.home / "breaker.json"),
                progress=progress or Silence(),
            )

    def search(self, query: str, k: int = 10, *, recipe: str = "auto", explain: bool = False) -> Ranking:
        """Ranked documents, no writing.

        Args:
            query: what to look for.
            k: most documents; related ones (E3) come last and count, so they appear where fewer than k match.
            recipe: ``bm25``, ``dense``, ``rrf``, ``convex`` or ``auto``.
            explain: compute where each document would stand without each signal.

        Raises:
            UnknownCollectionError: no such collection.
            UnknownNameError: no such recipe.
        """
        from tamis.ask import search

        with self._app.store.reader(self.name) as reader:
            return search(query, reader=reader, app=self._app, recipe=recipe, limit=k, explain=explain)

    def run(
        self, queries: Mapping[str, str], k: int = 1000, *, recipe: str = "auto", progress: Progress | None = None
    ) -> dict[str, list[tuple[str, float]]]:
        """Rank many questions: query id → (document id, score), best first, at most k, none merely related."""
        from tamis.ask import search

        listener = progress or Silence()
        listener.stage("searching", len(queries))
        found: dict[str, list[tuple[str, float]]] = {}
        with self._app.store.reader(self.name) as reader:
            for key, text in queries.items():
                ranking = search(text, reader=reader, app=self._app, recipe=recipe, limit=k, enrich=False)
                found[key] = [(item.document_id, item.score) for item in ranking.items]
                listener.advance()
        return found

    def evaluate(
        self,
        queries: Mapping[str, str],
        qrels: Mapping[str, Mapping[str, int]],
        recipes: Sequence[str],
        *,
        progress: Progress | None = None,
    ) -> list[dict[str, float | str]]:
        """Measure recipes against judged questions: one row each with nDCG@10, MRR@10, R@100."""
        from tamis.rank.measure import evaluate

        judged = {key: text for key, text in queries.items() if key in qrels}
        return [
            {"recipe": recipe, **evaluate(self.run(judged, recipe=recipe, progress=progress), qrels)}
            for recipe in recipes
        ]

    def info(self) -> CollectionInfo:
        """Counts, sources and the identity of the vectors."""
        with self._app.shelf.reader(self.name) as reader:
            return reader.info

    def quarantine(self) -> tuple[Quarantined, ...]:
        """What of the stored text reads like an order to a model, and so is kept out of every prompt (K5)."""
        from tamis.check.quarantine import screen_document

        with self._app.shelf.reader(self.name) as reader:
            return tuple(entry for document in reader.iter_documents() for entry in screen_document(document))

    def examine(self) -> Health:
        """Look at every document and at everything derived; changes nothing.

        Raises:
            UnknownCollectionError: no such collection.
        """
        return self._app.shelf.examine(self.name)

    def repair(self, *, progress: Progress | None = None) -> tuple[Health, str]:
        """Save what can be saved of a damaged collection.

        Returns:
            How it was found, and where the damaged database is kept, empty where it did not have to be replaced.

        Raises:
            UnknownCollectionError: no such collection.
            BusyStoreError: another process is writing.
        """
        from tamis.digest.upkeep import repair

        app = self._app
        return repair(self.name, app.store, app.digester, app.settings, progress or Silence())

    def backfill(self) -> None:
        """Bring entity profiles, near-duplicates and calibration up to date (E4); no passage is embedded again.

        Raises:
            UnknownCollectionError: no such collection.
            EmbeddingMismatchError: the vectors come from another model.
            BusyStoreError: another process is writing.
        """
        from tamis.digest.upkeep import backfill

        backfill(self.name, self._app.store, self._app.embedder, self._app.settings)

    def reembed(self, *, progress: Progress | None = None) -> None:
        """Embed everything again with the model now in settings; what already has its vectors is left alone.

        Raises:
            UnknownCollectionError: no such collection.
            BusyStoreError: another process is writing.
        """
        from tamis.digest.reembed import reembed

        app = self._app
        with app.store.reembedding(self.name) as reembedding:
            reembed(reembedding, app.embedder, app.settings, progress or Silence())
