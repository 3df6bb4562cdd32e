"""Entity profiles: one vector a document, saying which entities it is about (E2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

import numpy as np

from tamis.models.protocols import Matrix, Vector
from tamis.schema.entity import EntityCount
from tamis.settings import EntitySettings


def entity_weight(entity: EntityCount, *, documents: int, frequency: int, settings: EntitySettings) -> float:
    """TF·IDF·confidence·type.

    TF = 1 + ln(mentions); IDF = ln((N + 1) / (df + 1)) + 1; confidence in [floor, 1].

    Args:
        entity: as the document knows it.
        documents: N, of the collection.
        frequency: df, documents that mention it.
        settings: weights of the types and the floor of confidence.
    """
    tf = 1.0 + log(entity.mentions)
    idf = log((documents + 1) / (frequency + 1)) + 1.0
    confidence = min(max(entity.confidence, settings.confidence_floor), 1.0)
    return tf * idf * confidence * settings.type_weights.get(entity.label, 1.0)


def document_frequencies(documents: Sequence[Sequence[EntityCount]]) -> Counter[str]:
    """How many documents mention each entity."""
    return Counter(entity.key for entities in documents for entity in entities)


def profile(
    entities: Sequence[EntityCount],
    vectors: Mapping[str, Vector],
    *,
    documents: int,
    frequencies: Mapping[str, int],
    settings: EntitySettings,
) -> Vector | None:
    """L2(Σ entity embedding · weight), (D,); None for a document without entities.

    Args:
        entities: of the document.
        vectors: entity key → embedding.
        documents: of the collection.
        frequencies: see `document_frequencies`.
        settings: see `entity_weight`.
    """
    if not entities:
        return None
    weights = [
        entity_weight(entity, documents=documents, frequency=frequencies[entity.key], settings=settings)
        for entity in entities
    ]
    # In float64, by key: the sum must not depend on who was mentioned first.
    order = sorted(range(len(entities)), key=lambda at: entities[at].key)
    stacked = np.stack([vectors[entities[at].key].astype(np.float64) for at in order])
    total = (stacked * np.array([weights[at] for at in order])[:, None]).sum(axis=0)
    result: Vector = (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)
    return result


def profiles(
    documents: Sequence[tuple[str, Sequence[EntityCount]]], vectors: Mapping[str, Vector], settings: EntitySettings
) -> tuple[tuple[str, ...], Matrix]:
    """Profiles of a whole collection: the ids of documents that have one, and their (K, D) vectors."""
    frequencies = document_frequencies([entities for _, entities in documents])
    ids: list[str] = []
    rows: list[Vector] = []
    for document_id, entities in documents:
        row = profile(entities, vectors, documents=len(documents), frequencies=frequencies, settings=settings)
        if row is not None:
            ids.append(document_id)
            rows.append(row)
    return tuple(ids), np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)
