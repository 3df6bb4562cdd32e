from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tamis.rank.fusion import convex, fuse, order, ranks, reciprocal

values = arrays(np.float64, st.integers(1, 30), elements=st.one_of(st.just(np.nan), st.integers(-5, 5).map(float)))


def test_ranks_start_at_one_and_equal_values_share_the_best():
    assert ranks(np.array([3.0, 9.0, np.nan, 3.0, 1.0])).tolist() == [2, 1, 0, 2, 4]


@given(values)
def test_a_higher_value_never_has_a_worse_rank(scores):
    rank = ranks(scores)
    known = ~np.isnan(scores)
    assert (rank[~known] == 0).all()
    for left in np.flatnonzero(known):
        assert rank[left] == 1 + (scores[known] > scores[left]).sum()


def test_reciprocal_rank_adds_weight_over_sixty_plus_rank():
    signals = {"bm25": np.array([2.0, 1.0]), "query": np.array([np.nan, 0.5]), "vibe": np.array([1.0, 0.0])}
    parts = reciprocal(signals, {"bm25": 1.5, "query": 1.2})
    assert parts["bm25"].tolist() == [1.5 / 61, 1.5 / 62]
    assert parts["query"].tolist() == [0.0, 1.2 / 61]
    assert "vibe" not in parts


def test_a_signal_that_tells_nothing_apart_moves_nobody():
    signals = {"bm25": np.array([1.0, 2.0]), "quality": np.array([0.3, 0.3])}
    assert fuse(reciprocal(signals, {"bm25": 1.0, "quality": 5.0}), 2).order.tolist() == [1, 0]
    assert list(convex(signals, {"bm25": 1.0, "quality": 5.0})) == ["bm25"]


def test_convex_scales_between_floor_and_best():
    parts = convex({"query": np.array([0.9, 0.6, 0.3, np.nan])}, {"query": 2.0}, floors={"query": 0.5})
    assert np.allclose(parts["query"], [1.0, 0.25, 0.0, 0.0])


@given(values, values.map(lambda v: v))
def test_scores_lie_between_zero_and_one_and_add_up(first, second):
    size = min(len(first), len(second))
    signals = {"bm25": first[:size], "query": second[:size]}
    fused = fuse(convex(signals, {"bm25": 0.5, "query": 0.5}), size)
    assert ((fused.scores >= 0) & (fused.scores <= 1 + 1e-12)).all()
    assert np.allclose(fused.scores, sum(fused.contributions.values(), np.zeros(size)))
    assert sorted(fused.order.tolist()) == list(range(size))


def test_ties_keep_the_order_of_ids_even_after_rounding_noise():
    assert order(np.array([0.1 + 0.2, 0.3, 0.5])).tolist() == [2, 0, 1]


def test_leaving_a_signal_out():
    parts = {"bm25": np.array([1.0, 0.0]), "query": np.array([0.0, 0.4])}
    assert fuse(parts, 2).order.tolist() == [0, 1]
    assert fuse(parts, 2, without="bm25").order.tolist() == [1, 0]
