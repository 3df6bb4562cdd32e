"""A saved report, checked again offline: is it whole, and does it still say what its evidence says (C2)?"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tamis.check.ledger import check
from tamis.errors import UsageError
from tamis.models.protocols import Embedder
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence, seal
from tamis.settings import CheckSettings
from tamis.text.fingerprints import sha256_hex

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_SHA256 = re.compile(r"[0-9a-f]{64}")
_WORD = re.compile(r"\w+")
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
        document_text: the text of a document where its collection is at hand, empty for one that is gone; spans are
            then hashed again, and what the writer was shown must stand in them.

    Raises:
        UsageError: not such a report.
    """
    evidence, sentences = read_report(report)
    breaches = [*_evidence(evidence, document_text), *_labels(sentences, evidence)]
    again, _ = check(sentences, evidence, embedder=embedder, settings=settings, drop=False)
    for saved, now in zip(sentences, again, strict=True):
        if saved.support in _ORDER and _ORDER.get(now.support, 0) < _ORDER[saved.support]:
            why = f" ({now.reasons[0]})" if now.reasons else ""
            breaches.append(f"said to be {saved.support}, found {now.support}: {saved.text[:80]}{why}")
    breaches += _counts(report.get("support"), sentences)
    if report.get("seal", seal(report)) != seal(report):
        breaches.append("the report was changed after it was made: its seal does not fit")
    return breaches


def _counts(counts: object, sentences: Sequence[Sentence]) -> list[str]:
    """Where the verdicts are counted otherwise than they are given."""
    if not isinstance(counts, Mapping):
        return ["the report does not count its verdicts: `support` is missing"]
    held = {verdict: sum(sentence.support == verdict for sentence in sentences) for verdict in _ORDER}
    missing = [verdict for verdict in _ORDER if verdict not in counts]
    return [f"the report does not say how many sentences are {verdict}" for verdict in missing] + [
        f"{counts[verdict]!r} sentences are counted as {verdict}, {number} are in the report"
        for verdict, number in held.items()
        if verdict in counts and counts[verdict] != number
    ]


@lru_cache(maxsize=1)
def _shapes() -> tuple[TypeAdapter[list[Evidence]], TypeAdapter[list[Sentence]]]:
    from pydantic import TypeAdapter

    return TypeAdapter(list[Evidence]), TypeAdapter(list[Sentence])


def read_report(report: Mapping[str, Any]) -> tuple[list[Evidence], list[Sentence]]:
    """Evidence and sentences of a saved report.

    Raises:
        UsageError: not such a report.
    """
    try:
        # By way of JSON, where a list may stand for a tuple and nothing else for anything else.
        blocks, drafts = _shapes()
        evidence = blocks.validate_json(json.dumps(report["evidence"]), strict=True)
        sentences = drafts.validate_json(json.dumps(report["answer"]["sentences"]), strict=True)
        seal(report)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"this is not a report of `tamis scroll --json`: {_first(error)}", fix="save one with tamis scroll … --json"
        ) from error
    return evidence, sentences


def _first(error: Exception) -> str:
    """The first thing wrong, in one line."""
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        problem = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]!r}"
    return str(error)[:200]


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
        elif text is not None and item.kind != "table" and not _stands_in(item.text, text[start:end]):
            breaches.append(f"{item.label} shows words that {item.document_id} does not have at {start}-{end}")
    return breaches


def _stands_in(shown: str, stored: str) -> bool:
    """Whether all words that a writer saw are the stored ones, in their order; markup may be left out."""
    words = iter(_WORD.findall(stored))
    return all(word in words for word in _WORD.findall(shown))


def _labels(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> list[str]:
    known = {item.label for item in evidence}
    return [
        f"{label} is cited but not in the evidence: {sentence.text[:80]}"
        for sentence in sentences
        for label in sentence.citations
        if label not in known
    ]
