"""Pseudo-relevance feedback: the best documents of a first pass refine the question, in both of its forms.

The terms that set these documents apart join the question's terms (a relevance model in the manner of RM3, Abdul-Jaleel
et al., TREC 2004), and the mean of their vectors joins its vector (Rocchio, 1971).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Vector
from tamis.rank.layers import Probe
from tamis.schema.document import Chunk
from tamis.settings import RankSettings
from tamis.store.nouns import Rows
from tamis.store.protocols import CollectionReader
from tamis.text.tokens import terms


def refined(probe: Probe, rows: Rows, reader: CollectionReader, settings: RankSettings) -> Probe:
    """The question, moved towards the best chunks of a first pass.

    Args:
        probe: with one subquery; the halves of a composite question would be moved towards each other.
        rows: of the best chunks, best first.
        reader: the collection.
        settings: weights and numbers of terms.
    """
    if len(probe.terms) != 1 or not len(rows):
        return probe
    chunks = reader.chunks(reader.chunk_ids(rows))
    titles = [entry.title for entry in reader.signals([chunk.document_id for chunk in chunks])]
    expanded = expand_terms(probe.terms[0], chunks, titles, reader, settings)
    vector = move(probe.vectors[0], reader.vectors_at(rows), settings.feedback_weight)
    return replace(probe, terms=(expanded,), vectors=vector[np.newaxis, :])


def move(query: Vector, best: Matrix, weight: float) -> Vector:
    """(1 - weight)·query + weight·mean of the best, at unit length."""
    mean = best.astype(np.float64).mean(axis=0)
    moved = (1.0 - weight) * query.astype(np.float64) + weight * mean
    result: npt.NDArray[np.float32] = (moved / max(float(np.sqrt((moved * moved).sum())), 1e-12)).astype(np.float32)
    return result


def expand_terms(
    asked: Mapping[str, float],
    chunks: Sequence[Chunk],
    titles: Sequence[str],
    reader: CollectionReader,
    settings: RankSettings,
) -> dict[str, float]:
    """The question's terms and the most telling terms of the best chunks, boosts summing to 1.

    Args:
        asked: term → boost.
        chunks: the best chunks.
        titles: of their documents.
        reader: knows how rare a term is.
        settings: how many terms, and their share.
    """
    counts = [_counted(chunk, title, settings) for chunk, title in zip(chunks, titles, strict=True)]
    seen = sorted(set().union(*counts))
    frequency = reader.document_frequency(seen)
    total = max(reader.info.chunks, 1)
    average = sum(sum(count.values()) for count in counts) / max(len(counts), 1) or 1.0
    weights: dict[str, float] = {}
    for term, df in zip(seen, frequency.tolist(), strict=True):
        rarity = float(np.log1p((total - df + 0.5) / (df + 0.5)))
        mean = sum(
            count[term] / (count[term] + settings.k1 * (1 - settings.b + settings.b * sum(count.values()) / average))
            for count in counts
            if term in count
        ) / len(counts)
        weights[term] = rarity * mean
    chosen = sorted(weights.items(), key=lambda entry: (-entry[1], entry[0]))[: settings.feedback_terms]
    return _mixed(asked, dict(chosen), settings.feedback_term_weight)


def _counted(chunk: Chunk, title: str, settings: RankSettings) -> dict[str, float]:
    counts: dict[str, float] = {}
    for text, boost in ((chunk.text, settings.body_boost), (title, settings.title_boost)):
        for term, count in Counter(terms(text)).items():
            counts[term] = counts.get(term, 0.0) + boost * count
    return counts


def _mixed(asked: Mapping[str, float], found: Mapping[str, float], share: float) -> dict[str, float]:
    own, other = sum(asked.values()) or 1.0, sum(found.values()) or 1.0
    mixed = {term: (1.0 - share) * boost / own for term, boost in asked.items()}
    for term, weight in found.items():
        mixed[term] = mixed.get(term, 0.0) + share * weight / other
    return mixed
