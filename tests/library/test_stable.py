import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.library.stable import former_places, kept_ids, primary_members
from tamis.schema.library import Member, Theme


def _theme(name, chunks, *, second=(), outlier=False):
    members = tuple(Member(chunk, 1.0) for chunk in sorted(chunks)) + tuple(
        Member(c, 0.1, primary=False) for c in second
    )
    return Theme(f"f/s/{name}", "f", "f/s", name, (), members, outlier)


def _kept(new, former, overlap=0.5):
    return {position: theme.label for position, theme in kept_ids(new, former, overlap).items()}


def test_most_members_stay():
    assert _kept([set("abcx")], [_theme("old", "abcd")]) == {0: "old"}
    assert _kept([set("axyz")], [_theme("old", "abcd"), _theme("gone", "xyz")]) == {0: "gone"}


def test_chunks_new_to_the_collection_do_not_count():
    assert _kept([set("abcd") | {f"new{n}" for n in range(50)}], [_theme("old", "abcd")]) == {0: "old"}


def test_chunks_that_vanished_count():
    assert _kept([set("a")], [_theme("old", "abcd")]) == {}


@pytest.mark.parametrize(
    ("parts", "kept"), [(("abcdef", "gh"), {0: "old"}), (("abcd", "efgh"), {0: "old"}), (("abc", "def", "gh"), {})]
)
def test_split(parts, kept):
    assert _kept([set(part) for part in parts], [_theme("old", "abcdefgh")]) == kept


def test_merge_takes_the_larger_part():
    former = [_theme("large", "abcdef"), _theme("small", "gh")]
    assert _kept([set("abcdefgh")], former) == {0: "large"}
    assert _kept([set("abcdefgh")], [_theme("one", "abc"), _theme("two", "def"), _theme("three", "gh")]) == {}


def test_secondary_members_do_not_decide():
    assert primary_members(_theme("old", "ab", second="cd")) == {"a", "b"}
    assert former_places([_theme("old", "ab", second="c"), _theme("other", "c", outlier=True)], "abcx") == {
        "a": 0,
        "b": 0,
        "c": -1,
    }


@given(
    st.lists(st.sets(st.integers(0, 30), min_size=1), max_size=6),
    st.lists(st.sets(st.integers(0, 30), min_size=1), max_size=6),
)
def test_no_id_goes_to_two_themes(new, former):
    themes = [_theme(str(number), {str(chunk) for chunk in chunks}) for number, chunks in enumerate(former)]
    kept = kept_ids([{str(chunk) for chunk in chunks} for chunks in new], themes, 0.3)
    assert len({theme.theme_id for theme in kept.values()}) == len(kept)
    assert all(primary_members(theme) & {str(chunk) for chunk in new[place]} for place, theme in kept.items())
