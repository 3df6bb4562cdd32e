import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.library.longforms import long_forms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Exposure to cadmium (Cd) is common.", {"cd": "cadmium"}),
        ("People with celiac disease (CD) avoid wheat.", {"cd": "celiac disease"}),
        ("Irritable Bowel Syndrome (IBS) hurts.", {"ibs": "irritable bowel syndrome"}),
        ("Levels of C-reactive protein (CRP) rose.", {"crp": "C-reactive protein"}),
        ("The mammalian target of rapamycin (mTOR) grows.", {}),
        ("It was high (n) and odd (see Table).", {}),
        ("No such letters here (XQZ) at all.", {}),
    ],
)
def test_abbreviations_stand_for_what_a_text_says(text, found):
    assert long_forms([text]) == found


def test_most_definitions_win():
    texts = ["Cadmium (Cd) is a metal.", "They ate cadmium (Cd).", "The colonic discharge (CD) was slow."]
    assert long_forms(texts) == {"cd": "cadmium"}


@given(st.lists(st.text(alphabet="abAB ()-", max_size=60), max_size=5))
def test_any_text_is_read(texts):
    assert all(short.isascii() and long for short, long in long_forms(texts).items())
