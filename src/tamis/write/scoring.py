"""How well each segment of the evidence answers, and how well it would open the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Reranker, Vector
from tamis.schema.evidence import Evidence, Segment
from tamis.schema.question import AnswerShape
from tamis.settings import AnswerSettings
from tamis.text.tokens import terms
from tamis.write.flaws import dangling, flaw
from tamis.write.shapes import fit

Scores = npt.NDArray[np.float64]

_LONGEST_CHAIN = 3
_UNFIT = 0.4
"""Flaws from which a sentence is not shown while there are others."""
_ANSWER_RANGE = 6.0
"""Log-odds below the best answer that count as no answer at all."""


@dataclass(frozen=True, slots=True)
class Material:
    """What an extractive answer is made of: the evidence, taken apart.

    Attributes:
        evidence: in label order.
        segments: (N,) of the evidence, in label order, then document order.
        labels: (N,) the evidence each lies in.
        vectors: (N, D) of the segments.
        asked: (S, D) of the subqueries, (1, D) of a question that is not composite.
        answers: label → log-odds that the evidence answers, relative to the best.
        documents: document id → fused score of its ranking.
    """

    evidence: Sequence[Evidence]
    segments: Sequence[Segment]
    labels: Sequence[str]
    vectors: Matrix
    asked: Matrix
    answers: Mapping[str, float]
    documents: Mapping[str, float]


class Reading:
    """What the cross-encoder makes of sentences, and of runs of them, under their heading.

    Args:
        question: in words.
        material: the sentences.
        reranker: reads.
    """

    def __init__(self, question: str, material: Material, reranker: Reranker) -> None:
        self._question = question
        self._material = material
        self._reranker = reranker
        self._titles = {item.label: item.title for item in material.evidence}
        self._top = 0.0

    def sentences(self, rows: Sequence[int]) -> Scores:
        """(N,) how far each sentence is below the best, in [-1, 0]; what is read later is measured by that one too."""
        odds = self._odds([[row] for row in rows])
        self._top = float(odds.max())
        return self._below(odds)

    def runs(self, runs: Sequence[Sequence[int]]) -> Scores:
        """(N,) how far each run of rows is below the best sentence, in [-1, 1]: it may say more than any sentence."""
        return self._below(self._odds(runs))

    def _odds(self, runs: Sequence[Sequence[int]]) -> Scores:
        return self._reranker.score(self._question, [self._text(run) for run in runs])

    def _below(self, odds: Scores) -> Scores:
        distance: Scores = np.clip((odds - self._top) / _ANSWER_RANGE, -1.0, 1.0)
        return distance

    def _text(self, run: Sequence[int]) -> str:
        segments = [self._material.segments[row] for row in run]
        head = segments[0].headings[-1:] or (self._titles[self._material.labels[run[0]]],)
        return ": ".join((*head, " ".join(segment.text for segment in segments)))


@dataclass(frozen=True, slots=True)
class Scored:
    """Material with what the choice needs; every array has one row a segment.

    Attributes:
        material: what is scored.
        base: how well a segment answers.
        opening: how well it would open the answer.
        focus: analysed terms of the question.
        fit: whether a segment can be shown on its own.
        read: how well each sentence answers by itself, in [-1, 0].
        reading: reads runs of them; None without a reranker.
    """

    material: Material
    base: Scores
    opening: Scores
    focus: frozenset[str]
    fit: npt.NDArray[np.bool_]
    read: Scores
    reading: Reading | None

    def segment(self, row: int) -> Segment:
        """The segment of a row."""
        return self.material.segments[row]

    def label(self, row: int) -> str:
        """The evidence a row lies in."""
        return self.material.labels[row]

    def prose(self) -> list[int]:
        """Rows of sentences and steps that can be shown; of all where none can."""
        rows = [row for row, segment in enumerate(self.material.segments) if segment.kind in {"prose", "step"}]
        return [row for row in rows if self.fit[row]] or rows

    def before(self, row: int) -> int | None:
        """The row right before, in the same evidence."""
        return row - 1 if row > 0 and self.label(row - 1) == self.label(row) else None

    def sentence_before(self, row: int) -> int | None:
        """The sentence before, in the same evidence; code and tables between them are passed over."""
        previous = self.before(row)
        while previous is not None and self.segment(previous).kind in {"code", "table"}:
            previous = self.before(previous)
        return previous if previous is not None and self.segment(previous).kind == "prose" else None

    def after(self, row: int) -> int | None:
        """The row right after, in the same evidence."""
        last = row + 1 == len(self.material.segments)
        return None if last or self.label(row + 1) != self.label(row) else row + 1

    def answers(self, row: int) -> float:
        """Log-odds, relative to the best, that the row's evidence answers."""
        return self.material.answers[self.label(row)]

    def nearness(self, row: int, others: Sequence[int]) -> float:
        """Highest cosine of a row with some others, 0 for none."""
        vectors = self.material.vectors
        return float((vectors[list(others)] @ vectors[row]).max()) if others else 0.0

    def leans(self, row: int) -> bool:
        """Whether the sentence cannot be understood without the one before."""
        return self.segment(row).kind == "prose" and dangling(self.segment(row).text)

    def chain(self, row: int) -> list[int] | None:
        """The sentence with those it leans on, in order; None where what it leans on is not there."""
        rows = [row]
        while self.leans(rows[0]):
            previous = self.sentence_before(rows[0])
            if previous is None or not self.fit[previous] or len(rows) == _LONGEST_CHAIN:
                return None
            rows.insert(0, previous)
        return rows


