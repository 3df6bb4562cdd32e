"""From ranked documents to evidence, without a model (K1-K4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Embedder, Matrix, Reranker
from tamis.reduce import vectors as remembered
from tamis.reduce.duplicates import unique
from tamis.reduce.evidence import answering, labelled, passages
from tamis.reduce.screening import Probe, Screen, probed, screened
from tamis.reduce.segments import Unit, content_weight, salience, segments_of, with_scores
from tamis.reduce.select import mmr, question_similarity, relevance
from tamis.schema.document import Chunk, Document
from tamis.schema.evidence import Evidence, Quarantined, Segment
from tamis.schema.ranking import RankedItem
from tamis.settings import ReduceSettings
from tamis.summarize.textrank import textrank

ChunksOf = Callable[[str], tuple[Sequence[Chunk], Matrix]]

_RANK_DISCOUNT = 0.02
"""Cosine a passage loses each time its document's rank doubles."""
_CODE_EMBEDDED = 240
_PROSE_EMBEDDED = 500
"""Characters that are embedded of a segment: long ones cost most and say what they are about early."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """What is left of the ranked documents.

    Attributes:
        evidence: in label order.
        segments: every candidate, grouped by document in rank order, in document order within.
        vectors: (N, D) of the segments.
        scores: (N,) how well each answers, comparable within one reduction.
        labels: (N,) the evidence each lies in, empty outside.
        answers: for each evidence, log-odds that it answers, relative to the best; 0 without a reranker.
        best: log-odds of the passage that answers best; 0 without a reranker.
        chosen: indices of the segments the evidence grew from, best first.
        stands_for: index → near-duplicates it stands for, kept out of ``chosen``.
        quarantine: passages kept out of everything above.
        compressed: items shortened to their central sentences first.
        dropped: reason → count.
    """

    evidence: tuple[Evidence, ...]
    segments: tuple[Segment, ...]
    vectors: Matrix
    scores: npt.NDArray[np.float32]
    labels: tuple[str, ...]
    answers: tuple[float, ...]
    best: float
    chosen: tuple[int, ...]
    stands_for: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    quarantine: tuple[Quarantined, ...] = ()
    compressed: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)

    def before(self, index: int) -> int | None:
        """The candidate right before a segment in its document, None at the first."""
        other = index - 1
        same = other >= 0 and self.segments[other].document_id == self.segments[index].document_id
        return other if same else None

    def after(self, index: int) -> int | None:
        """The candidate right after a segment in its document, None at the last."""
        other = index + 1
        same = other < len(self.segments) and self.segments[other].document_id == self.segments[index].document_id
        return other if same else None


def reduce(
    items: Sequence[RankedItem],
    documents: Mapping[str, Document],
    chunks_of: ChunksOf,
    *,
    query_vectors: Matrix,
    embedder: Embedder,
    settings: ReduceSettings,
    roundup: bool = False,
    screen: Screen,
    probe: Probe | None = None,
    topics: Mapping[str, str] | None = None,
    questions: Sequence[str] = (),
    reranker: Reranker | None = None,
) -> Reduction:
    """Reduce ranked documents to labelled evidence.

    Args:
        items: best first.
        documents: by id; only those of surviving items are looked up.
        chunks_of: document id → its chunks and their (len, D) vectors.
        query_vectors: (S, D), one per subquery.
        embedder: for the sentences of the passages that are read closely.
        settings: floors, limits and budgets.
        roundup: whether the question asks for many sources (K3's limit a domain).
        screen: sorts out passages that read like instructions (K5), before anything else sees them.
        probe: tells of their vectors which of those left are worded like instructions all the same; None passes all.
        topics: document id → topic.
        questions: the subqueries in words, for the reranker.
        reranker: reads the passages that are left; those far from the best answer go. None keeps them all.

    Returns:
        The evidence and everything it was chosen from.
    """
    dropped: Counter[str] = Counter()
    kept = _eligible(items, settings, roundup=roundup, dropped=dropped)
    read = _passages_to_read(kept, chunks_of, query_vectors, settings)
    pairs = [
        pair
        for item in kept
        if item.document_id in read.chunks
        for pair in segments_of(documents[item.document_id], read.chunks[item.document_id])
    ]
    passed = screened(pairs, documents, screen)
    documents = passed.documents
    close = _closely(
        passed.pairs,
        read,
        query_vectors=query_vectors,
        embedder=embedder,
        settings=settings,
        probe=probe,
        dropped=dropped,
    )
    segments = close.segments
    chosen, stands_for, compressed = _chosen(close, settings, dropped)
    grown = passages(segments, chosen, budget=settings.evidence_characters)
    ranges, answers, best = answering(
        segments, grown, documents, questions=questions, reranker=reranker, settings=settings
    )
    dropped["not an answer"] += len(grown) - len(ranges)
    via = {item.document_id: tuple(item.via) for item in kept}
    evidence, labels, odds = labelled(segments, ranges, answers, documents, topics=topics or {}, via=via)
    return Reduction(
        evidence=evidence,
        segments=segments,
        vectors=close.vectors,
        scores=close.scores,
        labels=labels,
        answers=odds,
        best=best,
        chosen=chosen,
        stands_for=stands_for,
        quarantine=tuple(sorted((*passed.quarantine, *close.refused), key=lambda one: (one.document_id, one.span))),
        compressed=compressed,
        dropped={reason: count for reason, count in sorted(dropped.items()) if count},
    )


@dataclass(frozen=True, slots=True)
class _Close:
    """The passages read sentence by sentence; arrays have one row a segment. What the probe refused stands apart."""

    segments: tuple[Segment, ...]
    refused: tuple[Quarantined, ...]
    vectors: Matrix
    near: npt.NDArray[np.float32]
    scores: npt.NDArray[np.float32]


def _closely(
    pairs: Sequence[tuple[Segment, Unit]],
    read: _Reading,
    *,
    query_vectors: Matrix,
    embedder: Embedder,
    settings: ReduceSettings,
    probe: Probe | None,
    dropped: Counter[str],
) -> _Close:
    pairs = _within_limit(pairs, read, settings.embedded_segments, dropped)
    bare = [segment for segment, _ in pairs]
    vectors = remembered.passages(embedder, [_embedded_text(segment) for segment in bare])
    allowed, refused = probed(bare, vectors, probe)
    bare, vectors = [bare[row] for row in allowed], vectors[allowed]
    near = question_similarity(query_vectors, vectors)
    weights = salience(bare, vectors, [read.centroids[segment.document_id] for segment in bare])
    content = np.array([content_weight(segment.text, segment.kind) for segment in bare], dtype=np.float32)
    owners = [segment.document_id for segment in bare]
    return _Close(
        segments=with_scores(bare, near, weights),
        refused=refused,
        vectors=vectors,
        near=near,
        scores=relevance(query_vectors, vectors, groups=owners, content=content),
    )


def _chosen(
    close: _Close, settings: ReduceSettings, dropped: Counter[str]
) -> tuple[tuple[int, ...], dict[int, tuple[int, ...]], int]:
    """The segments evidence grows from, best first; what each stands for; how many items were compressed."""
    segments, vectors, scores = close.segments, close.vectors, close.scores
    central, compressed = _compressed(segments, vectors, close.near, settings)
    dropped["not central to a long item"] += len(segments) - len(central)
    alone, stands_for = unique(
        [segments[index].text for index in central], vectors[central], scores[central], floor=settings.duplicate_cosine
    )
    pool = [central[index] for index in alone]
    dropped["near-duplicate"] += len(central) - len(pool)
    pool = _relevant(pool, close.near, settings, dropped)
    picked = mmr(scores[pool], vectors[pool], trade=settings.mmr_lambda, limit=settings.evidence_limit)
    owned = {central[owner]: tuple(central[other] for other in group) for owner, group in stands_for.items()}
    return tuple(pool[index] for index in picked), owned, compressed


def _relevant(
    pool: list[int], near: npt.NDArray[np.float32], settings: ReduceSettings, dropped: Counter[str]
) -> list[int]:
    """K3's floor once more, for segments: what stands in a relevant document may still be about something else."""
    if not pool:
        return []
    floor = _floor([float(near[index]) for index in pool], settings)
    kept = [index for index in pool if near[index] >= floor]
    dropped["segment below the relevance floor"] += len(pool) - len(kept)
    return kept


def _eligible(
    items: Sequence[RankedItem], settings: ReduceSettings, *, roundup: bool, dropped: Counter[str]
) -> list[RankedItem]:
    """K3: the relevance floor, and for roundups the limit a domain."""
    if not items:
        return []
    floor = _floor([item.similarity for item in items], settings)
    domains: Counter[str] = Counter()
    kept: list[RankedItem] = []
    for item in items:
        domain = urlsplit(item.url).hostname or ""
        if item.similarity < floor:
            dropped["below the relevance floor"] += 1
        elif roundup and domain and domains[domain] >= settings.domain_limit:
            dropped["domain limit"] += 1
        else:
            domains[domain] += 1
            kept.append(item)
    return kept


def _floor(similarities: Sequence[float], settings: ReduceSettings) -> float:
    """The cosine at the relevance floor, counted from what unrelated texts reach: no cosine here comes near 0."""
    best = max(similarities)
    return settings.unrelated_cosine + settings.relevance_floor * max(0.0, best - settings.unrelated_cosine)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Which passages are read closely, and what their vectors say."""

    chunks: Mapping[str, list[Chunk]]
    similarity: Mapping[str, float]
    centroids: Mapping[str, npt.NDArray[np.float32]]


def _passages_to_read(
    items: Sequence[RankedItem], chunks_of: ChunksOf, query_vectors: Matrix, settings: ReduceSettings
) -> _Reading:
    """The passages nearest to the question, whole documents never: their sentences are what costs time."""
    offers: list[tuple[float, int, int, Chunk]] = []
    similarity: dict[str, float] = {}
    centroids: dict[str, npt.NDArray[np.float32]] = {}
    for place, item in enumerate(items):
        chunks, vectors = chunks_of(item.document_id)
        if not chunks:
            continue
        near = question_similarity(query_vectors, vectors)
        centre = vectors.mean(axis=0)
        centroids[item.document_id] = centre / max(float(np.linalg.norm(centre)), 1e-12)
        discount = _RANK_DISCOUNT * float(np.log2(place + 1))
        best = sorted(range(len(chunks)), key=lambda row: (-float(near[row]), row))[: settings.passages_per_item]
        for row in best:
            similarity[chunks[row].chunk_id] = float(near[row])
            offers.append((float(near[row]) - discount, place, row, chunks[row]))
    offers.sort(key=lambda offer: (-offer[0], offer[1], offer[2]))
    chosen = sorted(offers[: settings.passages], key=lambda offer: (offer[1], offer[2]))
    read: dict[str, list[Chunk]] = {}
    for _, _, _, chunk in chosen:
        read.setdefault(chunk.document_id, []).append(chunk)
    return _Reading(read, similarity, centroids)


def _within_limit(
    pairs: Sequence[tuple[Segment, Unit]], read: _Reading, limit: int, dropped: Counter[str]
) -> list[tuple[Segment, Unit]]:
    """Keep whole passages, nearest first, while their segments fit what may be embedded."""
    sizes = Counter(segment.chunk_id for segment, _ in pairs)
    room = limit
    kept: set[str] = set()
    for chunk_id in sorted(sizes, key=lambda name: (-read.similarity[name], name)):
        if sizes[chunk_id] <= room:
            kept.add(chunk_id)
            room -= sizes[chunk_id]
    out = [pair for pair in pairs if pair[0].chunk_id in kept]
    dropped["beyond what is read closely"] += len(pairs) - len(out)
    return out


def _embedded_text(segment: Segment) -> str:
    """What stands for a segment; code and tables are known by their heading and first lines."""
    if segment.kind in ("code", "table"):
        return "\n".join([*segment.headings[-1:], segment.text[:_CODE_EMBEDDED]])
    return segment.text[:_PROSE_EMBEDDED]


def _compressed(
    segments: Sequence[Segment], vectors: Matrix, near: npt.NDArray[np.float32], settings: ReduceSettings
) -> tuple[list[int], int]:
    """K1: of items with many candidate sentences, the central ones and those nearest to the question."""
    groups: dict[str, list[int]] = {}
    for index, segment in enumerate(segments):
        groups.setdefault(segment.document_id, []).append(index)
    kept: list[int] = []
    compressed = 0
    for group in groups.values():
        if len(group) <= settings.compress_above:
            kept += group
            continue
        compressed += 1
        rank = textrank(
            vectors[group],
            edge_floor=settings.edge_floor,
            damping=settings.damping,
            iterations=settings.iterations,
            prior=np.clip(near[group], 0.0, None),
        )
        kept += [group[row] for row in sorted(np.argsort(-rank, kind="stable")[: settings.compress_above].tolist())]
    return sorted(kept), compressed
