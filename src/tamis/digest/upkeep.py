"""Keeping a collection well: what is whole is kept, what is not is made again from the texts."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain

from tamis.digest.digest import Digester
from tamis.digest.finish import finish
from tamis.errors import EmbeddingMismatchError
from tamis.models.protocols import Embedder
from tamis.schema.progress import Progress
from tamis.settings import Settings
from tamis.store.nouns import Health
from tamis.store.protocols import Rescue, Store


def repair(name: str, store: Store, digester: Digester, settings: Settings, progress: Progress) -> tuple[Health, str]:
    """Save what can be saved of a damaged collection, and bring what is derived from it up to date.

    Args:
        name: of the collection.
        store: where it lies.
        digester: of the model in use.
        settings: see `salvage`.
        progress: listens.

    Returns:
        How it was found, and where the damaged database is kept, empty where it did not have to be replaced.

    Raises:
        UnknownCollectionError: no such collection.
        BusyStoreError: another process is writing.
    """
    with store.rescue(name) as rescue:
        salvage(rescue, digester, settings, progress)
        health, aside = rescue.health, rescue.kept_aside
    if health.derived and not aside:
        # With another model in use, nothing can be derived before the collection is embedded with it.
        with suppress(EmbeddingMismatchError), store.writer(name) as writer:
            finish(writer, digester.embedder, settings)
    return health, aside


def backfill(name: str, store: Store, embedder: Embedder, settings: Settings) -> None:
    """Bring entity profiles, near-duplicates and calibration up to date (E4); no passage is embedded again.

    Raises:
        UnknownCollectionError: no such collection.
        EmbeddingMismatchError: the vectors come from another model.
        BusyStoreError: another process is writing.
    """
    # A writer would make a collection that is not there.
    store.reader(name).close()
    with store.writer(name) as writer:
        finish(writer, embedder, settings, everything=True)


def salvage(rescue: Rescue, digester: Digester, settings: Settings, progress: Progress) -> None:
    """Save what a damaged collection still holds.

    Where the database itself is in order, what is derived from it is built again. Otherwise its documents move, one by
    one, into a new one that takes its place when it is complete.

    Args:
        rescue: of the collection.
        digester: for documents whose text can be read, but not everything digested from it.
        settings: those of `finish`.
        progress: listens.
    """
    progress.stage("examining")
    health = rescue.health
    if health.sound:
        return
    if not (health.problem or health.partial or health.lost or health.unknown or health.other):
        progress.stage("indexing")
        rescue.rebuild()
        return
    progress.stage("saving", len(health.whole) + len(health.partial))
    with rescue.replaced() as writer:
        for stored in chain(rescue.stored(), digester.digest_many(rescue.texts(), progress)):
            writer.put(stored)
            progress.advance(1, stored.document.title or stored.document.document_id)
        progress.stage("indexing")
        finish(writer, digester.embedder, settings)
