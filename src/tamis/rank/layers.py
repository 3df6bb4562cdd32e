"""Three-layer retrieval: the union of full text, embeddings and, with two or more entities, entity profiles (E3, E4).

Layers answer in chunks, ranking is about documents: a document is worth its best chunk in each layer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tamis.digest.names import embed_names
from tamis.models.protocols import Embedder, EntityRecogniser, Matrix, Vector
from tamis.rank.signals import similarity
from tamis.schema.question import LONGEST_QUESTION, Interpretation
from tamis.schema.ranking import Via
from tamis.settings import EntitySettings, RankSettings
from tamis.store.nouns import FieldWeights, Rows
from tamis.store.protocols import CollectionReader
from tamis.text.tokens import terms, words

Scores = npt.NDArray[np.float64]
LAYERS: tuple[Via, ...] = ("text", "vector", "profile")
_QUOTED = re.compile(r'"([^"]{0,200})"|[“„]([^“”„"]{0,200})[”“]')
NOWHERE = -1
"""Stands for the row of a chunk that no layer named."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What is looked for, one entry a subquery.

    Attributes:
        terms: analysed term → boost, by subquery.
        vectors: (S, D) their embeddings.
        entities: keys of the entities in the question, in order, none twice.
        profile: (D,) what the question is about by its entities, None with fewer than two.
        within: rows of the only chunks that may be brought: those that hold what was quoted; None for all.
    """

    terms: tuple[Mapping[str, float], ...]
    vectors: Matrix
    entities: tuple[str, ...] = ()
    profile: Vector | None = None
    within: Rows | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """The union of the layers, over N documents in ascending order of their row, which is that of their id.

    Attributes:
        documents: (N,) document rows.
        chunks: (N,) row of the best chunk of each, `NOWHERE` where no layer names one.
        text: (N,) BM25F, NaN where the full-text layer did not bring it.
        vector: (N,) cosine with the best subquery, NaN likewise.
        profile: (N,) cosine with the question's profile, or shared entities; NaN likewise.
        brought: layer → (N,) whether it brought a document.
        floors: signal → what counts as 0 when its scores are scaled: the cosine at which the vector layer ends.
        passages: rows of every chunk that full text or embeddings brought, ascending.
    """

    documents: Rows
    chunks: Rows
    text: Scores
    vector: Scores
    profile: Scores
    brought: Mapping[Via, npt.NDArray[np.bool_]]
    floors: Mapping[str, float]
    passages: Rows

    @property
    def size(self) -> int:
        """How many documents."""
        return len(self.documents)

    def via(self, place: int) -> tuple[Via, ...]:
        """The layers that brought a document."""
        return tuple(name for name in LAYERS if self.brought[name][place])

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
    near: Rows | None = None,
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
    text = _text_layer(probe, reader, rank) if "text" in layers else _NOTHING
    if probe.within is not None:
        text, near = text.among(probe.within), probe.within
    vector, floor = _NOTHING, 0.0
    if "vector" in layers and near is not None and len(near):
        vector, floor = _compared(probe, reader, _union(near, text.rows), rank.candidates)
    elif "vector" in layers:
        vector, floor = _vector_layer(probe, reader, rank.candidates)
    profile = _profile_layer(probe, reader, rank, entities) if "profile" in layers else _NOTHING
    if probe.within is not None:
        profile = profile.among(_union(reader.owners(probe.within)))
    passages = _union(text.rows, vector.rows)
    owners = reader.owners(passages)
    documents = _union(owners, profile.rows)
    places = np.searchsorted(documents, owners)
    by_text, by_vector = text.at(passages), vector.at(passages)
    together = _scaled(by_text, 0.0) * rank.bm25_weight + _scaled(by_vector, floor) * (1.0 - rank.bm25_weight)
    scores: dict[Via, Scores] = {
        "text": _folded(by_text, places, len(documents)),
        "vector": _folded(by_vector, places, len(documents)),
        "profile": profile.at(documents),
    }
    return Pool(
        documents=documents,
        chunks=_best_chunks(passages, places, together, len(documents)),
        text=scores["text"],
        vector=_with_profile_items(documents, scores["vector"], profile, probe, reader),
        profile=scores["profile"],
        brought={name: ~np.isnan(values) for name, values in scores.items()},
        floors={"bm25": 0.0, "query": floor},
        passages=passages,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What a layer brought: (K,) rows, ascending, and their scores."""

    rows: Rows
    scores: Scores

    def at(self, rows: Rows) -> Scores:
        """The scores of ascending rows, NaN where this layer did not bring one."""
        if not len(self.rows):
            return np.full(len(rows), np.nan)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[places] == rows, self.scores[places], np.nan)

    def among(self, rows: Rows) -> _Found:
        """Those of some rows alone."""
        kept = np.isin(self.rows, rows)
        return _Found(self.rows[kept], self.scores[kept])


def _union(*parts: Rows) -> Rows:
    """All the rows once, ascending."""
    rows = np.sort(np.concatenate(parts), kind="stable")
    return rows[_firsts(rows)]


