"""Repairing a collection: what is whole is kept, what is not is made again from the texts."""

from __future__ import annotations

from itertools import chain

from tamis.digest.digest import Digester
from tamis.digest.finish import finish
from tamis.schema.progress import Progress
from tamis.settings import Settings
from tamis.store.protocols import Rescue


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
