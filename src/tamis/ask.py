"""The ask walk: question ─ plan ─ rank ─ reduce ─ write ─ check ─ render.

Everything up to the writing happens without a language model. Data only moves forward: each step takes what the one
before returned, and nothing is kept between two runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tamis.errors import UsageError
from tamis.schema.progress import Progress
from tamis.schema.report import Answer, Sentence, SourceStatus, SupportSummary, Tier
from tamis.text.language import asked_language
from tamis.trace import interpret_facts, rank_facts, reduce_facts

if TYPE_CHECKING:
    from tamis.app import Tamis
    from tamis.models.llm.ledger import CallLedger
    from tamis.models.protocols import Matrix
    from tamis.rank.answerable import Verdict
    from tamis.reduce.reduce import Reduction
    from tamis.schema.document import Chunk, Document
    from tamis.schema.question import Interpretation
    from tamis.schema.ranking import RankedItem, Ranking
    from tamis.settings import AnswerSettings
    from tamis.store.protocols import CollectionReader
    from tamis.write.standard import Written


@dataclass(frozen=True, slots=True)
class Request:
    """What `scroll` was asked to do; see `tamis.app.Tamis.scroll`."""

    question: str
    names: tuple[str, ...]
    vibe: str | None = None
    limit: int = 30
    use_llm: bool = True
    explain: bool = False
    max_cost: float | None = None
    max_tokens: int | None = None
    language: str | None = None
    cards: bool = False


def search(
    query: str,
    *,
    reader: CollectionReader,
    app: Tamis,
    recipe: str = "auto",
    limit: int = 10,
    explain: bool = False,
    enrich: bool = True,
) -> Ranking:
    """Rank a collection's documents for a query, interpreted by rules alone.

    Args:
        query: what to look for.
        reader: the collection.
        app: its parts.
        recipe: how the layers are joined.
        limit: most documents, related ones included: those fill the places that the ranking left empty.
        explain: compute where each would stand without each signal.
        enrich: add related documents (E3) at all.
    """
    from tamis.plan.interpret import interpret
    from tamis.rank.retrieval import retrieve

    question = interpret(query, recogniser=app.question_recogniser, settings=app.settings.interpret)
    found = retrieve(
        question,
        reader=reader,
        embedder=app.embedder,
        recogniser=app.question_recogniser,
        settings=app.settings,
        recipe=recipe,
        limit=limit,
        explain=explain,
        enrich=enrich,
    )
    beyond = max(0, len(found.items) - limit)
    return replace(found, items=found.items[:limit], related=found.related - beyond)


def ask(request: Request, app: Tamis, progress: Progress) -> Answer:
    """Walk a question through the house.

    Raises:
        UsageError: no collection named, an empty question, or no such language.
        UnknownCollectionError: no such collection.
        BoundExceededError: the bound is above what the request allows; nothing was spent.
    """
    started = time.perf_counter()
    if not request.names:
        raise UsageError(
            "no collection is named", fix="add --name NAME; `tamis collections` lists them, `tamis ingest` makes one"
        )
    if request.language:
        request = replace(request, language=asked_language(request.language))
    with ExitStack() as stack:
        # Opened first: a name that is no collection is refused before any work.
        readers = {name: stack.enter_context(app.store.reader(name)) for name in request.names}
        progress.stage("interpreting")
        question = _interpreted(request, app)
        trace: list[tuple[str, Mapping[str, Any]]] = [("interpret", interpret_facts(question))]
        progress.stage("ranking")
        found = [_search_one(name, reader, question, request, app) for name, reader in readers.items()]
        trace += [("rank", rank_facts(one.name, one.ranking, one.verdict)) for one in found]
        base = Answer(
            question=question.question,
            interpretation=question,
            tier="none",
            markdown="",
            items=_merged(found, request.limit),
            sources=tuple(one.status for one in found),
            documents_total=sum(reader.info.documents for reader in readers.values()),
            notes=tuple(dict.fromkeys(note for one in found for note in one.ranking.notes)),
        )
        answering = [one for one in found if one.verdict.answered]
        if not answering:
            answer = _refused(base, found, app, request.names)
        else:
            answer = _answered(base, answering, request, app, progress, trace)
    progress.done()
    return replace(answer, trace=tuple(trace), seconds=round(time.perf_counter() - started, 3))


@dataclass(frozen=True, slots=True)
class _Found:
    """What one collection has to say."""

    name: str
    reader: CollectionReader
    ranking: Ranking
    verdict: Verdict
    status: SourceStatus


def _interpreted(request: Request, app: Tamis) -> Interpretation:
    question = app.interpret(request.question)
    return replace(question, language=request.language) if request.language else question


def _search_one(name: str, reader: CollectionReader, question: Interpretation, request: Request, app: Tamis) -> _Found:
    from tamis.rank.answerable import judge
    from tamis.rank.retrieval import retrieve

    started = time.perf_counter()
    ranking = retrieve(
        question,
        reader=reader,
        embedder=app.embedder,
        recogniser=app.question_recogniser,
        settings=app.settings,
        limit=request.limit,
        vibe=app.embedder.passages([request.vibe])[0] if request.vibe and request.vibe != "neutral" else None,
        explain=request.explain,
        snippets=0,
    )
    if request.cards:
        ranking = _with_cards(name, ranking, question, reader, app)
    verdict = judge(question, ranking, reader=reader, settings=app.settings, reranker=app.reranker)
    status = SourceStatus(name, "ok", items=len(ranking.items), seconds=round(time.perf_counter() - started, 3))
    return _Found(name, reader, ranking, verdict, status)


def _with_cards(name: str, ranking: Ranking, question: Interpretation, reader: CollectionReader, app: Tamis) -> Ranking:
    """The ranking with what the nearest cards quote; a card's passages may have changed since it was made."""
    from tamis.rank.quoted import with_quoted

    asked = app.embedder.queries(_asked(question))
    with app.store.library(name) as library:
        near = {about for row in asked for about, _ in library.index.search(row, app.settings.layer_c.query_cards)}
        cards = [card for about in sorted(near) if (card := library.graph.card(about))]
    quoted = dict.fromkeys(
        quote.chunk_id for card in cards for sentence in card.sentences for quote in sentence.quotes[:1]
    )
    there = [chunk_id for chunk_id in quoted if _is_there(chunk_id, reader)]
    return with_quoted(ranking, there, asked, reader, factor=app.settings.entities.related_factor)


