"""Passages that matching cards stand on, brought into a ranking: a card is never cited, what it quotes is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tamis.models.protocols import Matrix
from tamis.rank.signals import similarity
from tamis.schema.document import owner
from tamis.schema.ranking import RankedItem, Ranking
from tamis.store.protocols import CollectionReader


def with_quoted(
    ranking: Ranking, chunk_ids: Sequence[str], question: Matrix, reader: CollectionReader, *, factor: float
) -> Ranking:
    """Mark the documents that cards quote, and place those that no layer found below the last.

    Args:
        ranking: so far.
        chunk_ids: passages that the nearest cards quote, the nearest card's first.
        question: (S, D) vectors of the subqueries.
        reader: the collection.
        factor: score of each document added, by that of the one above it.
    """
    best: dict[str, str] = {}
    for chunk_id in chunk_ids:
        best.setdefault(owner(chunk_id), chunk_id)
    items = [replace(item, via=(*item.via, "cards")) if item.document_id in best else item for item in ranking.items]
    known = {item.document_id for item in items}
    added = {owner: chunk_id for owner, chunk_id in best.items() if owner not in known}
    if added:
        cosines = similarity(question, reader.vectors(list(added.values()))).tolist()
        score = items[-1].score if items else 1.0
        for facts, chunk_id, cosine in zip(reader.signals(list(added)), added.values(), cosines, strict=True):
            score *= factor
            items.append(
                RankedItem(
                    rank=len(items) + 1,
                    document_id=facts.document_id,
                    title=facts.title,
                    url=facts.url,
                    score=round(score, 6),
                    similarity=round(cosine, 4),
                    via=("cards",),
                    chunk_id=chunk_id,
                )
            )
    return replace(ranking, items=tuple(items))
