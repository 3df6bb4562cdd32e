"""Ranking a collection for a question: three layers, six signals, one order (R1-R5, E3, E4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from tamis.models.protocols import Embedder, EntityRecogniser, Vector
from tamis.rank.explain import shares
from tamis.rank.fusion import Fused, Signals, fuse
from tamis.rank.layers import Pool, Probe, make_probe, quoted_phrases, search_layers
from tamis.rank.recipes import Recipe, find_recipe, weight_row
from tamis.rank.refine import refined
from tamis.rank.related import related
from tamis.rank.signals import cosines, freshness, similarity
from tamis.rank.smooth import smoothed
from tamis.rank.snippet import snippet
from tamis.schema.question import Interpretation
from tamis.schema.ranking import RankedItem, Ranking, SignalShare, Via
from tamis.settings import Settings, WeightRow
from tamis.store.nouns import DocumentSignals, Rows
from tamis.store.protocols import CollectionReader

_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
JUDGED = 5
"""Passages at the top of the first pass by which a question is judged answerable."""


def retrieve(
    question: Interpretation,
    *,
    reader: CollectionReader,
    embedder: Embedder,
    recogniser: EntityRecogniser | None,
    settings: Settings,
    recipe: str = "auto",
    limit: int = 30,
    vibe: Vector | None = None,
    now: datetime | None = None,
    explain: bool = False,
    enrich: bool = True,
    snippets: int | None = None,
) -> Ranking:
    """Rank the documents of a collection.

    Args:
        question: interpreted; its subqueries are searched.
        reader: a snapshot of the collection.
        embedder: the one the collection was made with.
        recogniser: for the profile layer; None leaves it out.
        settings: weights, depths and floors.
        recipe: ``bm25``, ``dense``, ``rrf``, ``convex`` or ``auto``.
        limit: most documents, related ones via entities not counted.
        vibe: (D,) target of the vibe signal, None for none.
        now: the clock, zone-aware; without it there is no freshness.
        explain: compute for every item where it would stand without each signal.
        enrich: add related items below the last (E3).
        snippets: how many of the first items get one; by default the settings say.

    Returns:
        The ranking. Same inputs, same bytes.

    Raises:
        UnknownNameError: no such recipe.
    """
    how = find_recipe(recipe)
    snippets = settings.rank.snippets if snippets is None else snippets
    row = weight_row(question.query_type, settings.rank)
    probe = make_probe(question, embedder=embedder, recogniser=recogniser if "profile" in how.layers else None)
    first = probe = _insisting(probe, question, reader)

    def ranked(probe: Probe, near: Rows | None = None) -> tuple[Pool, Signals, Fused]:
        pool = search_layers(probe, reader, settings.rank, settings.entities, how.layers, near=near)
        signals = gather_signals(pool, reader, settings, how, row, vibe=vibe, now=now, explain=explain)
        return pool, signals, fuse(how.contributions(signals, row, pool.floors, settings.rank), pool.size)

    pool, signals, fused = ranked(probe)
    spoken = "text" not in how.layers or bool(pool.matches()["text"])
    opening = reader.chunk_ids(_best_chunks(pool, fused, JUDGED))
    if how.refines:
        if settings.rank.feedback_items:
            vouched = smoothed(fused, pool.chunks, reader, settings.rank, depth=settings.rank.feedback_depth)
            best = _best_chunks(pool, vouched, settings.rank.feedback_items)
            probe = refined(probe, best, reader, settings.rank)
        if probe is not first:
            pool, signals, fused = ranked(probe, pool.passages)
        fused = smoothed(fused, pool.chunks, reader, settings.rank, depth=settings.rank.neighbour_depth)
    places = fused.order[:limit].tolist()
    parts = shares(signals, fused, places, explain=explain)
    items = _items(pool, places, fused, parts, first, reader, snippets=snippets)
    widens = enrich and "profile" in how.layers and first.within is None
    extra = _related(items, first, reader, settings, snippets=snippets) if widens else []
    return Ranking(
        items=(*items, *extra),
        recipe=how.name,
        layers=pool.matches(),
        related=len(extra),
        terms=_printed_terms(probe),
        opening=opening,
        nearness=_nearness(first, opening, reader),
        notes=_notes(question, first, spoken=spoken),
    )


def _insisting(probe: Probe, question: Interpretation, reader: CollectionReader) -> Probe:
    """The probe, kept to the chunks that hold what is quoted, where there are any."""
    phrases = quoted_phrases(question.question)
    rows = reader.phrase_rows(phrases) if phrases else _NO_ROWS
    return replace(probe, within=rows) if len(rows) else probe


def _notes(question: Interpretation, probe: Probe, *, spoken: bool) -> tuple[str, ...]:
    """What a reader should know of a ranking.

    Args:
        question: interpreted.
        probe: kept to what is quoted, or not.
        spoken: full text brought something, or was not asked.
    """
    found = []
    if probe.within is None and (phrases := quoted_phrases(question.question)):
        quoted = " and ".join(f'"{phrase}"' for phrase in phrases)
        found.append(f"no passage holds {quoted} word for word; looked for the words")
    if not spoken:
        found.append("no passage holds a word of this; what follows is the nearest in meaning")
    return tuple(found)


def _best_chunks(pool: Pool, fused: Fused, count: int) -> Rows:
    """The chunks of the best documents that have one."""
    rows = pool.chunks[fused.order[:count]]
    return rows[rows >= 0]


def _nearness(probe: Probe, chunks: Sequence[str], reader: CollectionReader) -> tuple[float, ...]:
    """For each subquery: its cosine with the nearest of some chunks, less its cosine with just anything."""
    if not chunks:
        return ()
    vectors, background = reader.vectors(chunks), np.array(reader.calibration.background, dtype=np.float32)
    anything = cosines(probe.vectors, background) if len(background) else np.zeros(len(probe.vectors))
    return tuple(
        round(float(cosines(vectors, row).max() - base), 6) for row, base in zip(probe.vectors, anything, strict=True)
    )


def gather_signals(
    pool: Pool,
    reader: CollectionReader,
    settings: Settings,
    how: Recipe,
    row: WeightRow,
    *,
    vibe: Vector | None,
    now: datetime | None,
    explain: bool,
) -> Signals:
    """The signals of every candidate, in the order of the weight table; those that weigh nothing only to explain."""
    values = {"bm25": pool.text, "query": pool.vector}
    if how.name == "rrf" or explain:
        facts = reader.signals(reader.document_ids(pool.documents))
        published = [entry.published for entry in facts]
        values["freshness"] = freshness(published, now, half_life_hours=settings.rank.half_life_hours)
        values["authority"] = np.array([entry.authority for entry in facts], dtype=np.float64)
        values["quality"] = np.array([entry.quality for entry in facts], dtype=np.float64)
    if vibe is not None and row.vibe > 0:
        values["vibe"] = _vibe(pool, reader, vibe)
    names = ("bm25", "freshness", "authority", "query", "vibe", "quality")
    return {name: values[name] for name in names if name in values}


def _vibe(pool: Pool, reader: CollectionReader, target: Vector) -> np.typing.NDArray[np.float64]:
    result = np.full(pool.size, np.nan)
    known = np.flatnonzero(pool.chunks >= 0)
    if len(known):
        result[known] = cosines(reader.vectors_at(pool.chunks[known]), target)
    return result


def _items(
    pool: Pool,
    places: Sequence[int],
    fused: Fused,
    parts: Sequence[Mapping[str, SignalShare]],
    probe: Probe,
    reader: CollectionReader,
    *,
    snippets: int,
) -> list[RankedItem]:
    names = reader.document_ids(pool.documents[places])
    found = [
        (name, reader.chunk_ids(pool.chunks[[at]])[0] if pool.chunks[at] >= 0 else "", pool.via(at), fused.scores[at])
        for name, at in zip(names, places, strict=True)
    ]
    items = _described(found, probe, reader, snippets=snippets)
    return [replace(item, signals=part) for item, part in zip(items, parts, strict=True)]


def _described(
    found: Sequence[tuple[str, str, tuple[Via, ...], float]],
    probe: Probe,
    reader: CollectionReader,
    *,
    snippets: int,
) -> list[RankedItem]:
    """Items with title, URL, similarity to the question as asked, and a snippet.

    Args:
        found: (document id, chunk id or empty, layers, score), best first.
        probe: the question before any refinement: what a reader is shown is measured against what was asked.
        reader: the collection.
        snippets: how many of the first get a snippet.
    """
    if not found:
        return []
    chunk_ids = _complete([(name, chunk) for name, chunk, _, _ in found], probe, reader)
    facts: list[DocumentSignals] = reader.signals([name for name, _, _, _ in found])
    named = [chunk for chunk in chunk_ids if chunk]
    shown = [chunk for chunk in chunk_ids[:snippets] if chunk]
    texts = dict(zip(shown, (chunk.text for chunk in reader.chunks(shown)), strict=True))
    cosine = dict(zip(named, similarity(probe.vectors, reader.vectors(named)).tolist(), strict=True)) if named else {}
    wanted = {term: boost for part in probe.terms for term, boost in part.items()}
    return [
        RankedItem(
            rank=place,
            document_id=name,
            title=fact.title,
            url=fact.url,
            score=round(float(score), 6),
            similarity=round(cosine.get(chunk, 0.0), 4),
            via=via,
            chunk_id=chunk,
            snippet=snippet(texts[chunk], wanted) if chunk in texts else "",
        )
        for place, ((name, _, via, score), chunk, fact) in enumerate(zip(found, chunk_ids, facts, strict=True), start=1)
    ]


def _complete(found: Sequence[tuple[str, str]], probe: Probe, reader: CollectionReader) -> list[str]:
    """The chunk of each document; where no layer named one, the most similar one, empty for documents without text."""
    chosen = []
    for name, chunk in found:
        rows = _NO_ROWS if chunk else reader.rows_of(reader.document_rows([name]))
        if len(rows):
            best = int(np.argmax(similarity(probe.vectors, reader.vectors_at(rows))))
            (chunk,) = reader.chunk_ids(rows[[best]])
        chosen.append(chunk)
    return chosen


def _related(
    items: Sequence[RankedItem], probe: Probe, reader: CollectionReader, settings: Settings, *, snippets: int
) -> list[RankedItem]:
    best = [item.document_id for item in items[: settings.entities.related_from]]
    found = related(reader, best, frozenset(item.document_id for item in items), settings.entities)
    score = items[-1].score if items else 0.0
    entries: list[tuple[str, str, tuple[Via, ...], float]] = []
    for name, _ in found:
        score *= settings.entities.related_factor
        entries.append((name, "", ("entities",), score))
    return [
        replace(item, rank=len(items) + item.rank)
        for item in _described(entries, probe, reader, snippets=min(snippets, len(entries)))
    ]


def _printed_terms(probe: Probe) -> tuple[tuple[str, float], ...]:
    """Query terms with their boosts, highest first."""
    boosts: dict[str, float] = {}
    for part in probe.terms:
        for term, boost in part.items():
            boosts[term] = max(boost, boosts.get(term, 0.0))
    return tuple(sorted(((t, round(b, 4)) for t, b in boosts.items()), key=lambda entry: (-entry[1], entry[0])))
