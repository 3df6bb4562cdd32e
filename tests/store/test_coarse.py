from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.store import coarse, dense


def unit(rows):
    return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype(np.float32)


def clustered(seed, count, dimensions, noise):
    rng = np.random.default_rng(seed)
    centres = unit(rng.normal(size=(max(1, count // 50), dimensions)))
    return unit(centres[rng.integers(len(centres), size=count)] + rng.normal(scale=noise, size=(count, dimensions)))


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3000),
    st.sampled_from([1, 2, 3, 16, 64, 384]),
    st.sampled_from([0.0, 0.001, 0.05, 0.5]),
    st.integers(1, 1200),
)
def test_two_looks_find_what_one_finds(seed, count, dimensions, noise, k):
    vectors = clustered(seed, count, dimensions, noise)
    vector = clustered(seed + 1, 1, dimensions, noise)[0] if seed % 2 else vectors[seed % count]
    rows, scores = coarse.nearest(coarse.coarse(vectors), vectors, vector, k)
    wanted_rows, wanted_scores = dense.nearest(vectors, vector, k)
    np.testing.assert_array_equal(rows, wanted_rows)
    np.testing.assert_array_equal(scores, wanted_scores)


def test_few_vectors_are_looked_at_twice(monkeypatch):
    seen = []
    monkeypatch.setattr(coarse, "rescored", lambda m, v, rows: seen.append(len(rows)) or dense.rescored(m, v, rows))
    vectors = clustered(0, 20_000, 384, 0.05)
    coarse.nearest(coarse.coarse(vectors), vectors, vectors[7], 100)
    assert 100 <= seen[0] < 1000


def test_rows_of_zeros_come_last_and_nothing_is_no_error():
    vectors = np.zeros((3, 8), dtype=np.float32)
    vectors[1, 2] = 1.0
    rows, scores = coarse.nearest(coarse.coarse(vectors), vectors, vectors[1], 2)
    assert rows.tolist() == [1, 0] and scores.tolist() == [1.0, 0.0]
    assert len(coarse.nearest(coarse.coarse(vectors[:0]), vectors[:0], vectors[1], 2)[0]) == 0


def test_vectors_that_were_damaged_since_are_refused():
    vectors = clustered(0, 50, 16, 0.5)
    rounded = coarse.coarse(vectors)
    for wrong in (np.nan, 1e30, -2.0):
        damaged = vectors.copy()
        damaged[3] = wrong
        with pytest.raises(ValueError, match="not those that were rounded"):
            coarse.nearest(rounded, damaged, vectors[3], 5)


@given(st.lists(st.floats(0, 1, width=32), min_size=2, max_size=400), st.integers(1, 399))
def test_the_kth_highest_is_what_sorting_says(scores, k):
    k = min(k, len(scores) - 1)
    assert dense.kth_highest(np.array(scores, dtype=np.float32), k) == sorted(scores, reverse=True)[k - 1]
