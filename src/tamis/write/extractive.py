"""An answer made of the evidence's own sentences, without a model (W3).

It opens with the sentence that has the form the question asks for and is closest to it, supports it with what adds
something, keeps code as code and steps as steps, and never shows a sentence that leans on one that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tamis.models.protocols import Embedder, Matrix
from tamis.schema.evidence import Evidence
from tamis.schema.question import Interpretation
from tamis.schema.report import Sentence
from tamis.settings import AnswerSettings
from tamis.text.tokens import terms
from tamis.write.flaws import dangling, flaw
from tamis.write.shapes import fit
from tamis.write.units import Unit, units

_MAX_CODE_LINES = 24
_MAX_TABLE_ROWS = 6
_MAX_STEPS = 10


@dataclass(frozen=True, slots=True)
class _Scored:
    """Units with everything the choice needs; rows of the arrays belong to ``units``."""

    units: list[Unit]
    vectors: Matrix
    base: np.ndarray
    opening: np.ndarray
    successor: dict[int, int]

    def index_of(self) -> dict[tuple[str, int], int]:
        return {(unit.label, unit.order): row for row, unit in enumerate(self.units)}


def _focus(question: Interpretation) -> frozenset[str]:
    return frozenset(terms(" ".join((question.question, *question.subqueries))))


def _coverage(text: str, focus: frozenset[str], weight: Mapping[str, float]) -> float:
    total = sum(weight[term] for term in focus)
    return sum(weight[term] for term in focus & set(terms(text))) / total if total else 0.0


def _rarity(found: Sequence[Unit], focus: frozenset[str]) -> dict[str, float]:
    """How much a question term tells apart within the evidence: idf over units."""
    seen = [set(terms(unit.text)) for unit in found]
    return {term: float(np.log(1.0 + len(seen) / (1.0 + sum(term in s for s in seen)))) for term in focus}


def _score(
    question: Interpretation,
    evidence: Sequence[Evidence],
    found: list[Unit],
    embedder: Embedder,
    settings: AnswerSettings,
) -> _Scored:
    focus = _focus(question)
    weight = _rarity(found, focus)
    by_label = {item.label: item for item in evidence}
    texts = [_in_context(unit, by_label[unit.label]) for unit in found]
    vectors = embedder.passages(texts)
    asked = embedder.queries(question.subqueries or (question.question,))
    similarity = (vectors @ asked.T).max(axis=1)
    relevance = np.array([by_label[unit.label].relevance for unit in found])
    coverage = np.array([_coverage(text, focus, weight) for text in texts])
    flaws = np.array([flaw(unit.text) if unit.kind == 'claim' else 0.0 for unit in found])
    base = (
        settings.similarity_weight * similarity
        + settings.relevance_weight * relevance
        + settings.coverage_weight * coverage
    )
    base = base - settings.flaw_weight * flaws
    shaped = np.array([fit(question.shape, unit.text, focus) for unit in found])
    leaning = np.array([dangling(unit.text) and unit.kind == "claim" for unit in found])
    opening = base + settings.shape_weight * shaped - 0.5 * leaning
    successor = {row: row + 1 for row in range(len(found) - 1) if found[row].label == found[row + 1].label}
    return _Scored(found, vectors, base, opening, successor)


def _in_context(unit: Unit, evidence: Evidence) -> str:
    heading = evidence.headings[-1] if evidence.headings else evidence.title
    return f"{heading}: {unit.text}" if heading else unit.text


def _prose_rows(scored: _Scored) -> list[int]:
    return [row for row, unit in enumerate(scored.units) if unit.kind in {"claim", "step"}]


def _leans(scored: _Scored, row: int) -> bool:
    return scored.units[row].kind == "claim" and dangling(scored.units[row].text)


def _support(scored: _Scored, opener: int, settings: AnswerSettings) -> list[int]:
    """Rows that add to the opener, best first: greedy, each held against everything already chosen (MMR)."""
    chosen = [opener]
    floor = settings.support_share * scored.base[opener]
    rows = [row for row in _prose_rows(scored) if row != opener and scored.base[row] >= floor]
    while rows and len(chosen) < settings.sentences:
        allowed = [
            row for row in rows if not _leans(scored, row) or (row - 1 in chosen and row in scored.successor.values())
        ]
        if not allowed:
            break
        near = (scored.vectors[allowed] @ scored.vectors[chosen].T).max(axis=1)
        follows = np.array([row - 1 in chosen and scored.successor.get(row - 1) == row for row in allowed])
        gain = scored.base[allowed] - settings.novelty_weight * near + settings.continuity_bonus * follows
        gain = np.where(near >= settings.repeat_cosine, -np.inf, gain)
        best = int(np.argmax(gain))
        if not np.isfinite(gain[best]):
            break
        chosen.append(allowed[best])
        rows.remove(allowed[best])
    return chosen


def _runs(scored: _Scored) -> dict[tuple[str, int], list[int]]:
    found: dict[tuple[str, int], list[int]] = {}
    for row, unit in enumerate(scored.units):
        if unit.kind == "step" and unit.run >= 0:
            found.setdefault((unit.label, unit.run), []).append(row)
    return {key: rows for key, rows in found.items() if len(rows) >= 2}


def _best_run(scored: _Scored, opener: int, settings: AnswerSettings) -> list[int]:
    """The list whose steps answer, if one does: numbered, or as close to the question as the opener."""
    best: list[int] = []
    best_score = 0.0
    for rows in _runs(scored).values():
        ordered = all(scored.units[row].ordered for row in rows)
        score = float(np.mean(np.sort(scored.base[rows])[-3:])) + (settings.ordered_bonus if ordered else 0.0)
        if score > best_score:
            best, best_score = rows, score
    return best[:_MAX_STEPS] if best_score >= settings.run_share * scored.base[opener] else []


def _code_after(scored: _Scored, chosen: Sequence[int], focus: frozenset[str]) -> dict[int, int]:
    """Chosen row → row of the code block that follows it and belongs to it."""
    found: dict[int, int] = {}
    for row in chosen:
        after = scored.successor.get(row)
        if after is None or scored.units[after].kind != "code" or len(found) >= 2:
            continue
        if 0 < len(scored.units[after].text.splitlines()) <= _MAX_CODE_LINES:
            found[row] = after
    return found


def _table_rows(text: str, focus: frozenset[str]) -> str:
    """Header and the rows that speak of the question, in their order."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= _MAX_TABLE_ROWS + 2:
        return "\n".join(lines)
    scores = [len(focus & set(terms(line))) for line in lines[2:]]
    keep = sorted(sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:_MAX_TABLE_ROWS])
    return "\n".join(lines[:2] + [lines[2 + i] for i in keep if scores[i] == max(scores)])


