"""Small changes leave themes as they are."""

from __future__ import annotations

import numpy as np

from tamis.library.settle import settle
from tamis.schema.library import Member, Theme

IDS = [f"c{n:02}" for n in range(20)]
VECTORS = np.repeat(np.eye(2, dtype=np.float32), 10, axis=0)
HASHES = dict.fromkeys(IDS, "1")
LEFT = Theme("s/left", "s", "s", "Left", ("l",), tuple(Member(name, 0.9) for name in IDS[:10]))
RIGHT = Theme("s/right", "s", "s", "Right", ("r",), tuple(Member(name, 0.9) for name in IDS[10:]))


def test_without_a_change_nothing_changes():
    assert settle([LEFT, RIGHT], HASHES, HASHES, IDS, VECTORS) == [LEFT, RIGHT]


def test_a_changed_chunk_moves_to_its_neighbours_and_others_stay():
    vectors = VECTORS.copy()
    vectors[0] = VECTORS[15]
    found = settle([LEFT, RIGHT], HASHES, {**HASHES, "c00": "2"}, IDS, vectors)
    assert found is not None
    left, right = found
    assert [member.chunk_id for member in left.members] == IDS[1:10]
    assert {member.chunk_id for member in right.members} == {*IDS[10:], "c00"}
    assert (right.theme_id, right.label) == ("s/right", "Right")


def test_a_chunk_that_left_is_taken_out_and_an_empty_theme_goes():
    alone = Theme("s/alone", "s", "s", "Alone", (), (Member("c19", 1.0),))
    rest = Theme("s/rest", "s", "s", "Rest", (), tuple(Member(name, 0.9) for name in IDS[:19]))
    now = dict.fromkeys(IDS[:19], "1")
    found = settle([alone, rest], HASHES, now, IDS[:19], VECTORS[:19])
    assert found == [rest]


def test_a_large_change_or_a_first_time_is_not_settled():
    changed = dict.fromkeys(IDS[:5], "2") | dict.fromkeys(IDS[5:], "1")
    assert settle([LEFT, RIGHT], HASHES, changed, IDS, VECTORS) is None
    assert settle([], {}, HASHES, IDS, VECTORS) is None
