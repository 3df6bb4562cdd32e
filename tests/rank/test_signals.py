from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.rank.signals import authority, freshness, similarity

NOW = datetime(2026, 1, 10, 12, tzinfo=UTC)


def test_freshness_halves_every_half_life():
    dates = [NOW.isoformat(), (NOW - timedelta(hours=48)).isoformat(), (NOW - timedelta(hours=96)).isoformat()]
    assert freshness(dates, NOW) == pytest.approx([1.0, 0.5, 0.25])


def test_undated_and_garbled_items_are_unknown_and_the_future_counts_as_now():
    result = freshness([None, "soon", "2027-01-01"], NOW)
    assert np.isnan(result[:2]).all()
    assert result[2] == 1.0
    assert np.isnan(freshness(["2026-01-01"], None)).all()


def test_points_count_within_their_own_source():
    result = authority([10.0, 1000.0, 10.0, None], ["a", "a", "b", "b"], baseline=0.4)
    assert result[1] == result[2] == 1.0
    assert 0 < result[0] < 0.5
    assert result[3] == 0.4


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=8))
def test_authority_stays_between_zero_and_one(points):
    result = authority(points, ["s"] * len(points))
    assert ((result >= 0) & (result <= 1)).all()


def test_similarity_is_the_maximum_over_subqueries_never_the_mean():
    subqueries = np.eye(2, 4, dtype=np.float32)
    one_half = np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32)
    both_halves = np.array([0.6, 0.6, 0.529, 0.0], dtype=np.float32)
    result = similarity(subqueries, np.stack([one_half, both_halves]))
    assert result.tolist() == pytest.approx([1.0, 0.6], abs=1e-6)
    assert (subqueries @ one_half).mean() < (subqueries @ both_halves).mean()
