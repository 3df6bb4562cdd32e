from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.store.dense import best
from tamis.store.nouns import FieldWeights
from tamis.store.postings import FIELDS, TERM, Postings, bm25f, count_terms, field_factors, invert
from tamis.text.tokens import terms

_WORD = st.sampled_from(["apple", "pear", "plum", "fig", "lime", "kiwi"])
_FIELD = st.lists(_WORD, max_size=8).map(" ".join)
_PASSAGES = st.lists(st.tuples(_FIELD, _FIELD, _FIELD), min_size=1, max_size=12)
_QUERY = st.dictionaries(_WORD.map(lambda word: terms(word)[0]), st.floats(0.1, 4.0), max_size=5)
_WEIGHTS = st.builds(
    FieldWeights,
    k1=st.floats(0.1, 3.0),
    b=st.floats(0.0, 1.0),
    title=st.floats(0.0, 4.0),
    headings=st.floats(0.0, 4.0),
    body=st.floats(0.1, 4.0),
)


def index(passages: list[tuple[str, str, str]]) -> Postings:
    counted = [count_terms(passage) for passage in passages]
    lengths = np.array([lengths for _, lengths in counted], dtype=np.uint32).reshape(-1, len(FIELDS)).T
    sizes = np.array([len(table) for table, _ in counted], dtype=np.uint32)
    return invert(np.concatenate([np.zeros(0, dtype=TERM), *(table for table, _ in counted)]), sizes, lengths)


def naive(passages: list[tuple[str, str, str]], query: dict[str, float], weights: FieldWeights) -> list[float]:
    """The formula, word for word."""
    analysed = [[terms(text) for text in passage] for passage in passages]
    boosts = (weights.title, weights.headings, weights.body)
    means = [sum(len(fields[f]) for fields in analysed) / len(analysed) for f in range(3)]
    scores = []
    for fields in analysed:
        score = 0.0
        for term, boost in query.items():
            df = sum(any(term in field for field in other) for other in analysed)
            pseudo = 0.0
            for f in range(3):
                if fields[f]:
                    norm = 1 - weights.b + weights.b * len(fields[f]) / means[f]
                    pseudo += boosts[f] * fields[f].count(term) / norm
            if pseudo:
                idf = log(1 + (len(analysed) - df + 0.5) / (df + 0.5))
                score += boost * idf * pseudo / (weights.k1 + pseudo)
        scores.append(score)
    return scores


@given(_PASSAGES, _QUERY, _WEIGHTS)
def test_bm25f_is_the_formula(
    passages: list[tuple[str, str, str]], query: dict[str, float], weights: FieldWeights
) -> None:
    postings = index(passages)
    found = bm25f(postings, field_factors(postings.lengths, weights), query, k1=weights.k1)
    assert found == pytest.approx(naive(passages, query, weights), rel=1e-4, abs=1e-6)


@given(_PASSAGES)
def test_postings_hold_every_count_once(passages: list[tuple[str, str, str]]) -> None:
    postings = index(passages)
    assert postings.passages == len(passages)
    assert (np.diff(postings.terms.astype(object)) > 0).all()
    for number, field in enumerate(postings.fields):
        assert field.tf.sum() == sum(len(terms(passage[number])) for passage in passages)
        for start, stop in pairwise(field.starts):
            assert (np.diff(field.rows[start:stop]) > 0).all()
    for at, frequency in enumerate(postings.frequencies):
        holders = [set(field.rows[field.starts[at] : field.starts[at + 1]].tolist()) for field in postings.fields]
        assert frequency == len(set().union(*holders))


def test_a_title_counts_more_than_a_body_and_a_short_body_more_than_a_long_one() -> None:
    postings = index([("fig", "", "pear"), ("pear", "", "fig"), ("pear", "", "fig pear pear lime lime plum")])
    scores = bm25f(postings, field_factors(postings.lengths, FieldWeights()), {"fig": 1.0}, k1=1.2)
    assert scores[0] > scores[1] > scores[2] > 0


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30), st.integers(0, 12), st.sampled_from([-1.0, 0.0, 0.5])
)
def test_best_orders_by_score_then_row(scores: list[float], k: int, above: float) -> None:
    rows = best(np.array(scores), k, above=above)
    expected = sorted((row for row, score in enumerate(scores) if score > above), key=lambda row: (-scores[row], row))
    assert rows.tolist() == expected[:k]
