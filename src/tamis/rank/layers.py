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
        brought: layer → (N,) whether it brought a document.
        floors: signal → what counts as 0 when its scores are scaled: the cosine at which the vector layer ends.
        passages: every chunk that full text or embeddings brought, ascending.
    """

    ids: tuple[str, ...]
    chunks: tuple[str, ...]
    text: Scores
    vector: Scores
    profile: Scores
    brought: Mapping[Via, npt.NDArray[np.bool_]]
    floors: Mapping[str, float]
    passages: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many documents."""
        return len(self.ids)

    def via(self, row: int) -> tuple[Via, ...]:
        """The layers that brought a document."""
        return tuple(name for name in LAYERS if self.brought[name][row])

    def matches(self) -> dict[str, int]:
        """Layer → how many documents it brought."""
        return {name: int(self.brought[name].sum()) for name in LAYERS}


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


def asked_parts(question: Interpretation) -> list[str]:
    """What is searched: the subqueries, the question itself where there are none."""
    return [text for text in question.subqueries if text.strip()] or [question.question]


def make_probe(question: Interpretation, *, embedder: Embedder, recogniser: EntityRecogniser | None) -> Probe:
    """Analyse and embed a question.

    Args:
        question: its subqueries are searched, the question itself where there are none.
        embedder: must be the collection's.
        recogniser: finds the keys of the entities; without one there is no profile layer.
    """
    asked = asked_parts(question)
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
    probe: Probe,
    reader: CollectionReader,
    rank: RankSettings,
    entities: EntitySettings,
    layers: Sequence[Via],
    *,
    near: Sequence[str] = (),
) -> Pool:
    """Ask the layers and fold their chunks into documents.

    Args:
        probe: what to look for.
        reader: the collection.
        rank: depths and BM25F's numbers.
        entities: floors of the profile layer.
        layers: which ones to ask.
        near: chunks of an earlier pass; the vector layer then compares these and what full text brings, not all.
    """
    text = _text_layer(probe, reader, rank) if "text" in layers else {}
    vector: dict[str, float] = {}
    floor = 0.0
    if "vector" in layers and near:
        vector, floor = _compared(probe, reader, sorted({*near, *text}), rank.candidates)
    elif "vector" in layers:
        vector, floor = _vector_layer(probe, reader, rank.candidates)
    profile = _profile_layer(probe, reader, rank, entities) if "profile" in layers else {}
    passages = tuple(sorted({*text, *vector}))
    owners = [owner(chunk) for chunk in passages]
    ids = tuple(sorted({*owners, *profile}))
    place = {name: row for row, name in enumerate(ids)}
    rows = np.array([place[name] for name in owners], dtype=np.int64)
    by_text, by_vector = _known(passages, text), _known(passages, vector)
    together = _scaled(by_text, 0.0) * rank.bm25_weight + _scaled(by_vector, floor) * (1.0 - rank.bm25_weight)
    scores: dict[Via, Scores] = {
        "text": _folded(by_text, rows, len(ids)),
        "vector": _folded(by_vector, rows, len(ids)),
        "profile": _known(ids, profile),
    }
    return Pool(
        ids=ids,
        chunks=_best_chunks(passages, rows, together, len(ids)),
        text=scores["text"],
        vector=_with_profile_items(ids, scores["vector"], profile, probe, reader),
        profile=scores["profile"],
        brought={name: ~np.isnan(values) for name, values in scores.items()},
        floors={"bm25": 0.0, "query": floor},
        passages=passages,
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


def _compared(probe: Probe, reader: CollectionReader, chunks: Sequence[str], k: int) -> tuple[dict[str, float], float]:
    """Chunk → cosine with the best subquery for the k nearest of some chunks, and the last of them."""
    if not chunks:
        return {}, 0.0
    cosines = similarity(probe.vectors, reader.vectors(chunks))
    nearest = np.argsort(-cosines, kind="stable")[:k]
    names = [chunks[at] for at in nearest.tolist()]
    return dict(zip(names, cosines[nearest].tolist(), strict=True)), float(cosines[nearest[-1]])


def _keep_best(scores: dict[str, float], hits: Hits, scale: float) -> None:
    values = (hits.scores.astype(np.float64) * scale).tolist()
    if not scores:
        scores.update(zip(hits.ids, values, strict=True))
        return
    for name, value in zip(hits.ids, values, strict=True):
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


def _known(names: Sequence[str], scores: Mapping[str, float]) -> Scores:
    """(N,) the score of each name, NaN where there is none."""
    return np.array([scores.get(name, np.nan) for name in names], dtype=np.float64)


def _scaled(values: Scores, floor: float) -> Scores:
    """Known values from 0 at the floor to 1 at the highest; 0 where unknown."""
    known = values[~np.isnan(values)]
    width = float(known.max()) - floor if len(known) else 0.0
    result: Scores = np.maximum(np.nan_to_num(values, nan=floor) - floor, 0.0) / (width if width > 0 else 1.0)
    return result


def _folded(values: Scores, rows: npt.NDArray[np.int64], size: int) -> Scores:
    """The best of the known values that belong to each of ``size`` documents."""
    best = np.full(size, np.nan)
    np.fmax.at(best, rows, values)
    return best


def _best_chunks(passages: Sequence[str], rows: npt.NDArray[np.int64], scores: Scores, size: int) -> tuple[str, ...]:
    """The best chunk of each of ``size`` documents, ties by chunk id; empty where a document has none."""
    order = np.argsort(-scores, kind="stable")
    owners, first = np.unique(rows[order], return_index=True)
    chosen = [""] * size
    for row, at in zip(owners.tolist(), order[first].tolist(), strict=True):
        chosen[row] = passages[at]
    return tuple(chosen)


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
