"""A saved report, checked again offline: is it whole, and does it still say what its evidence says (C2)?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from tamis.check.ledger import check
from tamis.errors import UsageError
from tamis.models.protocols import Embedder
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.settings import CheckSettings
from tamis.text.fingerprints import sha256_hex

_SHA256 = re.compile(r"[0-9a-f]{64}")
_ORDER = {"unsupported": 0, "weak": 1, "supported": 2}


def verify(
    report: Mapping[str, Any],
    *,
    embedder: Embedder,
    settings: CheckSettings,
    document_text: Callable[[str], str | None] = lambda _: None,
) -> list[str]:
    """Breaches of a saved `scroll --json` report, one line each; none where it holds.

    Args:
        report: the parsed JSON.
        embedder: for likeness.
        settings: thresholds.
        document_text: the text of a document where its collection is at hand; spans are then hashed again.

    Raises:
        UsageError: not such a report.
    """
    evidence, sentences = _read(report)
    breaches = [*_evidence(evidence, document_text), *_labels(sentences, evidence)]
    again, _ = check(sentences, evidence, embedder=embedder, settings=settings, drop=False)
    for saved, now in zip(sentences, again, strict=True):
        if saved.support in _ORDER and _ORDER.get(now.support, 0) < _ORDER[saved.support]:
            why = f" ({now.reasons[0]})" if now.reasons else ""
            breaches.append(f"said to be {saved.support}, found {now.support}: {saved.text[:80]}{why}")
    counts = report.get("support") or {}
    for verdict in _ORDER:
        held = sum(sentence.support == verdict for sentence in sentences)
        if counts.get(verdict, held) != held:
            breaches.append(f"{counts[verdict]} sentences are counted as {verdict}, {held} are in the report")
    return breaches


def _read(report: Mapping[str, Any]) -> tuple[list[Evidence], list[Sentence]]:
    try:
        evidence = [_made(Evidence, entry) for entry in report["evidence"]]
        sentences = [_made(Sentence, entry) for entry in report["answer"]["sentences"]]
    except (KeyError, TypeError) as error:
        raise UsageError(
            f"this is not a report of `tamis scroll --json`: {error}", fix="save one with tamis scroll … --json"
        ) from error
    return evidence, sentences


def _made(kind: type[Any], entry: Mapping[str, Any]) -> Any:  # noqa: ANN401 - one of two schema classes
    names = {field.name for field in fields(kind)}
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entry.items() if name in names
    }
    return kind(**values)


def _evidence(evidence: Sequence[Evidence], document_text: Callable[[str], str | None]) -> list[str]:
    breaches: list[str] = []
    labels = [item.label for item in evidence]
    breaches += [f"label {label} is given twice" for label in sorted({la for la in labels if labels.count(la) > 1})]
    for item in evidence:
        start, end = item.span
        if not 0 <= start < end:
            breaches.append(f"{item.label} has no valid span: {start}-{end}")
            continue
        if not _SHA256.fullmatch(item.sha256):
            breaches.append(f"{item.label} has no valid sha256: {item.sha256!r}")
            continue
        text = document_text(item.document_id)
        if text is not None and sha256_hex(text[start:end]) != item.sha256:
            breaches.append(f"{item.label} is no longer what {item.document_id} says at {start}-{end}")
    return breaches


def _labels(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> list[str]:
    known = {item.label for item in evidence}
    return [
        f"{label} is cited but not in the evidence: {sentence.text[:80]}"
        for sentence in sentences
        for label in sentence.citations
        if label not in known
    ]
