import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library.clouds import clouds, ids, same_division, texts
from tamis.library.themes import OUTLIERS, make_themes
from tamis.settings_library import LayerBSettings

SETTINGS = LayerBSettings()
NONE = frozenset()


def _make(vectors, labels, how=SETTINGS, previous=(), *, names=None, words=None, chunk_ids=None, **more):
    return make_themes(
        "food",
        "food/shelf",
        chunk_ids or ids(labels),
        vectors,
        names or [NONE] * len(labels),
        words or texts(labels),
        how,
        previous,
        **more,
    )


def _places(themes, chunk_ids):
    place = {member.chunk_id: theme.theme_id for theme in themes for member in theme.members if member.primary}
    return [place[chunk_id] for chunk_id in chunk_ids]


def _all_are_there(themes, chunk_ids):
    primary = [member.chunk_id for theme in themes for member in theme.members if member.primary]
    assert sorted(primary) == sorted(chunk_ids)
    assert len({theme.theme_id for theme in themes}) == len(themes)
    assert len({theme.label.casefold() for theme in themes}) == len(themes)
    for theme in themes:
        assert theme.theme_id.rsplit("/", 1)[0] == theme.shelf_id == "food/shelf"
        assert [(-m.weight, m.chunk_id) for m in theme.members] == sorted(
            (-m.weight, m.chunk_id) for m in theme.members
        )
        assert all(0.0 <= member.weight <= 1.0 for member in theme.members)


@pytest.mark.parametrize("method", ["communities", "density"])
def test_themes_are_the_clouds(method):
    vectors, labels = clouds([60, 50, 40], spread=0.03)
    themes = _make(vectors, labels, SETTINGS.model_copy(update={"method": method}))
    _all_are_there(themes, ids(labels))
    inside = [theme for theme in themes if not theme.outlier]
    assert [len([m for m in theme.members if m.primary]) for theme in inside] == [60, 50, 40] or method == "density"
    assert len(inside) == 3
    assert "calcium" in " ".join(inside[0].keywords)


def test_a_small_shelf_is_one_theme():
    vectors, labels = clouds([25, 24])
    themes = _make(vectors, labels)
    assert len(themes) == 1
    assert not themes[0].outlier
    _all_are_there(themes, ids(labels))
    named = _make(vectors, labels, shelf_label="Bones")
    assert (named[0].label, named[0].theme_id) == ("Bones", "food/shelf/bones")
    assert named[0].keywords == themes[0].keywords


def test_nothing_one_chunk_and_identical_chunks():
    assert _make(np.zeros((0, 4), dtype=np.float32), []) == []
    one = _make(np.float32([[1, 0, 0, 0]]), [0])
    assert [member.chunk_id for member in one[0].members] == ["doc0000#c0"]
    assert one[0].members[0].weight == pytest.approx(1.0)
    same = _make(np.tile(np.float32([0.6, 0.8]), (80, 1)), [0] * 80)
    assert len(same) == 1
    _all_are_there(same, ids([0] * 80))


def test_identical_texts_under_other_ids_all_stay_together():
    vectors, labels = clouds([40, 40])
    vectors[40:47] = vectors[40]
    themes = _make(vectors, labels)
    _all_are_there(themes, ids(labels))
    assert len(set(_places(themes, ids(labels))[40:47])) == 1


def test_only_tables_and_vectors_of_nothing():
    labels = [0] * 60
    words = [f"| mg | {row} |\n|---|---|\n| 1 | 2 |" for row in range(60)]
    for vectors in (clouds([60])[0], np.zeros((60, 4), dtype=np.float32)):
        themes = _make(vectors, labels, words=words)
        _all_are_there(themes, ids(labels))
        assert all(theme.label for theme in themes)


def test_outliers_are_kept_and_counted():
    vectors, labels = clouds([50, 50, 3], spread=0.02, dimensions=80)
    vectors[-3:] = np.eye(80, dtype=np.float32)[-3:]
    themes = _make(vectors, labels, SETTINGS.model_copy(update={"method": "density"}))
    assert themes[-1].outlier
    assert themes[-1].theme_id == f"food/shelf/{OUTLIERS}"
    lonely = {f"doc{row:04}#c0" for row in (100, 101, 102)}
    assert {member.chunk_id for member in themes[-1].members} & lonely
    assert len(themes[-1].members) < 10
    _all_are_there(themes, ids(labels))


