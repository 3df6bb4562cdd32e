"""The result of asking: everything `scroll --json` prints (section 14)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from tamis.schema.evidence import Evidence, Quarantined
from tamis.schema.question import Interpretation
from tamis.schema.ranking import RankedItem

Tier = Literal["model", "extractive", "none"]
Support = Literal["supported", "weak", "unsupported", "none"]
SentenceKind = Literal["claim", "step", "code", "table", "heading", "lead"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer with its support (C1). A draft is a tuple of these, before and after checking.

    Attributes:
        text: without citation markers; Markdown for code and tables.
        citations: evidence labels it cites, in order.
        support: the verdict; ``none`` for text that makes no claim (headings, code).
        score: [0, 1], the similarity behind the verdict.
        reasons: what was missing ("number 42 not in E3"), empty when supported.
        kind: only claims and steps are judged; a lead is a connective the code wrote itself.
        paragraph: index of the paragraph, list or block it belongs to, ascending.
    """

    text: str
    citations: tuple[str, ...]
    support: Support = "none"
    score: float = 0.0
    reasons: tuple[str, ...] = ()
    kind: SentenceKind = "claim"
    paragraph: int = 0


@dataclass(frozen=True, slots=True)
class SupportSummary:
    """Counts over an answer's sentences.

    Attributes:
        supported: sentences above the supported threshold with every fact found.
        weak: between the thresholds.
        unsupported: below, and kept with a mark.
        dropped: removed because they added a number, name or date found in no evidence; all of a model's draft where
            nothing of it held and extracts stand instead.
        unknown_labels: citations of labels that do not exist, removed.
        score: supported / (supported + weak + unsupported + dropped); 1.0 for no claims. A draft that was given up
            for extracts does not count: the score is that of the text that is shown.
        removed: the dropped sentences with their reasons, for a person to read.
    """

    supported: int = 0
    weak: int = 0
    unsupported: int = 0
    dropped: int = 0
    unknown_labels: int = 0
    score: float = 1.0
    removed: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a language model (W2).

    Attributes:
        role: ``sentinel`` or ``main``.
        model: the model's name as the endpoint knows it.
        prompt_tokens: as the endpoint counted, else estimated.
        completion_tokens: likewise.
        seconds: wall time.
        cost: in the currency of the configured prices, None when not priced.
        outcome: ``ok`` or why its answer was not used.
    """

    role: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float | None = None
    outcome: str = "ok"


@dataclass(frozen=True, slots=True)
class Ledger:
    """All model calls of one run and the bound they had to stay within (W2, W8).

    Attributes:
        calls: in order.
        bound: most main calls this run may make.
        token_bound: most tokens (prompt + completion) it may use.
        cost_bound: most money it may cost, None when not priced.
    """

    calls: tuple[ModelCall, ...] = ()
    bound: int = 0
    token_bound: int = 0
    cost_bound: float | None = None

    @property
    def calls_total(self) -> int:
        """How many calls were made, whatever became of them."""
        return len(self.calls)

    @property
    def tokens_total(self) -> int:
        """Prompt and completion tokens of all calls."""
        return sum(call.prompt_tokens + call.completion_tokens for call in self.calls)


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What one source delivered.

    Attributes:
        id: source id, or the collection's name.
        status: how it went.
        reason: empty when ok.
        items: how many items it brought.
        seconds: wall time.
    """

    id: str
    status: Literal["ok", "failed", "skipped", "cached"]
    reason: str = ""
    items: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Deficit:
    """Why there is no answer, and what would help.

    Attributes:
        reason: one sentence.
        closest_title: of the nearest document, empty when there is none.
        closest_url: likewise.
        similarity: of the nearest document, 0 when there is none.
        threshold: the collection's calibrated threshold.
        missing_terms: words of the question that no evidence contains.
        failed_sources: ``id: reason`` lines.
        suggestions: what to try, one line each.
    """

    reason: str
    closest_title: str = ""
    closest_url: str = ""
    similarity: float = 0.0
    threshold: float = 0.0
    missing_terms: tuple[str, ...] = ()
    failed_sources: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished run.

    Attributes:
        question: as asked.
        interpretation: what was made of it.
        tier: who wrote it.
        markdown: the answer with numbered references, ready to show.
        sentences: its claims with their support.
        evidence: what the writer was shown, in label order.
        references: evidence labels in the order of their numbers ``[1]``, ``[2]`` …; one number may gather several.
        items: the ranking behind it.
        sources: what each source delivered.
        ledger: model calls and their bound.
        support: counts over the sentences.
        quarantine: passages kept out of prompts.
        deficit: set exactly when the tier is ``none``.
        notes: steps down the ladder and other things a reader should know, one line each.
        trace: the pipeline tree that ``--debug`` prints: stage → facts.
        documents_total: how many documents stood behind the run.
        seconds: wall time.
    """

    question: str
    interpretation: Interpretation
    tier: Tier
    markdown: str
    sentences: tuple[Sentence, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    references: tuple[tuple[str, ...], ...] = ()
    items: tuple[RankedItem, ...] = ()
    sources: tuple[SourceStatus, ...] = ()
    ledger: Ledger = field(default_factory=Ledger)
    support: SupportSummary = field(default_factory=SupportSummary)
    quarantine: tuple[Quarantined, ...] = ()
    deficit: Deficit | None = None
    notes: tuple[str, ...] = ()
    trace: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    documents_total: int = 0
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The object of `scroll --json`, plain data only, keys in a fixed order."""
        data = asdict(self)
        interpretation = data["interpretation"]
        interpretation["categories"] = [{"name": n, "weight": w} for n, w in interpretation["categories"]]
        report = {
            "question": data["question"],
            "interpretation": interpretation,
            "tier": data["tier"],
            "answer": {"markdown": data["markdown"], "sentences": data["sentences"]},
            "evidence": data["evidence"],
            "references": data["references"],
            "items": data["items"],
            "sources": data["sources"],
            "ledger": {
                **data["ledger"],
                "calls_total": self.ledger.calls_total,
                "tokens_total": self.ledger.tokens_total,
            },
            "support": data["support"],
            "quarantine": data["quarantine"],
            "deficit": data["deficit"],
            "notes": data["notes"],
            "documents_total": data["documents_total"],
            "seconds": data["seconds"],
        }
        return {**report, "seal": seal(report)}


_SEALED = ("question", "tier", "answer", "evidence", "references", "support", "quarantine", "deficit")


def seal(report: Mapping[str, Any]) -> str:
    """SHA-256 over what a report says and rests on, so that a change of any part of a saved one is noticed.

    It is no signature: who means to deceive can make a new one. Stored text, compared by `verify --name`, cannot be
    talked round.

    Args:
        report: as `Answer.to_dict` gives it, fresh or read back from JSON.
    """
    said = {name: report.get(name) for name in _SEALED}
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=list).encode("ascii")).hexdigest()
