"""An answer made of the evidence's own sentences, without a model (W3).

It opens with the sentence that has the form the question asks for and is closest to it, goes on in the same passage,
then adds what other passages have to add. Code stays code and steps stay steps, and a sentence that leans on the one
before it ("This …", "However …") is shown together with that one or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.models.protocols import Reranker
from tamis.schema.question import AnswerShape, Interpretation
from tamis.schema.report import Sentence, SentenceKind
from tamis.settings import AnswerSettings
from tamis.text.tokens import terms
from tamis.write.scoring import Material, Scored, score
from tamis.write.shapes import negative

_MAX_CODE_LINES = 16
_MAX_TABLE_ROWS = 6
_MAX_STEPS = 12
_CHAIN_COST = 0.03
"""What each further sentence costs that has to be shown for one to be understood."""
_NEARLY_BEST = 2.0
"""Log-odds below the best passage at which a list of steps is still the answer."""
_AS_GOOD = 1.0
"""Log-odds below the best passage at which a table is shown beside the sentences."""
_OTHER = "Another source:"


def compose(
    question: Interpretation, material: Material, settings: AnswerSettings, reranker: Reranker | None = None
) -> tuple[Sentence, ...]:
    """Compose the extractive answer.

    Args:
        question: what is asked, with the answer's shape.
        material: the evidence and its segments.
        settings: weights and limits.
        reranker: reads the best sentences once more; None leaves that out.

    Returns:
        The draft; empty when there is no evidence.
    """
    draft = _Draft(material)
    if not material.segments:
        return ()
    parts = question.subqueries if question.composite else (question.question,)
    for number, (part, asked) in enumerate(zip(parts, material.asked, strict=True)):
        shape = question.shape if number == 0 else "general"
        scored = score(part, shape, asked, material, settings, reranker)
        share = max(2, settings.sentences // len(parts))
        _answer(scored, shape, draft, settings.model_copy(update={"sentences": share}))
    return draft.done()


def _answer(scored: Scored, shape: AnswerShape, draft: _Draft, settings: AnswerSettings) -> None:
    """Add the answer to one question, without repeating what the draft already says."""
    opening = _opening(scored, draft.shown)
    if not opening:
        if not draft.shown:
            draft.block(int(np.argmax(scored.base)), scored.focus)
        return
    steps = _steps(scored, opening, settings) if shape == "steps" else []
    lead = _continued(scored, [row for row in opening if row not in steps], steps, settings)
    draft.prose([row for row in lead if row not in draft.shown], scored.focus)
    draft.steps(steps, scored.focus)
    table = _table(scored, draft.shown) if shape != "steps" else None
    if table is not None:
        draft.block(table, scored.focus)
    opposed = _opposed(scored, opening[-1], [*lead, *steps], settings) if shape == "yesno" else []
    for chain in _further(scored, [*draft.shown, *opposed], settings):
        draft.prose(chain, scored.focus)
    if opposed:
        draft.lead(_OTHER)
        draft.prose(opposed, scored.focus)


def _opening(scored: Scored, shown: Sequence[int]) -> list[int]:
    """The sentence that opens the answer, after those it leans on; one that is not shown yet."""
    best: list[int] = []
    best_score = -np.inf
    for row in scored.prose():
        chain = scored.chain(row)
        if chain is None or row in shown:
            continue
        value = float(scored.opening[row]) - _CHAIN_COST * (len(chain) - 1)
        if value > best_score:
            best, best_score = chain, value
    return best


def _steps(scored: Scored, opening: Sequence[int], settings: AnswerSettings) -> list[int]:
    """The list whose steps answer, if one does: numbered and, at its best, nearly as close as the opening sentence."""
    runs: list[list[int]] = []
    for row, segment in enumerate(scored.material.segments):
        if not segment.ordered:
            continue
        if runs and runs[-1][-1] == scored.before(row):
            runs[-1].append(row)
        else:
            runs.append([row])
    best: list[int] = []
    best_score = settings.run_share * float(scored.base[opening[-1]])
    for rows in runs:
        value = float(np.sort(scored.base[rows])[-3:].mean())
        if len(rows) > 1 and value >= best_score and scored.answers(rows[0]) >= -_NEARLY_BEST:
            best, best_score = rows, value
    return best[:_MAX_STEPS]


def _table(scored: Scored, shown: Sequence[int]) -> int | None:
    """The table that answers: in a passage as good as the best, with a row named by a word of the question."""
    best: int | None = None
    for row, segment in enumerate(scored.material.segments):
        if segment.kind != "table" or row in shown or scored.answers(row) < -_AS_GOOD:
            continue
        names = [line.strip("| ").partition("|")[0] for line in segment.text.splitlines()[2:]]
        named = any(scored.focus & set(terms(name)) for name in names)
        if named and (best is None or scored.base[row] > scored.base[best]):
            best = row
    return best


def _continued(scored: Scored, opening: list[int], steps: Sequence[int], settings: AnswerSettings) -> list[int]:
    """The opening with the sentences that follow it in its passage and are still about the question."""
    if not opening:
        return []
    lead = list(opening)
    floor = settings.continue_share * float(scored.base[opening[-1]])
    row = scored.after(lead[-1])
    while row is not None and len(lead) < len(opening) + settings.continued:
        segment = scored.segment(row)
        if segment.kind == "prose":
            stands = not scored.leans(row) or scored.sentence_before(row) == lead[-1]
            if not stands or scored.base[row] < floor:
                break
            if not _repeats(scored, row, lead, settings):
                lead.append(row)
        elif segment.kind == "step" and row not in steps and lead[-1] == scored.before(row):
            break
        row = scored.after(row)
    return lead


def _repeats(scored: Scored, row: int, taken: Sequence[int], settings: AnswerSettings) -> bool:
    return scored.nearness(row, taken) >= settings.repeat_cosine


def _further(scored: Scored, taken: Sequence[int], settings: AnswerSettings) -> list[list[int]]:
    """Sentences of other passages that add something, each with what it leans on; best first."""
    shown = list(taken)
    labels = {scored.label(row) for row in shown}
    floor = settings.support_share * max((float(scored.base[row]) for row in shown), default=0.0)
    candidates = [
        (row, chain)
        for row in scored.prose()
        if scored.label(row) not in labels and scored.base[row] >= floor and (chain := scored.chain(row)) is not None
    ]
    chains: list[list[int]] = []
    while candidates and len(shown) < settings.sentences and len(chains) < settings.further:
        near = [scored.nearness(row, shown) for row, _ in candidates]
        gains = [
            float(scored.base[row]) - settings.novelty_weight * n for (row, _), n in zip(candidates, near, strict=True)
        ]
        gains = [-np.inf if n >= settings.repeat_cosine else gain for gain, n in zip(gains, near, strict=True)]
        best = int(np.argmax(gains))
        if not np.isfinite(gains[best]):
            break
        row, chain = candidates[best]
        chains.append(chain)
        shown += chain
        label = scored.label(row)
        candidates = [entry for entry in candidates if scored.label(entry[0]) != label]
    return chains


def _opposed(scored: Scored, opening: int, taken: Sequence[int], settings: AnswerSettings) -> list[int]:
    """For a yes-or-no question: the nearest sentence of another document that denies what the opening affirms."""
    affirms = not negative(scored.segment(opening).text)
    documents = {scored.segment(row).document_id for row in taken}
    best: list[int] = []
    best_score = -np.inf
    for row in scored.prose():
        segment = scored.segment(row)
        chain = scored.chain(row)
        if chain is None or segment.document_id in documents or negative(segment.text) != affirms:
            continue
        near = scored.nearness(row, [opening])
        if settings.opposed_cosine <= near < settings.repeat_cosine and scored.opening[row] > best_score:
            best, best_score = chain, float(scored.opening[row])
    return best


class _Draft:
    """Rows become sentences in numbered paragraphs; code follows the sentence it belongs to."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._sentences: list[Sentence] = []
        self._paragraph = 0
        self.shown: list[int] = []

    def done(self) -> tuple[Sentence, ...]:
        """The draft so far."""
        return tuple(self._sentences)

    def lead(self, text: str) -> None:
        """A connective of our own."""
        self._sentences.append(Sentence(text, (), kind="lead", paragraph=self._paragraph))

    def prose(self, rows: Sequence[int], focus: frozenset[str]) -> None:
        """A paragraph of sentences, each followed by its code."""
        for row in rows:
            self._add(row, "claim")
            self._attached(row, focus)
        self._paragraph += 1

    def steps(self, rows: Sequence[int], focus: frozenset[str]) -> None:
        """A numbered list."""
        for row in rows:
            self._add(row, "step")
        self._paragraph += 1
        if rows:
            self._attached(rows[-1], focus)

    def block(self, row: int, focus: frozenset[str]) -> None:
        """A code block, or the rows of a table that speak of the question."""
        segment = self._material.segments[row]
        if segment.kind == "table":
            self._add(row, "table", _table_rows(segment.text, focus))
        else:
            self._add(row, "code")

    def _add(self, row: int, kind: SentenceKind, text: str = "") -> None:
        self.shown.append(row)
        shown = text or self._material.segments[row].text
        self._sentences.append(Sentence(shown, (self._material.labels[row],), kind=kind, paragraph=self._paragraph))

    def _attached(self, row: int, focus: frozenset[str]) -> None:
        """What the sentence is followed by: code that is not too long, or the table it announces."""
        after = row + 1
        if after == len(self._material.segments) or self._material.labels[after] != self._material.labels[row]:
            return
        segment = self._material.segments[after]
        fits = segment.kind == "code" and len(segment.text.splitlines()) <= _MAX_CODE_LINES
        if fits or (segment.kind == "table" and self._material.segments[row].text.endswith(":")):
            self._paragraph += 1
            self.block(after, focus)
            self._paragraph += 1


def _table_rows(text: str, focus: frozenset[str]) -> str:
    """A table's header and the rows that share most words with the question, in their order."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= _MAX_TABLE_ROWS + 2:
        return "\n".join(lines)
    shared = [len(focus & set(terms(line))) for line in lines[2:]]
    best = sorted(range(len(shared)), key=lambda row: (-shared[row], row))[:_MAX_TABLE_ROWS]
    return "\n".join([*lines[:2], *(lines[2 + row] for row in sorted(best) if shared[row] == max(shared))])