def _firsts(ascending: Rows) -> npt.NDArray[np.bool_]:
    """Whether each value differs from the one before it."""
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def quoted_phrases(question: str) -> tuple[str, ...]:
    """The phrases in double quotation marks, in order, none twice: "…" must be found word for word.

    One quoted word keeps its distance from the word more often than it insists on it ("organic" chicken), and a text
    too long for a question quotes as texts do.
    """
    if len(question.split()) > LONGEST_QUESTION:
        return ()
    found = (match[1] or match[2] or "" for match in _QUOTED.finditer(question))
    return tuple(dict.fromkeys(" ".join(text.split()) for text in found if len(words(text)) > 1))


_NOTHING = _Found(np.zeros(0, dtype=np.int64), np.zeros(0))


def _united(parts: Sequence[tuple[Rows, Scores]]) -> _Found:
    """Every row with the best of its scores."""
    if len(parts) == 1:
        rows, scores = parts[0]
        order = np.argsort(rows)
        return _Found(rows[order], scores[order])
    rows = _union(*(part[0] for part in parts))
    best = np.full(len(rows), -np.inf)
    for some, scores in parts:
        at = np.searchsorted(rows, some)
        best[at] = np.maximum(best[at], scores)
    return _Found(rows, best)


def _text_layer(probe: Probe, reader: CollectionReader, rank: RankSettings) -> _Found:
    """Chunks by BM25F. With several subqueries each is scaled to the best one's level, and the maximum counts."""
    answers = [reader.search_text(dict(part), rank.candidates, weights=field_weights(rank)) for part in probe.terms]
    tops = [float(hits.scores[0]) if len(hits.scores) else 0.0 for hits in answers]
    highest = max(tops, default=0.0)
    return _united(
        [
            (hits.rows, hits.scores.astype(np.float64) * (highest / top if top > 0 else 0.0))
            for hits, top in zip(answers, tops, strict=True)
        ]
    )


def _vector_layer(probe: Probe, reader: CollectionReader, k: int) -> tuple[_Found, float]:
    """Chunks by cosine with the best subquery, and the cosine a layer ends at."""
    answers = [reader.search_vectors(row, k) for row in probe.vectors]
    ends = [float(hits.scores[-1]) for hits in answers if len(hits.scores)]
    return _united([(hits.rows, hits.scores.astype(np.float64)) for hits in answers]), min(ends, default=0.0)


def _compared(probe: Probe, reader: CollectionReader, rows: Rows, k: int) -> tuple[_Found, float]:
    """The k nearest of some chunks by cosine with the best subquery, and the last of these cosines."""
    cosines = similarity(probe.vectors, reader.vectors_at(rows))
    nearest = np.argsort(-cosines, kind="stable")[:k]
    return _united([(rows[nearest], cosines[nearest])]), float(cosines[nearest[-1]])


def _profile_layer(probe: Probe, reader: CollectionReader, rank: RankSettings, entities: EntitySettings) -> _Found:
    """Documents by cosine of their profile; where the collection has none, by the number of shared entities (E4)."""
    if probe.profile is None:
        return _NOTHING
    hits = reader.search_profiles(probe.profile, rank.profile_candidates, floor=entities.profile_floor)
    if not len(hits.rows):
        hits = reader.search_entities(probe.entities, minimum=entities.shared_minimum)
    most = rank.profile_candidates
    return _united([(hits.rows[:most], hits.scores[:most].astype(np.float64))])


def _scaled(values: Scores, floor: float) -> Scores:
    """Known values from 0 at the floor to 1 at the highest; 0 where unknown."""
    known = values[~np.isnan(values)]
    width = float(known.max()) - floor if len(known) else 0.0
    result: Scores = np.maximum(np.nan_to_num(values, nan=floor) - floor, 0.0) / (width if width > 0 else 1.0)
    return result


def _folded(values: Scores, places: Rows, size: int) -> Scores:
    """The best of the known values that belong to each of ``size`` documents; ``places`` ascend."""
    best = np.full(size, np.nan)
    if len(places):
        starts = np.flatnonzero(_firsts(places))
        best[places[starts]] = np.fmax.reduceat(values, starts)
    return best


def _best_chunks(passages: Rows, places: Rows, scores: Scores, size: int) -> Rows:
    """The best chunk of each of ``size`` documents, ties by row; `NOWHERE` where a document has none."""
    chosen = np.full(size, NOWHERE)
    best = np.flatnonzero(scores == _folded(scores, places, size)[places])
    best = best[_firsts(places[best])]
    chosen[places[best]] = passages[best]
    return chosen


def _with_profile_items(
    documents: Rows, values: Scores, profile: _Found, probe: Probe, reader: CollectionReader
) -> Scores:
    """Give documents that only the profile layer knows their cosine with the question."""
    missing = documents[np.isnan(values) & np.isin(documents, profile.rows)]
    rows = reader.rows_of(missing)
    if not len(rows):
        return values
    cosines = similarity(probe.vectors, reader.vectors_at(rows))
    best: Scores = np.fmax(values, _folded(cosines, np.searchsorted(documents, reader.owners(rows)), len(documents)))
    return best