def _is_there(chunk_id: str, reader: CollectionReader) -> bool:
    try:
        reader.chunk_rows([chunk_id])
    except KeyError:
        return False
    return True


def _merged(found: Sequence[_Found], limit: int) -> tuple[RankedItem, ...]:
    """One list: a single collection's as it is; several by similarity, which means the same in each of them."""
    if len(found) == 1:
        return found[0].ranking.items
    items = {item.document_id: item for one in reversed(found) for item in one.ranking.items}
    best = sorted(items.values(), key=lambda item: (-item.similarity, item.document_id))[:limit]
    return tuple(replace(item, rank=rank) for rank, item in enumerate(best, 1))


def _asked(question: Interpretation) -> tuple[str, ...]:
    """What is looked for, in words: the subqueries of a composite question, else the question."""
    return question.subqueries if question.composite else (question.question,)


def _reduced(base: Answer, answering: Sequence[_Found], app: Tamis) -> Reduction:
    from tamis.check.probe import probe_for
    from tamis.check.quarantine import screen
    from tamis.reduce.reduce import reduce

    owner = {item.document_id: one.reader for one in reversed(answering) for item in one.ranking.items}
    items = [item for item in base.items if item.document_id in owner]

    def chunks_of(document_id: str) -> tuple[Sequence[Chunk], Matrix]:
        (chunks,) = owner[document_id].chunks_of([document_id])
        return chunks, owner[document_id].vectors([chunk.chunk_id for chunk in chunks])

    question = base.interpretation
    probe = probe_for(app.embedder.identity)
    topics = {item.document_id: owner[item.document_id].signals([item.document_id])[0].topic for item in items}
    return reduce(
        items,
        _Documents(owner),
        chunks_of,
        query_vectors=app.embedder.queries(_asked(question)),
        embedder=app.embedder,
        settings=app.settings.reduce,
        roundup=question.query_type == "roundup",
        screen=screen,
        probe=probe.reasons if probe is not None else None,
        topics=topics,
        questions=_asked(question),
        reranker=app.reranker,
    )


class _Documents(Mapping[str, "Document"]):
    """Documents by id, read when looked up: most ranked ones never are."""

    def __init__(self, owner: Mapping[str, CollectionReader]) -> None:
        self._owner = owner
        self._read: dict[str, Document] = {}

    def __getitem__(self, document_id: str) -> Document:
        if document_id not in self._read:
            (self._read[document_id],) = self._owner[document_id].documents([document_id])
        return self._read[document_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._owner)

    def __len__(self) -> int:
        return len(self._owner)


def _answered(
    base: Answer,
    answering: Sequence[_Found],
    request: Request,
    app: Tamis,
    progress: Progress,
    trace: list[tuple[str, Mapping[str, Any]]],
) -> Answer:
    from tamis.render.answer import markdown

    progress.stage("reducing")
    reduction = _reduced(base, answering, app)
    trace.append(("reduce", reduce_facts(reduction)))
    base = replace(base, evidence=reduction.evidence, quarantine=reduction.quarantine)
    if not reduction.evidence or not _holds(reduction, answering, base.interpretation, app.settings.answer):
        return _refused(base, answering, app, request.names)
    progress.stage("writing")
    written, calls = _written(base, request, app)
    tier, checked, support, notes = _settled(written, base, reduction, app)
    if written and written.usable and tier != "model":
        calls.outcome(notes[-1])
    ledger = calls.closed()
    text, refs = markdown(checked, base.evidence)
    trace.append(("write", {"tier": tier, "sentences": len(checked), "calls": ledger.calls_total}))
    return replace(
        base,
        tier=tier,
        markdown=text,
        sentences=checked,
        references=tuple(ref.labels for ref in refs),
        ledger=ledger,
        support=support,
        notes=(*base.notes, *_never_mentioned(answering), *notes),
    )


