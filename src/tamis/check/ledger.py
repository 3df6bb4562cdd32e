"""The support ledger: every claim of an answer against the evidence it cites, by code alone (C1).

A claim is taken apart into facts (numbers with units, dates, names, quotations, yes or no) and each is looked up in the
cited evidence; one that is not there makes the claim unsupported whatever it resembles. What remains is a matter of
likeness. Cosines of small sentence encoders run high (unrelated sentences of one subject reach .5), so the cosine is
stretched from its origin to 1 and averaged with lexical containment, the share of the claim's terms that the evidence
holds. A claim that stands in the evidence word for word needs neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tamis.check.facts import Facts, Flaw, flaws, read
from tamis.check.source import Source, sources
from tamis.check.verbatim import foreign_lines
from tamis.models.protocols import Embedder, EntityRecogniser, Matrix
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence, Support, SupportSummary
from tamis.settings import CheckSettings
from tamis.text.tokens import terms

_JUDGED = ("claim", "step")
_COPIED = ("code", "table")


def check(
    sentences: Sequence[Sentence],
    evidence: Sequence[Evidence],
    *,
    embedder: Embedder,
    settings: CheckSettings,
    drop: bool = True,
    unknown_labels: int = 0,
    recogniser: EntityRecogniser | None = None,
) -> tuple[tuple[Sentence, ...], SupportSummary]:
    """Judge a draft.

    Args:
        sentences: the draft.
        evidence: everything that could be cited.
        embedder: for likeness.
        settings: thresholds.
        drop: leave out claims that add a number, name or date found in no evidence, and code that is not in it.
        unknown_labels: citations that were removed when the draft was read; only passed on.
        recogniser: finds more names in claims; optional.

    Returns:
        The sentences with verdict, score and reasons, and the counts.
    """
    bench = _Bench(sources(evidence), embedder, settings, recogniser)
    kept: list[Sentence] = []
    removed: list[Sentence] = []
    for sentence in sentences:
        judged, invented = bench.judge(sentence)
        (removed if drop and invented else kept).append(judged)
    return tuple(kept), _summary(kept, removed, unknown_labels)


def _summary(kept: Sequence[Sentence], removed: Sequence[Sentence], unknown_labels: int) -> SupportSummary:
    counts = {verdict: sum(s.support == verdict for s in kept) for verdict in ("supported", "weak", "unsupported")}
    total = sum(counts.values()) + len(removed)
    return SupportSummary(
        supported=counts["supported"],
        weak=counts["weak"],
        unsupported=counts["unsupported"],
        dropped=len(removed),
        unknown_labels=unknown_labels,
        score=round(counts["supported"] / total, 4) if total else 1.0,
        removed=tuple(removed),
    )


class _Bench:
    """One run's evidence and claims, embedded at most once each."""

    def __init__(
        self,
        found: Sequence[Source],
        embedder: Embedder,
        settings: CheckSettings,
        recogniser: EntityRecogniser | None,
    ) -> None:
        self._sources = {source.label: source for source in found}
        self._embedder = embedder
        self._settings = settings
        self._recogniser = recogniser
        self._claims: dict[str, Matrix] = {}
        self._blocks: dict[str, Matrix] = {}

    def judge(self, sentence: Sentence) -> tuple[Sentence, bool]:
        """The sentence with its verdict, and whether it brings in what no evidence holds."""
        if sentence.kind in _COPIED:
            return self._copied(sentence)
        if sentence.kind not in _JUDGED or not self._sources:
            return sentence, False
        cited = [self._sources[label] for label in sentence.citations if label in self._sources]
        facts = read(sentence.text, self._recogniser)
        if not cited:
            return self._uncited(sentence, facts)
        judged, found = self._against(sentence, facts, cited)
        if judged.support == "supported":
            return judged, False
        if other := self._elsewhere(sentence, facts, cited):
            why = f"{', '.join(sentence.citations)} does not say this; {other} does"
            return replace(judged, citations=(other,), support="weak", reasons=(why,)), False
        return judged, self._invented(judged, facts, found)

    def _against(self, sentence: Sentence, facts: Facts, cited: Sequence[Source]) -> tuple[Sentence, tuple[Flaw, ...]]:
        if any(source.says(sentence.text) for source in cited):
            return replace(sentence, support="supported", score=1.0, reasons=()), ()
        found = flaws(facts, cited)
        score = round(max(self._likeness(sentence.text, source) for source in cited), 4)
        reasons = [flaw.text for flaw in found]
        support: Support = "supported"
        if found or score <= self._settings.weak:
            support = "unsupported"
        elif score <= self._settings.supported:
            support = "weak"
        if not found and support != "supported":
            reasons.append(f"likeness {score:.2f} to {', '.join(source.label for source in cited)}")
        return replace(sentence, support=support, score=score, reasons=tuple(reasons)), found

    def _uncited(self, sentence: Sentence, facts: Facts) -> tuple[Sentence, bool]:
        """A claim without a label: where one piece of evidence carries it, code adds that label."""
        trials = [(self._against(sentence, facts, [source]), source.label) for source in self._sources.values()]
        (best, found), label = max(trials, key=lambda trial: (_RANK[trial[0][0].support], trial[0][0].score))
        if best.support == "supported":
            return replace(best, citations=(label,), reasons=(f"no label was given; {label} says it",)), False
        if best.support == "weak":
            return replace(best, citations=(), reasons=("no label was given", *best.reasons)), False
        judged = replace(best, citations=(), support="unsupported", reasons=("no label was given", *best.reasons))
        return judged, self._invented(judged, facts, found)

    def _elsewhere(self, sentence: Sentence, facts: Facts, cited: Sequence[Source]) -> str:
        """The label of evidence that carries a claim its own label does not; empty where there is none."""
        rest = [source for source in self._sources.values() if source not in cited]
        trials = [(self._against(sentence, facts, [source])[0], source.label) for source in rest]
        carrying = [(judged.score, label) for judged, label in trials if judged.support == "supported"]
        return max(carrying, key=lambda entry: entry[0])[1] if carrying else ""

    def _invented(self, judged: Sentence, facts: Facts, found: Sequence[Flaw]) -> bool:
        if judged.support != "unsupported" or not any(flaw.kind in ("number", "date", "name") for flaw in found):
            return False
        everywhere = flaws(facts, list(self._sources.values()))
        return any(flaw.kind in ("number", "date", "name") for flaw in everywhere)

    def _copied(self, sentence: Sentence) -> tuple[Sentence, bool]:
        """Code and tables make no claim of their own: they are copied from the evidence, or they go."""
        every = list(self._sources.values())
        cited = [source for source in every if source.label in sentence.citations]
        for pool in (cited, *([source] for source in every), every):
            if pool and not foreign_lines(sentence.text, [source.text for source in pool], sentence.kind):
                labels = sentence.citations if pool is cited else tuple(source.label for source in pool[:1])
                return replace(sentence, citations=labels), False
        foreign = foreign_lines(sentence.text, [source.text for source in every], sentence.kind)
        return replace(sentence, reasons=(f"in no evidence: {foreign[0]}",)), True

    def _likeness(self, text: str, source: Source) -> float:
        """Mean of stretched cosine and containment, in [0, 1]."""
        if text not in self._claims:
            self._claims[text] = self._embedder.passages([text])
        if source.label not in self._blocks:
            self._blocks[source.label] = self._embedder.passages(source.passages)
        cosine = float(np.max(self._blocks[source.label] @ self._claims[text][0], initial=-1.0))
        origin = self._settings.cosine_origin
        stretched = min(1.0, max(0.0, (cosine - origin) / (1.0 - origin)))
        said = set(terms(text))
        contained = len(said & source.terms) / len(said) if said else 0.0
        return (stretched + contained) / 2.0


_RANK = {"supported": 3, "weak": 2, "unsupported": 1, "none": 0}
