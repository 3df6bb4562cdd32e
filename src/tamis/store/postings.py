"""An inverted index as arrays, and BM25F over it. Pure functions, no files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tamis.store.nouns import FieldWeights
from tamis.text.fingerprints import hash64
from tamis.text.tokens import terms as analysed

FIELDS = ("title", "headings", "body")

TERM = np.dtype([("term", "<u8"), ("tf", "<u2", (len(FIELDS),))])
"""One distinct term of a passage: its hash and how often each field holds it."""

_DENSE = 8
"""A term in fewer than one of so many passages is scored by picking out its rows."""
_MOST = np.iinfo(np.uint16).max

Terms = npt.NDArray[np.void]
"""(T,) of `TERM`, ascending by hash."""


@dataclass(frozen=True, slots=True)
class FieldPostings:
    """Where one field holds which term, over P pairs of term and passage.

    Attributes:
        starts: (T + 1,) int64; the postings of term i are ``starts[i]:starts[i + 1]``.
        rows: (P,) int32 passage rows, ascending within a term.
        tf: (P,) uint16 frequencies, all above 0.
    """

    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    tf: npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Postings:
    """An inverted index over N passages.

    Each field has postings of its own: most terms stand in few titles, and scoring reads nothing that is zero.

    Attributes:
        terms: (T,) uint64, ascending.
        frequencies: (T,) int32 passages that hold the term in any field.
        fields: one for each of `FIELDS`.
        lengths: (3, N) uint32 terms by field.
    """

    terms: npt.NDArray[np.uint64]
    frequencies: npt.NDArray[np.int32]
    fields: tuple[FieldPostings, ...]
    lengths: npt.NDArray[np.uint32]

    @property
    def passages(self) -> int:
        """How many passages are indexed."""
        return int(self.lengths.shape[1])

    def find(self, term: str) -> int | None:
        """Position of an analysed term, None for an unknown one."""
        hashed = hash64(term)
        at = int(np.searchsorted(self.terms, np.uint64(hashed)))
        return at if at < len(self.terms) and int(self.terms[at]) == hashed else None

    def frequencies_of(self, terms: Sequence[str]) -> npt.NDArray[np.int64]:
        """(len(terms),) how many passages hold each analysed term."""
        hashed = np.fromiter(map(hash64, terms), dtype=np.uint64, count=len(terms))
        if not len(self.terms):
            return np.zeros(len(terms), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.terms, hashed), len(self.terms) - 1)
        return np.where(self.terms[at] == hashed, self.frequencies[at], 0).astype(np.int64)


def count_terms(fields: Sequence[str]) -> tuple[Terms, tuple[int, ...]]:
    """The distinct terms of one passage, and the length of each field.

    Args:
        fields: the text of each of `FIELDS`.
    """
    found = [analysed(text) for text in fields]
    counted = [Counter(terms) for terms in found]
    names = list({term for terms in counted for term in terms})
    table = np.zeros(len(names), dtype=TERM)
    table["term"] = [hash64(name) for name in names]
    table["tf"] = np.minimum([[terms[name] for terms in counted] for name in names], _MOST) if names else 0
    table.sort(order="term")
    return table, tuple(len(terms) for terms in found)


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
    ascending, rows = terms["term"][order], rows[order]
    starts = np.flatnonzero(np.diff(ascending, prepend=~ascending[:1])) if len(order) else order
    edges = np.append(starts, len(order)).astype(np.int64)
    fields = []
    for field in range(len(FIELDS)):
        tf = terms["tf"][:, field][order]
        held = np.flatnonzero(tf)
        fields.append(FieldPostings(np.searchsorted(held, edges).astype(np.int64), rows[held], tf[held]))
    return Postings(ascending[starts], np.diff(edges).astype(np.int32), tuple(fields), lengths)


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
    weight = np.zeros(postings.passages, dtype=np.float32)
    # In a fixed order: float addition depends on it.
    for term, boost in sorted(terms.items()):
        at = postings.find(term)
        if at is None or boost <= 0:
            continue
        frequency = int(postings.frequencies[at])
        touched = _add_fields(postings, factors, at, weight)
        scale = np.float32(boost * idf(postings.passages, frequency))
        if frequency * _DENSE < postings.passages:
            rows = np.concatenate(touched)
            some = weight[rows]
            # A row that two fields touch stands there twice with the same value, and is set to it twice.
            scores[rows] = scores[rows] + scale * (some / (some + np.float32(k1)))
            weight[rows] = 0.0
        else:
            # Whole arrays are cheaper to go through than most of their elements to pick out.
            scores += scale * (weight / (weight + np.float32(k1)))
            weight.fill(0.0)
    return scores


def _add_fields(
    postings: Postings, factors: npt.NDArray[np.float32], at: int, weight: npt.NDArray[np.float32]
) -> list[npt.NDArray[np.intp]]:
    """Put a term's normalised and boosted frequencies, summed over the fields, into a zeroed (N,) array.

    Returns:
        The rows of each field.
    """
    touched: list[npt.NDArray[np.intp]] = []
    for factor, field in zip(factors[::-1], postings.fields[::-1], strict=True):
        where = slice(int(field.starts[at]), int(field.starts[at + 1]))
        rows = field.rows[where].astype(np.intp)
        values = field.tf[where] * factor.take(rows, mode="clip")
        # The body comes first and finds nothing but zeros.
        weight[rows] = values + weight[rows] if touched else values
        touched.append(rows)
    return touched
