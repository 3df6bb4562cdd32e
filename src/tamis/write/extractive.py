"""An answer made of the evidence's own sentences, without a model (W3).

It opens with the sentence that has the form the question asks for and is closest to it, goes on in the same passage,
then adds what other passages have to add. Code stays code and steps stay steps, and a sentence that leans on the one
before it ("This …", "However …") is shown together with that one or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
_CORRECTS = ("Instead, ", "Instead ", "Rather, ")
"""So begins what to do, after what not to do: nobody is left with the latter alone."""


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
    opening = _opening(scored, draft.shown, settings)
    if opening is None:
        if not draft.shown:
            draft.block(int(np.argmax(scored.base)), scored.focus)
        return
    steps = _steps(scored, opening.core, settings) if shape == "steps" else []
    lead = _continued(scored, opening, steps, settings)
    draft.prose([row for row in lead if row not in draft.shown], scored.focus)
    draft.steps(steps, scored.focus)
    table = _table(scored, draft.shown) if shape != "steps" else None
    if table is not None:
        draft.block(table, scored.focus)
    opposed = _opposed(scored, opening.core, [*lead, *steps], settings) if shape == "yesno" else []
    for chain in _further(scored, [*draft.shown, *opposed], settings):
        draft.prose(chain, scored.focus)
    if opposed:
        draft.lead(_OTHER)
        draft.prose(opposed, scored.focus)


@dataclass(frozen=True, slots=True)
class _Opening:
    """The sentence that opens the answer, and the run of rows it is shown in."""

    core: int
    run: tuple[int, ...]


def _opening(scored: Scored, shown: Sequence[int], settings: AnswerSettings) -> _Opening | None:
    """The run of sentences that opens the answer; None where nothing is left to open with.

    The best sentences of the best one's passage are read again with what stands around them: a reader who sees the
    sentence before or behind one knows what it speaks of.
    """
    found: list[tuple[float, int, list[int]]] = []
    for row in scored.prose():
        chain = scored.chain(row)
        if chain is not None and row not in shown:
            found.append((float(scored.opening[row]) - _CHAIN_COST * (len(chain) - 1), row, chain))
    found.sort(key=lambda one: (-one[0], one[1]))
    if not found:
        return None
    if scored.reading is None:
        return _Opening(found[0][1], tuple(found[0][2]))
    label = scored.label(found[0][1])
    offers = [
        (float(scored.opening[row]) - settings.sentence_weight * float(scored.read[row]), row, run)
        for _, row, chain in [one for one in found if scored.label(one[1]) == label][: settings.read_around]
        for run in _runs(scored, chain, shown)
    ]
    read = scored.reading.runs([run for _, _, run in offers])
    values = [
        value + settings.run_weight * float(one) - _CHAIN_COST * (len(run) - 1)
        for (value, _, run), one in zip(offers, read, strict=True)
    ]
    _, row, run = offers[int(np.argmax(np.round(values, 6)))]
    return _Opening(row, tuple(run))


def _runs(scored: Scored, chain: list[int], shown: Sequence[int]) -> list[list[int]]:
    """A sentence with those it leans on, alone and together with its neighbours of the same kind."""

    def alike(row: int | None) -> bool:
        if row is None or row in shown or not scored.fit[row]:
            return False
        segment, other = scored.segment(row), scored.segment(chain[-1])
        return segment.kind == other.kind and not segment.ordered and not other.ordered

    before = scored.before(chain[0])
    ahead = scored.chain(before) if before is not None and alike(before) else None
    behind = scored.after(chain[-1])
    tails = [[], [behind]] if behind is not None and alike(behind) else [[]]
    heads = [[], ahead] if ahead is not None and all(map(alike, ahead)) else [[]]
    return [[*head, *chain, *tail] for head in heads for tail in tails]


def _steps(scored: Scored, opening: int, settings: AnswerSettings) -> list[int]:
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
    best_score = settings.run_share * float(scored.base[opening])
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


def _continued(scored: Scored, opening: _Opening, steps: Sequence[int], settings: AnswerSettings) -> list[int]:
    """The opening with the sentences that follow it in its passage and are still about the question."""
    lead = [row for row in opening.run if row not in steps]
    if not lead:
        return []
    floor = settings.continue_share * float(scored.base[opening.core])
    most = opening.run.index(opening.core) + 1 + settings.continued
    row = scored.after(lead[-1])
    while row is not None and len(lead) < most:
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
    while row is not None and scored.segment(row).kind in {"code", "table"}:
        row = scored.after(row)
    if row is not None and row not in lead and scored.segment(row).text.startswith(_CORRECTS):
        lead.append(row)
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
