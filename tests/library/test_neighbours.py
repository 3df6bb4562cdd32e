import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.library.neighbours import entity_matrix, nearest_by_entity, nearest_by_vector


def _lists(near):
    return {
        row: list(
            zip(near.targets[near.sources == row].tolist(), near.weights[near.sources == row].tolist(), strict=True)
        )
        for row in range(near.size)
    }


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 40), st.integers(1, 12), st.integers(0, 10_000))
def test_nearest_by_vector_is_a_plain_search(size, count, seed):
    rows = np.random.default_rng(seed).normal(size=(size, 6))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    exact = np.einsum("id,jd->ij", vectors.astype(np.float64), vectors.astype(np.float64)).round(6)
    found = _lists(nearest_by_vector(vectors, count))
    for row in range(size):
        others = [other for other in range(size) if other != row and exact[row, other] > 0]
        expected = sorted(others, key=lambda other: (-exact[row, other], other))[:count]
        assert [target for target, _ in found[row]] == expected
        assert [weight for _, weight in found[row]] == pytest.approx([min(exact[row, other], 1) for other in expected])


def test_blocks_do_not_show():
    rows = np.random.default_rng(1).normal(size=(1300, 8))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    whole, part = _lists(nearest_by_vector(vectors, 5)), _lists(nearest_by_vector(vectors[:400], 399))
    kept = {row: [pair for pair in part[row] if pair in whole[row]] for row in range(400)}
    assert all(kept[row] == [pair for pair in whole[row] if pair[0] < 400] for row in range(400))


@pytest.mark.parametrize("size", [0, 1])
def test_too_few_to_have_neighbours(size):
    assert len(nearest_by_vector(np.ones((size, 3), dtype=np.float32), 5).sources) == 0


def test_zero_rows_have_no_neighbours():
    vectors = np.zeros((5, 3), dtype=np.float32)
    vectors[:2, 0] = 1.0
    near = nearest_by_vector(vectors, 3)
    assert sorted(zip(near.sources.tolist(), near.targets.tolist(), strict=True)) == [(0, 1), (1, 0)]


def test_rare_entities_join_more_than_common_ones():
    names = [frozenset({"common", "rare"}), frozenset({"common", "rare"}), frozenset({"common"}), frozenset({"other"})]
    names += [frozenset({"other"}), frozenset()]
    near = _lists(nearest_by_entity(entity_matrix(names), 3))
    assert near[0][0] == (1, 1.0)
    assert near[0][1][0] == 2
    assert near[0][1][1] < 0.7
    assert near[3] == [(4, 1.0)]
    assert near[5] == []


@pytest.mark.parametrize(
    "names", [[], [frozenset()] * 4, [frozenset({"alone"}), frozenset()], [frozenset({"all"})] * 3]
)
def test_nothing_shared_gives_no_edges(names):
    matrix = entity_matrix(names)
    assert matrix.shape[0] == len(names)
    assert len(nearest_by_entity(matrix, 3).sources) == 0


def test_union_joins_both_ways():
    vectors = np.array([[1, 0], [0.9, 0.435], [0.8, 0.6]], dtype=np.float32)
    graph = nearest_by_vector(vectors, 1).union().toarray()
    assert np.array_equal(graph, graph.T)
    assert graph[0, 1] > 0
    assert graph[0, 2] == 0