def _rarity(texts: Sequence[frozenset[str]], focus: frozenset[str]) -> dict[str, float]:
    """How much each question term tells apart within the evidence."""
    return {term: float(np.log1p(len(texts) / (1.0 + sum(term in text for text in texts)))) for term in focus}


def _coverage(held: frozenset[str], focus: frozenset[str], rarity: Mapping[str, float]) -> float:
    total = sum(rarity[term] for term in sorted(focus))
    return sum(rarity[term] for term in sorted(focus & held)) / total if total else 0.0


def _introduces(segments: Sequence[Segment], labels: Sequence[str], row: int) -> bool:
    """Whether a sentence ending in a colon has what it announces right behind it."""
    after = row + 1
    return after < len(segments) and labels[after] == labels[row] and segments[after].kind in {"code", "table", "step"}


def _flaws(material: Material) -> Scores:
    found = []
    for row, segment in enumerate(material.segments):
        text = segment.text.rstrip()
        if text.endswith(":") and _introduces(material.segments, material.labels, row):
            text = text[:-1] + "."
        # A numbered step is understood with its neighbours; any other list item stands or falls alone.
        found.append(0.0 if segment.kind not in {"prose", "step"} or segment.ordered else flaw(text))
    return np.array(found, dtype=np.float64)


def _closely(base: Scores, material: Material, settings: AnswerSettings, reading: Reading | None) -> Scores:
    """How far below the best answer each of the best sentences is, in [-1, 0]; -1 for all that are not read."""
    if reading is None:
        return np.zeros(len(base))
    below = np.full(len(base), -1.0)
    rows = [
        row
        for row, segment in enumerate(material.segments)
        if segment.kind in {"prose", "step"} and material.answers[material.labels[row]] >= -settings.further_margin
    ]
    rows = sorted(sorted(rows, key=lambda row: (-base[row], row))[: settings.read_closely])
    if rows:
        below[rows] = reading.sentences(rows)
    return below


def score(
    question: str,
    shape: AnswerShape,
    asked: Vector,
    material: Material,
    settings: AnswerSettings,
    reranker: Reranker | None = None,
) -> Scored:
    """Score the segments of the evidence for one question.

    Args:
        question: in words.
        shape: of its answer.
        asked: (D,) the question.
        material: at least one segment.
        settings: the weights.
        reranker: reads the best sentences once more, one by one; None leaves that out.
    """
    focus = frozenset(terms(question))
    by_label = {item.label: item for item in material.evidence}
    owners = [by_label[label] for label in material.labels]
    own = [frozenset(terms(segment.text)) for segment in material.segments]
    rarity = _rarity(own, focus)
    headed = [
        held | frozenset(terms(owner.headings[-1] if owner.headings else ""))
        for held, owner in zip(own, owners, strict=True)
    ]
    passages = {
        item.label: _coverage(frozenset(terms(" ".join((item.title, *item.headings, item.text)))), focus, rarity)
        for item in material.evidence
    }
    answers = {label: max(-1.0, odds / _ANSWER_RANGE) for label, odds in material.answers.items()}
    top = max((material.documents.get(item.document_id, 0.0) for item in material.evidence), default=0.0) or 1.0
    flaws = _flaws(material)
    base = (
        settings.similarity_weight * (material.vectors @ asked).astype(np.float64)
        + settings.relevance_weight * np.array([owner.relevance for owner in owners])
        + settings.answer_weight * np.array([answers[label] for label in material.labels])
        + settings.coverage_weight * np.array([_coverage(held, focus, rarity) for held in headed])
        + settings.block_weight * np.array([passages[label] for label in material.labels])
        + settings.document_weight * np.array([material.documents.get(o.document_id, 0.0) / top for o in owners])
        - settings.flaw_weight * flaws
    )
    reading = Reading(question, material, reranker) if reranker else None
    read = _closely(base, material, settings, reading)
    base = (base + settings.sentence_weight * read).round(6)
    shaped = np.array([fit(shape, segment.text, focus) for segment in material.segments])
    opening = (base + settings.shape_weight * shaped).round(6)
    return Scored(material, base, opening, focus, flaws < _UNFIT, read, reading)
