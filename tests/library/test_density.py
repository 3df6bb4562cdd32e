import numpy as np

from library.clouds import clouds, same_division
from tamis.library.density import dense_places, reduced


def test_clouds_are_dense_and_dust_is_not():
    vectors, labels = clouds([60, 60, 60], spread=0.03)
    dust = np.random.default_rng(5).normal(size=(15, vectors.shape[1]))
    dust = (dust / np.linalg.norm(dust, axis=1, keepdims=True)).astype(np.float32)
    found = dense_places(np.vstack([vectors, dust]), np.ones(195, dtype=int), 10)
    placed = found[:180] >= 0
    assert placed.mean() > 0.9
    assert same_division(found[:180][placed].tolist(), labels[placed].tolist())
    assert (found[180:] == -1).mean() > 0.4


def test_one_row_or_few_rows_have_no_dense_place():
    assert dense_places(np.ones((1, 3), dtype=np.float32), np.ones(1, dtype=int), 5).tolist() == [-1]
    assert (dense_places(clouds([4])[0], np.ones(4, dtype=int), 5) == -1).all()


def test_copies_make_a_place_large_enough():
    vectors, _ = clouds([12, 12], spread=0.02)
    alone = dense_places(vectors, np.ones(24, dtype=int), 20)
    copied = dense_places(vectors, np.full(24, 2), 20)
    assert (alone == -1).all()
    assert same_division(copied.tolist(), [0] * 12 + [1] * 12)


def test_reduction_keeps_who_is_near():
    vectors, labels = clouds([30, 30, 30])
    short = reduced(vectors, 5)
    assert short.shape == (90, 5)
    likeness = short @ short.T
    inside = labels[:, None] == labels
    assert likeness[inside].min() > likeness[~inside].max()


def test_reduction_of_equal_rows_is_nothing():
    assert reduced(np.tile(np.float32([0.6, 0.8]), (4, 1))).shape == (4, 0)
