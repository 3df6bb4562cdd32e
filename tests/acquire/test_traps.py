"""Sites without an end."""

from __future__ import annotations

import pytest

from tamis.acquire.traps import Visits, form


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://e.com/cal/2024/01/", "/cal/#/"),
        ("http://e.com/cal?month=1&year=2024", "/cal?month&year"),
        ("http://e.com/a/b/a/b/a/b/c", "/a/b/c"),
        ("http://e.com/a/a/a/", "/a/"),
        ("http://e.com/docs/guide.html", "/docs/guide.html"),
        ("http://e.com/", "/"),
    ],
)
def test_the_form_of_an_address(url, expected):
    assert form(url) == expected


def test_a_trap_is_named_with_the_way_around_it():
    visits = Visits(100)
    for month in range(60):
        visits.add(f"http://e.com/calendar?month={month}")
    for name in "abcdefgh":
        visits.add(f"http://e.com/{name}")
    (note,) = visits.notes(stored=68, turned_away=0)
    assert note == "60 of 68 visits went to addresses like /calendar?month; --exclude '/calendar' leaves them out"


def test_a_site_of_many_forms_has_no_trap():
    visits = Visits(1_000)
    for number in range(300):
        visits.add(f"http://e.com/{'x' * number}/page")
    assert list(visits.notes(stored=1, turned_away=0)) == []


def test_limits_are_named():
    visits = Visits(2)
    visits.add("http://e.com/a")
    visits.add("http://e.com/b")
    notes = list(visits.notes(stored=0, turned_away=7))
    assert notes[0].startswith("2 pages were asked for and 0 stored") and notes[1].startswith(
        "7 links were not followed"
    )
