"""How good the evidence behind a card is, computed from what can be counted (L8).

The rubric, first line that holds:

=========  ==========================================================================================================
debated    statements of independent origins contradict each other, and they are quoted
unclear    nothing is there, or the card speaks for less than a quarter of its passages
high       five or more origins, at least half of the passages covered, and more than one kind of source or year
medium     three or more origins and at least 35 % covered
low        everything else; and what does not hold together, however much is covered: sentences that speak for a
           passage or two each are no evidence for each other
=========  ==========================================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tamis.schema.library import EvidenceBasis, EvidenceQuality, Quote

HIGH_ORIGINS, HIGH_COVERAGE = 5, 0.5
MEDIUM_ORIGINS, MEDIUM_COVERAGE = 3, 0.35
LEAST_COVERAGE = 0.25
COHESIVE = 0.67
"""Mean cosine of two passages from which a theme holds together; those of a mixed folder lie near .66."""
_MOSTLY = 0.5
"""Share of the documents that has to be dated for years to speak for all of them."""
_FEW_ORIGINS = 0.8
"""Share of the documents below which it is told that there are fewer origins."""


def evidence_quality(basis: EvidenceBasis) -> EvidenceQuality:
    """The grade that the rubric gives."""
    if basis.opposing:
        return "debated"
    if not basis.origins or basis.coverage < LEAST_COVERAGE:
        return "unclear"
    varied = len(basis.source_types) > 1 or (basis.years is not None and basis.years[0] != basis.years[1])
    if basis.cohesion is not None and basis.cohesion < COHESIVE:
        return "low"
    if basis.origins >= HIGH_ORIGINS and basis.coverage >= HIGH_COVERAGE and varied:
        return "high"
    if basis.origins >= MEDIUM_ORIGINS and basis.coverage >= MEDIUM_COVERAGE:
        return "medium"
    return "low"


def controversy_note(opposing: Sequence[tuple[Quote, Quote]]) -> str:
    """Names every disagreement in the sources' own words, each with its passage; empty without one."""
    if not opposing:
        return ""
    pairs = [f"{_said(left)} against {_said(right)}" for left, right in opposing]
    return f"Sources differ: {'; '.join(pairs)}."


def with_numbers(note: str, numbers: Mapping[str, int]) -> str:
    """A note on disagreements with ``[c1]`` in place of a passage's id.

    Args:
        note: made by `controversy_note`.
        numbers: passage id → number; others keep their id.
    """
    for chunk_id, number in numbers.items():
        note = note.replace(f"[{chunk_id}]", f"[c{number}]")
    return note


def _said(quote: Quote) -> str:
    year = f" ({quote.year})" if quote.year is not None else ""
    return f"“{quote.text}”{year} [{quote.chunk_id}]"


def confidence_note(basis: EvidenceBasis, *, quoted: bool = False) -> str:
    """Names what is thin; empty where nothing is.

    Args:
        basis: what was counted.
        quoted: whether the card quotes anything.
    """
    thin = []
    if basis.origins < MEDIUM_ORIGINS:
        thin.append("a single source" if basis.origins == 1 else f"only {basis.origins} independent sources")
    elif basis.origins < _FEW_ORIGINS * basis.documents:
        thin.append(f"{basis.documents} documents, but {basis.origins} independent sources")
    if basis.chunks and not basis.coverage and not quoted:
        thin.append("its passages hold no prose to quote")
    elif basis.coverage < HIGH_COVERAGE:
        share = round(100 * basis.coverage)
        thin.append(f"the card speaks for {f'{share} %' if share else 'none'} of its passages")
    if basis.cohesion is not None and basis.cohesion < COHESIVE:
        thin.append("its passages have little in common")
    if dates := _dates(basis):
        thin.append(dates)
    return f"Thin: {'; '.join(thin)}." if thin else ""


def _dates(basis: EvidenceBasis) -> str:
    """What is thin about the years of the sources."""
    if basis.years is None:
        return "no source is dated"
    first, last = basis.years
    if basis.dated <= _MOSTLY * basis.documents:
        when = f"{first}" if first == last else f"{first}-{last}"
        return f"{basis.dated} of {basis.documents} sources {'is' if basis.dated == 1 else 'are'} dated ({when})"
    if first == last and basis.documents > 1:
        return f"every {'dated ' * (basis.dated < basis.documents)}source is from {first}"
    return ""