def _never_mentioned(answering: Sequence[_Found]) -> tuple[str, ...]:
    """A note on words of the question that none of the collections holds: the answer may be about something like it."""
    unknown = [word for word in answering[0].verdict.unknown if all(word in one.verdict.unknown for one in answering)]
    if not unknown:
        return ()
    words = " or ".join(f'"{word}"' for word in unknown)
    return (f"{' and '.join(one.name for one in answering)} nowhere mention{'s' * (len(answering) == 1)} {words}",)


def _holds(
    reduction: Reduction, answering: Sequence[_Found], question: Interpretation, settings: AnswerSettings
) -> bool:
    """Whether the question still counts as answered once the passages that are left were read."""
    from tamis.rank.answerable import reread

    return any(reread(one.verdict, question, reduction.best, settings).answered for one in answering)


def _settled(
    written: Written | None, base: Answer, reduction: Reduction, app: Tamis
) -> tuple[Tier, tuple[Sentence, ...], SupportSummary, tuple[str, ...]]:
    """The checked draft: the model's where some of it holds, else extracts of the same evidence."""
    from tamis.check.ledger import check

    settings = app.settings.check
    notes = written.notes if written else ()
    removed: tuple[Sentence, ...] = ()
    unknown = written.unknown_labels if written else 0
    if written and written.usable:
        # A model may name what no evidence names; extracts cannot, and need no names found in them.
        checked, support = check(
            written.sentences,
            base.evidence,
            embedder=app.embedder,
            settings=settings,
            unknown_labels=unknown,
            recogniser=app.recogniser,
        )
        if support.supported or support.weak:
            return "model", checked, support, notes
        removed = (*support.removed, *checked)
        notes = (*notes, "nothing the model wrote is in the evidence; answered with extracts instead")
    extracts = _extracts(base, reduction, app)
    checked, support = check(extracts, base.evidence, embedder=app.embedder, settings=settings, unknown_labels=unknown)
    support = replace(support, removed=(*removed, *support.removed), dropped=support.dropped + len(removed))
    return "extractive", checked, support, notes


def _written(base: Answer, request: Request, app: Tamis) -> tuple[Written | None, CallLedger]:
    """What the main model makes of the evidence, in one call; None where no model is configured or wanted."""
    from tamis.check.quarantine import reason
    from tamis.models.llm import load_chat
    from tamis.models.llm.ledger import CallLedger
    from tamis.write.standard import write

    ledger = CallLedger(max_cost=request.max_cost, max_tokens=request.max_tokens)
    role = app.settings.llm.main
    model = load_chat(role) if request.use_llm else None
    if model is None:
        return None, ledger
    written = write(
        base.question,
        base.evidence,
        model=model,
        role=role,
        ledger=ledger,
        language=base.interpretation.language,
        sentences=app.settings.answer.sentences,
        suspicious=reason,
    )
    return written, ledger


def _extracts(base: Answer, reduction: Reduction, app: Tamis) -> tuple[Sentence, ...]:
    from tamis.write.extractive import compose
    from tamis.write.scoring import Material

    place = {item.label: number for number, item in enumerate(reduction.evidence)}
    rows = sorted(
        (row for row, label in enumerate(reduction.labels) if label), key=lambda r: place[reduction.labels[r]]
    )
    material = Material(
        evidence=reduction.evidence,
        segments=[reduction.segments[row] for row in rows],
        labels=[reduction.labels[row] for row in rows],
        vectors=reduction.vectors[rows],
        asked=app.embedder.queries(_asked(base.interpretation)),
        answers={item.label: odds for item, odds in zip(reduction.evidence, reduction.answers, strict=True)},
        documents={item.document_id: item.score for item in base.items},
    )
    return compose(base.interpretation, material, app.settings.answer, app.reranker)


def _refused(base: Answer, found: Sequence[_Found], app: Tamis, names: Sequence[str]) -> Answer:
    """The deficit report: nothing is written and no model is called."""
    from tamis.refusal import deficit
    from tamis.render.deficit import deficit_markdown

    best = max(found, key=lambda one: one.verdict.similarity)
    closest = best.ranking.items[0] if best.ranking.items else None
    why = deficit(base.question, names, closest, best.verdict, app=app)
    return replace(base, tier="none", evidence=(), markdown=deficit_markdown(why), deficit=why)
