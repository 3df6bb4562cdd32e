"""Claims written for measuring the support ledger: read from YAML, judged, counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from tamis.check.ledger import check
from tamis.models.protocols import Embedder, EntityRecogniser
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.settings import CheckSettings

FAITHFUL = "faithful"


@dataclass(frozen=True)
class Judged:
    """One claim, what was done to it, and what the ledger says."""

    kind: str
    text: str
    verdict: Sentence

    @property
    def flagged(self) -> bool:
        return self.verdict.support == "unsupported"

    def __str__(self) -> str:
        return f"{self.kind}: {self.text} -> {self.verdict.support} {self.verdict.score:.2f} {self.verdict.reasons}"


def cases(name: str) -> list[dict]:
    return yaml.safe_load(Path(__file__).with_name(name).read_text("utf-8"))


def block(label: str, text: str, title: str = "") -> Evidence:
    return Evidence(label, title, "", label, f"{label}#c0", (0, len(text)), "", text, 0.8)


def shown(case: dict) -> list[Evidence]:
    return [block(label, text) for label, text in case["evidence"].items()]


def claims(case: dict) -> Iterator[tuple[str, Sentence]]:
    """Kind of change, ``faithful`` for none, and the claim as a draft has it."""
    for kind, listed in {FAITHFUL: case[FAITHFUL], **case["changed"]}.items():
        for claim in listed:
            text, _, labels = claim.removesuffix("]").rpartition(" [")
            yield kind, Sentence(text, tuple(labels.split(", ")))


def judged(listed: Sequence[dict], embedder: Embedder, recogniser: EntityRecogniser | None = None) -> list[Judged]:
    """Every claim of some cases against its own evidence."""
    found = []
    for case in listed:
        drafts = list(claims(case))
        verdicts, _ = check(
            [draft for _, draft in drafts],
            shown(case),
            embedder=embedder,
            settings=CheckSettings(),
            drop=False,
            recogniser=recogniser,
        )
        found += [Judged(kind, draft.text, now) for (kind, draft), now in zip(drafts, verdicts, strict=True)]
    return found


def flagged_share(found: Sequence[Judged]) -> dict[str, float]:
    """Per kind of change, the share of claims found unsupported."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for one in found:
        kinds[one.kind].append(one.flagged)
    return {kind: sum(flags) / len(flags) for kind, flags in kinds.items()}