def test_entities_join_what_vectors_leave_apart():
    vectors, labels = clouds([30, 30, 30], spread=0.03)
    chance = np.random.default_rng(0)
    names = [
        frozenset(f"{'e' if label < 2 else 'z'}{n}" for n in chance.choice(8, 3, replace=False)) for label in labels
    ]
    wide = SETTINGS.model_copy(update={"neighbours": 25})
    assert [len(theme.members) for theme in _make(vectors, labels, wide)] == [30, 30, 30]
    places = _places(_make(vectors, labels, wide, names=names), ids(labels))
    assert same_division(places, [0] * 60 + [1] * 30)
    # Who is named in only one of the two clouds keeps them apart.
    own = [name | {f"only{label}{n}" for n in range(9)} for name, label in zip(names, labels, strict=True)]
    places = _places(_make(vectors, labels, wide, names=own), ids(labels))
    assert same_division(places, labels.tolist())


def test_ids_below_the_shelf_are_not_given_to_themes():
    vectors, labels = clouds([60, 50])
    first = _make(vectors, labels)
    taken = {first[0].theme_id, f"food/shelf/{OUTLIERS}"}
    assert not taken & {theme.theme_id for theme in _make(vectors, labels, taken=taken)}


def test_a_rebuild_of_the_same_is_the_same():
    vectors, labels = clouds([60, 50, 40], spread=0.2)
    first = _make(vectors, labels)
    assert _make(vectors, labels, previous=first) == first
    assert _make(vectors, labels, previous=first[::-1]) == first


def test_one_more_document_changes_one_theme():
    vectors, labels = clouds([60, 50, 40], spread=0.2)
    first = _make(vectors[:-1], labels[:-1])
    second = _make(vectors, labels, previous=first)
    assert [theme.theme_id for theme in second] == [theme.theme_id for theme in first]
    assert second[:2] == first[:2]
    assert ids(labels)[-1] in {member.chunk_id for member in second[2].members}


def test_a_vanished_cloud_takes_its_theme_along():
    vectors, labels = clouds([60, 50, 40])
    first = _make(vectors, labels)
    second = _make(vectors[:110], labels[:110], previous=first)
    assert [theme.theme_id for theme in second] == [theme.theme_id for theme in first[:2]]
    assert [theme.label for theme in second] == [theme.label for theme in first[:2]]


def test_a_theme_that_falls_apart_is_divided_anew():
    vectors, labels = clouds([60, 60, 60])
    joined = _make(vectors, labels, SETTINGS.model_copy(update={"minimum_chunks": 500}))
    assert len(joined) == 1
    themes = _make(vectors, labels, previous=joined)
    assert len(themes) == 3
    assert same_division(_places(themes, ids(labels)), labels.tolist())


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(90)), st.integers(0, 50))
def test_order_of_chunks_does_not_matter(order, seed):
    vectors, labels = clouds([40, 30, 20], spread=0.3, seed=seed)
    names, words = ids(labels), texts(labels)
    again = _make(
        vectors[list(order)], labels, words=[words[row] for row in order], chunk_ids=[names[row] for row in order]
    )
    assert again == _make(vectors, labels)


SCRIPT = """
import hashlib
from library.clouds import clouds, ids, texts
from tamis.library.induced import induce_shelves
from tamis.library.paths import Passage
from tamis.library.themes import make_themes
from tamis.settings_library import LayerASettings, LayerBSettings
vectors, labels = clouds([300, 200, 100], spread=0.25, dimensions=200)
names = [frozenset({f"e{row % 7}", f"g{label}"}) for row, label in enumerate(labels)]
for method in ("communities", "density"):
    themes = make_themes("f", "f/s", ids(labels), vectors, names, texts(labels), LayerBSettings(method=method))
    print(hashlib.sha256(repr(themes).encode()).hexdigest())
passages = [Passage(name, name, text) for name, text in zip(ids(labels), texts(labels))]
print(hashlib.sha256(repr(induce_shelves("f", passages, vectors, LayerASettings())).encode()).hexdigest())
"""


def test_the_same_in_every_process():
    found = set()
    for seed, threads in (("0", "1"), ("77", "2")):
        settings_ = {"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": "tests"}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=os.environ | settings_, capture_output=True, text=True, check=True
        )
        found.add(run.stdout)
    assert len(found) == 1
    assert len(set(found.pop().split())) == 3
