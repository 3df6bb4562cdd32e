import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from library.clouds import clouds, same_division
from tamis.library.communities import (
    UNKNOWN,
    coherence,
    extended,
    leiden,
    merged,
    modularity,
    numbered,
    shares,
    without_small,
)
from tamis.library.neighbours import entity_matrix, nearest_by_vector

NOTHING = csr_array((6, 0))


def _graph(sizes, **how):
    vectors, labels = clouds(sizes, **how)
    return nearest_by_vector(vectors, 8).union(), labels


def test_leiden_finds_clouds():
    graph, labels = _graph([30, 25, 20])
    assert same_division(leiden(graph, resolution=0.7, seed=0).tolist(), labels.tolist())


def test_leiden_without_edges_leaves_every_row_alone():
    assert leiden(csr_array((4, 4)), resolution=1.0, seed=0).tolist() == [0, 1, 2, 3]


def test_leiden_keeps_rows_without_edges():
    graph = csr_array(([1.0, 1.0], ([0, 2], [2, 0])), shape=(4, 4))
    assert leiden(graph, resolution=1.0, seed=3).tolist() == [0, 1, 0, 2]


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=30))
def test_numbered_counts_by_first_row(labels):
    found = numbered(np.array(labels)).tolist()
    firsts = list(dict.fromkeys(label for label in found if label >= 0))
    assert firsts == list(range(len(firsts)))
    assert same_division(found, labels)
    assert [label == -1 for label in found] == [label == -1 for label in labels]


def test_modularity_of_known_graph():
    two = csr_array(np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    assert modularity(two, np.array([0, 0, 0, 1, 1, 1]), 1.0) == pytest.approx(0.5)
    assert modularity(two, np.zeros(6, dtype=int), 1.0) == pytest.approx(0.0)
    assert coherence(two, np.array([0, 0, 0, 1, 1, 1])) == pytest.approx(1.0)
    assert coherence(two, np.array([0, 1, 0, 1, 0, 1])) < 0


def test_two_passes_that_agree_perfectly_are_one():
    """Known answer: with entities and without."""
    labels = np.array([0, 0, 0, 1, 1, 1])
    names = [frozenset({"a", "b"})] * 3 + [frozenset({"c"})] * 3
    for entities in (NOTHING, entity_matrix(names)):
        assert merged(labels, labels, entities, 1.0).tolist() == labels.tolist()


def test_second_pass_places_what_the_first_could_not():
    first, second = np.array([0, 0, 0, -1, -1, -1]), np.array([0, 0, 0, 0, 1, 1])
    assert merged(first, second, NOTHING, 0.5).tolist() == [0, 0, 0, 0, 1, 1]


def test_communities_that_the_second_pass_sees_as_one_merge_only_if_they_name_the_same():
    first, second = np.array([0, 0, 0, 1, 1, 1]), np.zeros(6, dtype=int)
    same = entity_matrix([frozenset({"a"}), frozenset({"b"}), frozenset({"c"})] * 2 + [frozenset({"z"})])[:6]
    apart = entity_matrix([frozenset({"a"})] * 3 + [frozenset({"b"})] * 3)
    assert merged(first, second, same, 0.5).tolist() == [0] * 6
    assert merged(first, second, apart, 0.8).tolist() == first.tolist()


def test_disagreement_leaves_the_first_pass():
    first, second = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    assert merged(first, second, NOTHING, 0.5).tolist() == first.tolist()


def test_passes_that_found_nothing():
    none = np.full(6, -1)
    assert merged(none, none, NOTHING, 0.5).tolist() == [-1] * 6
    assert merged(np.zeros(6, dtype=int), none, NOTHING, 0.5).tolist() == [0] * 6


def test_copies_count_for_the_least_size():
    labels = np.array([0, 0, 1, 2])
    assert without_small(labels, np.array([1, 1, 5, 1]), 5).tolist() == [-1, -1, 0, -1]


def test_new_rows_follow_their_neighbours():
    graph, labels = _graph([20, 20])
    former = labels.copy()
    former[[3, 30]] = UNKNOWN
    assert extended(graph, former).tolist() == labels.tolist()


def test_a_row_that_left_its_community_is_placed_anew():
    graph, labels = _graph([20, 20])
    former = labels.copy()
    former[3] = 1
    assert extended(graph, former).tolist() == labels.tolist()


def test_outliers_stay_outliers():
    graph, labels = _graph([20, 20])
    former = np.where(np.arange(40) == 5, -1, labels)
    assert extended(graph, former)[5] == -1
    assert (extended(graph, np.full(40, UNKNOWN)) == -1).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_shares_are_parts_of_one(seed):
    graph, labels = _graph([12, 12, 12], spread=0.4, seed=seed)
    found = shares(graph, labels, 3)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(36))
