"""Three-layer retrieval: the union of full text, embeddings and, with two or more entities, entity profiles (E3, E4).

Layers answer in chunks, ranking is about documents: a document is worth its best chunk in each layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tamis.digest.names import embed_names
from tamis.models.protocols import Embedder, EntityRecogniser, Matrix, Vector
from tamis.rank.signals import similarity
from tamis.schema.question import Interpretation
from tamis.schema.ranking import Via
from tamis.settings import EntitySettings, RankSettings
from tamis.store.protocols import CollectionReader, FieldWeights, Hits
from tamis.text.tokens import terms

Scores = npt.NDArray[np.float64]
LAYERS: tuple[Via, ...] = ("text", "vector", "profile")


@dataclass(frozen=True, slots=True)
class Probe:
    """What is looked for, one entry a subquery.

    Attributes:
        terms: analysed term → boost, by subquery.
        vectors: (S, D) their embeddings.
        entities: keys of the entities in the question, in order, none twice.
        profile: (D,) what the question is about by its entities, None with fewer than two.
    """

    terms: tuple[Mapping[str, float], ...]
    vectors: Matrix
    entities: tuple[str, ...] = ()
    profile: Vector | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """The union of the layers, over N documents in ascending order of their id.

    Attributes:
        ids: document ids.
        chunks: the best chunk of each, empty where no layer names one.
        text: (N,) BM25F, NaN where the full-text layer did not bring it.
        vector: (N,) cosine with the best subquery, NaN likewise.
        profile: (N,) cosine with the question's profile, or shared entities; NaN likewise.
        via: the layers that brought each document.
        floors: signal → what counts as 0 when its scores are scaled: the cosine at which the vector layer ends.
    """

    ids: tuple[str, ...]
    chunks: tuple[str, ...]
    text: Scores
    vector: Scores
    profile: Scores
    via: tuple[tuple[Via, ...], ...]
    floors: Mapping[str, float]

    @property
    def size(self) -> int:
        """How many documents."""
        return len(self.ids)

    def matches(self) -> dict[str, int]:
        """Layer → how many documents it brought."""
        return {name: sum(name in via for via in self.via) for name in LAYERS}


def field_weights(settings: RankSettings) -> FieldWeights:
    """BM25F's numbers as the store takes them."""
    return FieldWeights(
        k1=settings.k1,
        b=settings.b,
        title=settings.title_boost,
        headings=settings.heading_boost,
        body=settings.body_boost,
    )


def owner(chunk_id: str) -> str:
    """The document a chunk belongs to."""
    return chunk_id.rpartition("#c")[0]


def make_probe(question: Interpretation, *, embedder: Embedder, recogniser: EntityRecogniser | None) -> Probe:
    """Analyse and embed a question.

    Args:
        question: its subqueries are searched, the question itself where there are none.
        embedder: must be the collection's.
        recogniser: finds the keys of the entities; without one there is no profile layer.
    """
    asked = [text for text in question.subqueries if text.strip()] or [question.question]
    counted = []
    for text in asked:
        boosts: dict[str, float] = {}
        for term in terms(text):
            boosts[term] = boosts.get(term, 0.0) + 1.0
        counted.append(boosts)
    keys: tuple[str, ...] = ()
    profile: Vector | None = None
    if recogniser is not None and len(question.entities) >= 2:
        mentions = recogniser.mentions([question.question])[0]
        keys = tuple(dict.fromkeys(mention.key for mention in mentions))
        if len(keys) >= 2:
            profile = _unit(embed_names(keys, embedder).mean(axis=0))
    return Probe(tuple(counted), embedder.queries(asked), keys, profile)


def _unit(vector: npt.NDArray[np.float32]) -> Vector:
    return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)


def search_layers(
    probe: Probe, reader: CollectionReader, rank: RankSettings, entities: EntitySettings, layers: Sequence[Via]
) -> Pool:
    """Ask the layers and fold their chunks into documents.

    Args:
        probe: what to look for.
        reader: the collection.
        rank: depths and BM25F's numbers.
        entities: floors of the profile layer.
        layers: which ones to ask.
    """
    text = _text_layer(probe, reader, rank) if "text" in layers else {}
    vector, floor = _vector_layer(probe, reader, rank.candidates) if "vector" in layers else ({}, 0.0)
    profile = _profile_layer(probe, reader, rank, entities) if "profile" in layers else {}
    best = _best_chunks(text, vector, floor, rank.bm25_weight)
    ids = tuple(sorted({*best, *profile}))
    scores = {"text": _by_document(ids, text), "vector": _by_document(ids, vector)}
    scores["profile"] = np.array([profile.get(name, np.nan) for name in ids], dtype=np.float64)
    known = {name: ~np.isnan(values) for name, values in scores.items()}
    return Pool(
        ids=ids,
        chunks=tuple(best.get(name, "") for name in ids),
        text=scores["text"],
        vector=_with_profile_items(ids, scores["vector"], profile, probe, reader),
        profile=scores["profile"],
        via=tuple(tuple(name for name in LAYERS if known[name][row]) for row in range(len(ids))),
        floors={"bm25": 0.0, "query": floor},
    )


