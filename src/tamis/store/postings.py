"""An inverted index as arrays, and BM25F over it. Pure functions, no files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tamis.store.protocols import FieldWeights
from tamis.text.fingerprints import hash64
from tamis.text.tokens import terms as analysed

FIELDS = ("title", "headings", "body")

TERM = np.dtype([("term", "<u8"), ("tf", "<u2", (len(FIELDS),))])
"""One distinct term of a passage: its hash and how often each field holds it."""

_MOST = np.iinfo(np.uint16).max

Terms = npt.NDArray[np.void]
"""(T,) of `TERM`, ascending by hash."""


@dataclass(frozen=True, slots=True)
class Postings:
    """An inverted index over N passages.

    Attributes:
        terms: (T,) uint64, ascending.
        starts: (T + 1,) int64; the postings of term i are ``starts[i]:starts[i + 1]``.
        rows: (P,) int32 passage rows, ascending within a term.
        tf: (3, P) uint16 frequencies by field.
        lengths: (3, N) uint32 terms by field.
    """

    terms: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    tf: npt.NDArray[np.uint16]
    lengths: npt.NDArray[np.uint32]

    @property
    def passages(self) -> int:
        """How many passages are indexed."""
        return int(self.lengths.shape[1])

    def slice_of(self, term: int) -> slice:
        """Where the postings of a term hash lie; empty for an unknown term."""
        at = int(np.searchsorted(self.terms, np.uint64(term)))
        if at == len(self.terms) or int(self.terms[at]) != term:
            return slice(0, 0)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))


def count_terms(fields: Sequence[str]) -> tuple[Terms, tuple[int, ...]]:
    """The distinct terms of one passage, and the length of each field.

    Args:
        fields: the text of each of `FIELDS`.
    """
    counts: dict[int, list[int]] = {}
    lengths = []
    for number, text in enumerate(fields):
        found = analysed(text)
        lengths.append(len(found))
        for term in found:
            counts.setdefault(hash64(term), [0] * len(FIELDS))[number] += 1
    table = np.zeros(len(counts), dtype=TERM)
    for at, term_hash in enumerate(sorted(counts)):
        table[at] = (term_hash, [min(count, _MOST) for count in counts[term_hash]])
    return table, tuple(lengths)


def invert(terms: Terms, sizes: npt.NDArray[np.integer[Any]], lengths: npt.NDArray[np.uint32]) -> Postings:
    """Turn the terms of N passages into postings.

    Args:
        terms: the tables of all passages, one behind the other in row order.
        sizes: (N,) how many distinct terms each passage has.
        lengths: (3, N), see `Postings`.
    """
    rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    # Stable, so that rows stay ascending within a term.
    order = np.argsort(terms["term"], kind="stable")
    ascending = terms["term"][order]
    fresh = np.flatnonzero(np.diff(ascending, prepend=~ascending[:1])) if len(order) else order
    return Postings(
        terms=ascending[fresh],
        starts=np.append(fresh, len(order)).astype(np.int64),
        rows=rows[order],
        tf=np.ascontiguousarray(terms["tf"][order].T),
        lengths=lengths,
    )


def field_factors(lengths: npt.NDArray[np.uint32], weights: FieldWeights) -> npt.NDArray[np.float32]:
    """(3, N): what a term frequency is multiplied with, boost over length normalisation."""
    boosts = np.array([[weights.title], [weights.headings], [weights.body]], dtype=np.float64)
    if not lengths.shape[1]:
        return np.zeros(lengths.shape, dtype=np.float32)
    average = np.maximum(lengths.mean(axis=1, dtype=np.float64, keepdims=True), 1e-9)
    factors: npt.NDArray[np.float32] = (boosts / (1 - weights.b + weights.b * lengths / average + 1e-12)).astype(
        np.float32
    )
    return factors


def idf(passages: int, frequency: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)), never negative."""
    return float(np.log1p((passages - frequency + 0.5) / (frequency + 0.5)))


def bm25f(
    postings: Postings, factors: npt.NDArray[np.float32], terms: Mapping[str, float], *, k1: float
) -> npt.NDArray[np.float32]:
    """BM25F score of every passage (Robertson & Zaragoza 2009, section 3.4).

    Each field's term frequency is normalised by that field's length and boosted, the fields are summed, and only then
    saturated: Σ boost·idf·w / (k1 + w).

    Args:
        postings: the index.
        factors: from `field_factors`.
        terms: analysed term → boost.
        k1: saturation.

    Returns:
        (N,) scores; 0 for passages without any of the terms.
    """
    scores = np.zeros(postings.passages, dtype=np.float32)
    # In a fixed order: float addition depends on it.
    for term, boost in sorted(terms.items()):
        where = postings.slice_of(hash64(term))
        rows = postings.rows[where]
        if not len(rows) or boost <= 0:
            continue
        weight = postings.tf[0, where] * factors[0, rows]
        for field in range(1, len(FIELDS)):
            weight += postings.tf[field, where] * factors[field, rows]
        scores[rows] += np.float32(boost * idf(postings.passages, len(rows))) * (weight / (weight + np.float32(k1)))
    return scores
