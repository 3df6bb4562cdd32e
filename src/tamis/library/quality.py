"""How good the evidence behind a card is, computed from what can be counted (L8).

The rubric, first line that holds:

=========  ==========================================================================================================
debated    statements of independent origins contradict each other, and they are quoted
unclear    nothing is there, or the card speaks for less than a quarter of its passages
high       five or more origins, at least half of the passages covered, and more than one kind of source or year
medium     three or more origins and at least 35 % covered
low        everything else
=========  ==========================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

from tamis.schema.library import EvidenceBasis, EvidenceQuality, Quote

HIGH_ORIGINS, HIGH_COVERAGE = 5, 0.5
MEDIUM_ORIGINS, MEDIUM_COVERAGE = 3, 0.35
LEAST_COVERAGE = 0.25
_FEW_ORIGINS = 0.8
"""Share of the documents below which it is told that there are fewer origins."""


def evidence_quality(basis: EvidenceBasis) -> EvidenceQuality:
    """The grade that the rubric gives."""
    if basis.opposing:
        return "debated"
    if not basis.origins or basis.coverage < LEAST_COVERAGE:
        return "unclear"
    varied = len(basis.source_types) > 1 or (basis.years is not None and basis.years[0] != basis.years[1])
    if basis.origins >= HIGH_ORIGINS and basis.coverage >= HIGH_COVERAGE and varied:
        return "high"
    if basis.origins >= MEDIUM_ORIGINS and basis.coverage >= MEDIUM_COVERAGE:
        return "medium"
    return "low"


def controversy_note(opposing: Sequence[tuple[Quote, Quote]]) -> str:
    """Names the disagreement in the sources' own words; empty without one."""
    if not opposing:
        return ""
    left, right = opposing[0]
    more = f" {len(opposing) - 1} more such pair{'s' * (len(opposing) > 2)}." if len(opposing) > 1 else ""
    return f"Sources differ: “{left.text}”{_dated(left)} against “{right.text}”{_dated(right)}.{more}"


def _dated(quote: Quote) -> str:
    return f" ({quote.year})" if quote.year is not None else ""


def confidence_note(basis: EvidenceBasis) -> str:
    """Names what is thin; empty where nothing is."""
    thin = []
    if basis.origins < MEDIUM_ORIGINS:
        thin.append("a single source" if basis.origins == 1 else f"only {basis.origins} independent sources")
    elif basis.origins < _FEW_ORIGINS * basis.documents:
        thin.append(f"{basis.documents} documents, but {basis.origins} independent sources")
    if basis.chunks and not basis.coverage:
        thin.append("its passages hold no prose to quote")
    elif basis.coverage < HIGH_COVERAGE:
        thin.append(f"the card speaks for {round(100 * basis.coverage)} % of its passages")
    if basis.years is None:
        thin.append("no source is dated")
    elif basis.years[0] == basis.years[1] and basis.documents > 1:
        thin.append(f"every dated source is from {basis.years[0]}")
    return f"Thin: {'; '.join(thin)}." if thin else ""