def _text_layer(probe: Probe, reader: CollectionReader, rank: RankSettings) -> dict[str, float]:
    """Chunk → BM25F. With several subqueries each is scaled to the best one's level, and the maximum counts."""
    answers = [reader.search_text(dict(part), rank.candidates, weights=field_weights(rank)) for part in probe.terms]
    tops = [float(hits.scores[0]) if hits.ids else 0.0 for hits in answers]
    scores: dict[str, float] = {}
    for hits, top in zip(answers, tops, strict=True):
        scale = max(tops) / top if top > 0 else 0.0
        _keep_best(scores, hits, scale)
    return scores


def _vector_layer(probe: Probe, reader: CollectionReader, k: int) -> tuple[dict[str, float], float]:
    """Chunk → cosine with the best subquery, and the cosine a layer ends at."""
    scores: dict[str, float] = {}
    ends = [1.0]
    for row in probe.vectors:
        hits = reader.search_vectors(row, k)
        _keep_best(scores, hits, 1.0)
        ends += [float(hits.scores[-1])] if hits.ids else []
    return scores, min(ends) if scores else 0.0


def _keep_best(scores: dict[str, float], hits: Hits, scale: float) -> None:
    for name, score in zip(hits.ids, hits.scores.tolist(), strict=True):
        value = score * scale
        if value > scores.get(name, -np.inf):
            scores[name] = value


def _profile_layer(
    probe: Probe, reader: CollectionReader, rank: RankSettings, entities: EntitySettings
) -> dict[str, float]:
    """Document → cosine of its profile; where the collection has none, the number of shared entities (E4)."""
    if probe.profile is None:
        return {}
    hits = reader.search_profiles(probe.profile, rank.profile_candidates, floor=entities.profile_floor)
    if not hits.ids:
        hits = reader.search_entities(probe.entities, minimum=entities.shared_minimum)
    found = zip(hits.ids[: rank.profile_candidates], hits.scores.tolist(), strict=False)
    return dict(found)


def _best_chunks(
    text: Mapping[str, float], vector: Mapping[str, float], floor: float, text_weight: float
) -> dict[str, str]:
    """Document → the chunk that is best by both layers together, ties by chunk id."""
    top_text = max(text.values(), default=0.0) or 1.0
    width = max(vector.values(), default=0.0) - floor or 1.0
    best: dict[str, tuple[float, str]] = {}
    for chunk in sorted({*text, *vector}):
        score = text_weight * text.get(chunk, 0.0) / top_text
        score += (1.0 - text_weight) * max(vector.get(chunk, floor) - floor, 0.0) / width
        name = owner(chunk)
        if name not in best or score > best[name][0]:
            best[name] = (score, chunk)
    return {name: chunk for name, (_, chunk) in best.items()}


def _by_document(ids: Sequence[str], scores: Mapping[str, float]) -> Scores:
    best: dict[str, float] = {}
    for chunk, score in scores.items():
        name = owner(chunk)
        if score > best.get(name, -np.inf):
            best[name] = score
    return np.array([best.get(name, np.nan) for name in ids], dtype=np.float64)


def _with_profile_items(
    ids: Sequence[str], values: Scores, profile: Mapping[str, float], probe: Probe, reader: CollectionReader
) -> Scores:
    """Give documents that only the profile layer knows their cosine with the question."""
    missing = [row for row, name in enumerate(ids) if name in profile and np.isnan(values[row])]
    if missing:
        values = values.copy()
        groups = reader.chunks_of([ids[row] for row in missing])
        for row, chunks in zip(missing, groups, strict=True):
            if chunks:
                vectors = reader.vectors([chunk.chunk_id for chunk in chunks])
                values[row] = float(similarity(probe.vectors, vectors).max())
    return values
