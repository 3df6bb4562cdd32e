import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tamis.reduce.budget import shares
from tamis.reduce.compress import compress
from tamis.reduce.duplicates import unique
from tamis.reduce.select import mmr, neighbourhood, question_similarity, select
from tamis.settings import ReduceSettings


def _unit(*rows):
    matrix = np.array(rows, dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@given(st.lists(st.integers(0, 500), max_size=12), st.integers(0, 2000))
def test_shares_are_fair(demands, budget):
    out = shares(demands, budget)
    assert sum(out) <= budget
    assert all(0 <= share <= demand for share, demand in zip(out, demands, strict=True))
    assert sum(out) == min(budget, sum(demands))
    wanting = [share for share, demand in zip(out, demands, strict=True) if share < demand]
    assert not wanting or (max(out) <= min(wanting) + 1)


def test_short_items_leave_their_budget_to_long_ones():
    assert shares([10, 100, 100], 110) == [10, 50, 50]


def test_the_best_subquery_counts_not_the_mean():
    vectors = _unit([1, 0, 0], [1, 1, 0.2])
    queries = _unit([1, 0, 0], [0, 1, 0])
    near = question_similarity(queries, vectors)
    assert near[0] > near[1]


def test_mmr_prefers_news_to_repetition():
    vectors = _unit([1, 0], [1, 0.01], [0.6, 0.8])
    scores = np.array([0.9, 0.89, 0.7], dtype=np.float32)
    assert mmr(scores, vectors, trade=0.5, limit=2) == [0, 2]
    assert mmr(scores, vectors, trade=1.0, limit=2) == [0, 1]


def test_mmr_breaks_ties_by_the_lower_index_and_takes_none_twice():
    vectors = _unit([1, 0], [1, 0], [1, 0])
    assert mmr(np.ones(3, dtype=np.float32), vectors, trade=0.85, limit=9) == [0, 1, 2]


def test_neighbours_end_at_the_group():
    near = np.array([0.2, 0.8, 0.4], dtype=np.float32)
    assert neighbourhood(near, ["a", "a", "b"]).tolist() == np.array([0.8, 0.2, 0.4], dtype=np.float32).tolist()


def test_select_lifts_what_stands_among_relevant_sentences():
    vectors = _unit([1, 0.1, 0], [0.7, 0.7, 0], [1, 0, 0.1], [0.7, 0, 0.7])
    query = _unit([1, 0, 0])
    chosen = select(query, vectors, groups=["a", "a", "a", "b"], content=np.ones(4, np.float32), trade=1.0, limit=4)
    assert chosen.index(1) < chosen.index(3)


def test_duplicates_by_meaning_and_by_wording_leave_the_best():
    texts = [
        "the cat sat on the mat all day",
        "a feline rested upon a rug",
        "today the cat sat on the mat all day",
        "dogs bark",
    ]
    vectors = _unit([1, 0, 0], [1, 0.05, 0], [0, 1, 0], [0, 0, 1])
    kept, stands_for = unique(texts, vectors, np.array([0.5, 0.9, 0.1, 0.3], np.float32), floor=0.93)
    assert kept == [1, 2, 3]
    assert stands_for == {1: (0,)}
    kept, stands_for = unique(texts, vectors, np.array([0.9, 0.5, 0.1, 0.3], np.float32), floor=0.93)
    assert kept == [0, 3]
    assert stands_for == {0: (1, 2)}


def test_compress_keeps_document_order_and_the_lead():
    vectors = _unit(*np.eye(6) + 0.5)
    chosen = compress(vectors, np.ones(6, np.float32), limit=3, settings=ReduceSettings(), lead=True)
    assert chosen == [0, 1, 2]
    assert compress(vectors[:0], np.ones(0, np.float32), limit=3, settings=ReduceSettings(), lead=True) == []