def _arranged(scored: _Scored, chosen: Sequence[int]) -> list[list[int]]:
    """Paragraphs: one per evidence, the opener's first; inside, document order with the opener (and what leans on it) first."""
    opener = chosen[0]
    by_label: dict[str, list[int]] = {}
    for row in chosen:
        by_label.setdefault(scored.units[row].label, []).append(row)
    paragraphs = []
    for rows in by_label.values():
        ordered = sorted(rows)
        if opener in ordered:
            first = [opener]
            while first[-1] + 1 in ordered and scored.successor.get(first[-1]) == first[-1] + 1:
                first.append(first[-1] + 1)
            ordered = first + [row for row in ordered if row not in first]
        paragraphs.append(ordered)
    return paragraphs


def compose(
    question: Interpretation,
    evidence: Sequence[Evidence],
    raw: Mapping[str, str],
    *,
    embedder: Embedder,
    settings: AnswerSettings,
) -> tuple[Sentence, ...]:
    """Compose the extractive answer.

    Args:
        question: what is asked, with the answer's shape.
        evidence: labelled blocks, best first.
        raw: label → the Markdown under the evidence's span.
        embedder: scores sentences against the question.
        settings: weights and limits.

    Returns:
        The draft, empty when the evidence holds no sentence that can stand alone.
    """
    found = units(evidence, raw)
    if not found:
        return ()
    scored = _score(question, evidence, found, embedder, settings)
    rows = _prose_rows(scored)
    focus = _focus(question)
    if not rows:
        return _only_blocks(scored, focus)
    opener = max(rows, key=lambda row: (scored.opening[row], -row))
    chosen = _support(scored, opener, settings)
    steps = _best_run(scored, opener, settings) if question.shape == "steps" else []
    chosen = [row for row in chosen if row == opener or row not in steps]
    if opener in steps:
        chosen = [row for row in chosen if row != opener]
    return _assemble(scored, chosen, steps, focus)


def _assemble(scored: _Scored, chosen: list[int], steps: list[int], focus: frozenset[str]) -> tuple[Sentence, ...]:
    draft: list[Sentence] = []
    code = _code_after(scored, chosen, focus)
    paragraph = 0
    paragraphs = _arranged(scored, chosen) if chosen else []
    for position, group in enumerate([*paragraphs[:1], steps, *paragraphs[1:]] if steps else paragraphs):
        for row in group:
            unit = scored.units[row]
            kind = "step" if group is steps and position <= 1 else "claim"
            draft.append(Sentence(unit.text, (unit.label,), kind=kind, paragraph=paragraph))
            if row in code:
                paragraph += 1
                block = scored.units[code[row]]
                draft.append(Sentence(block.text, (block.label,), kind="code", paragraph=paragraph))
                paragraph += 1
        paragraph += 1
    return tuple(draft)


def _only_blocks(scored: _Scored, focus: frozenset[str]) -> tuple[Sentence, ...]:
    """Evidence without prose: the table or code block closest to the question."""
    best = max(range(len(scored.units)), key=lambda row: (scored.base[row], -row))
    unit = scored.units[best]
    text = _table_rows(unit.text, focus) if unit.kind == "table" else unit.text
    return (replace(Sentence(text, (unit.label,)), kind=unit.kind),)
