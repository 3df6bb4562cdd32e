"""From linked chunks to shelves: support, tiers, umbrellas, several parents, attachment."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.library.shelves import Projection, project, scope
from tamis.library.slugs import slug, unique_slug
from tamis.schema.library import EntityLink, Ontology, Shelf, Term
from tamis.settings_library import FacetSettings, LayerASettings


def _ontology(*terms: tuple[str, str]) -> Ontology:
    made = [Term(name, name, (), tuple(sorted(parents.split()))) for name, parents in terms]
    return Ontology("t", "0", {term.term_id: term for term in sorted(made, key=lambda term: term.term_id)})


FOODS = _ontology(
    ("food", ""),
    ("fruit", "food"),
    ("citrus", "fruit"),
    ("orange", "citrus"),
    ("lemon", "citrus"),
    ("apple", "fruit"),
    ("meat", "food"),
    ("beef", "meat"),
    ("tofu", "meat fruit"),
)


def _links(found: Mapping[str, range]) -> list[EntityLink]:
    return [EntityLink(f"c{place:03}", term, 0, 1, 1.0, "exact") for term, places in found.items() for place in places]


def _project(found: Mapping[str, range], facet: FacetSettings | None = None, **settings: float) -> Projection:
    options = {"minimum_support": 3, "umbrella_share": 1.0, **settings}
    return project(FOODS, _links(found), LayerASettings(**options), "Foods", facet)  # type: ignore[arg-type]


def _by_label(projection: Projection) -> dict[str, Shelf]:
    return {shelf.label: shelf for shelf in projection.shelves}


def test_support_counts_each_chunk_once() -> None:
    shelves = _by_label(
        _project({"orange": range(5), "lemon": range(3, 8), "apple": range(8, 12), "beef": range(12, 16)})
    )
    assert {label: shelf.support for label, shelf in shelves.items()} == {
        "food": 16, "fruit": 12, "citrus": 8, "orange": 5, "lemon": 5, "apple": 4, "beef": 4,
    }  # fmt: skip
    assert shelves["orange"].direct == 5
    assert shelves["citrus"].direct == 0
    assert shelves["beef"].see_also == ("meat",)
    assert shelves["orange"].shelf_id == "foods/food/fruit/citrus/orange"
    assert (shelves["orange"].depth, shelves["food"].depth, shelves["food"].parent) == (4, 1, "")


def test_chunks_stand_on_the_deepest_shelf_alone() -> None:
    found = {"orange": range(4), "apple": range(4, 8), "fruit": range(12), "beef": range(3, 8), "meat": range(8, 12)}
    projection = _project(found)
    path = {shelf.label: shelf.shelf_id for shelf in projection.shelves}
    assert path["orange"] == "foods/food/fruit/orange"
    assert projection.attachments["c000"] == (path["orange"],)
    assert projection.attachments["c003"] == (path["orange"], path["beef"])
    assert projection.attachments["c010"] == (path["fruit"], path["meat"])


def test_thin_terms_stand_with_the_nearest_above() -> None:
    projection = _project({"orange": range(5), "lemon": range(5, 7), "apple": range(7, 11)})
    shelves = _by_label(projection)
    assert "lemon" not in shelves
    assert projection.attachments["c005"] == (shelves["citrus"].shelf_id,)


def test_a_tier_that_says_nothing_of_its_own_is_folded() -> None:
    shelves = _by_label(_project({"orange": range(5), "apple": range(5, 9)}))
    assert "citrus" not in shelves
    assert shelves["orange"].see_also == ("citrus",)


def test_a_broader_name_stays_where_it_covers_more() -> None:
    shelves = _by_label(_project({"orange": range(5), "citrus": range(4, 7), "apple": range(7, 11)}))
    assert "orange" not in shelves
    assert shelves["citrus"].see_also == ("orange",)
    assert shelves["citrus"].support == 7


def test_an_umbrella_is_dropped() -> None:
    projection = _project({"orange": range(5), "apple": range(5, 9), "beef": range(9, 13)}, umbrella_share=0.8)
    assert {shelf.label for shelf in projection.shelves if shelf.depth == 1} == {"fruit", "beef"}
    only = _project({"food": range(13, 15), "apple": range(5, 9), "beef": range(9, 13)}, umbrella_share=0.8)
    assert only.unplaced == ("c013", "c014")


def test_depth_is_bounded() -> None:
    found = {"orange": range(5), "lemon": range(5, 9), "apple": range(9, 14), "beef": range(14, 20)}
    projection = _project(found, max_depth=2)
    assert max(shelf.depth for shelf in projection.shelves) == 2
    assert set(projection.attachments) == {f"c{place:03}" for place in range(20)}


def test_one_of_several_parents_is_primary_and_the_others_are_named() -> None:
    found = {
        "tofu": range(4),
        "beef": range(4, 10),
        "meat": range(10, 14),
        "apple": range(14, 17),
        "fruit": range(17, 21),
    }
    projection = _project(found)
    shelves = _by_label(projection)
    assert shelves["tofu"].parent == shelves["fruit"].shelf_id
    assert shelves["tofu"].see_also == ("meat",)
    assert shelves["meat"].support == 10


def test_a_facet_is_a_part_of_the_ontology() -> None:
    assert scope(FOODS, FacetSettings(root="fruit")) == {"citrus", "orange", "lemon", "apple", "tofu"}
    assert scope(FOODS, FacetSettings(id_prefix="m")) == {"meat"}
    assert scope(FOODS, FacetSettings(root="nowhere")) == frozenset()
    projection = _project({"orange": range(5), "beef": range(5, 10)}, FacetSettings(root="fruit"))
    assert {shelf.label for shelf in projection.shelves} == {"orange"}
    assert "c007" not in projection.attachments
    assert projection.unplaced == ()


def test_nothing_linked_makes_no_shelf() -> None:
    assert _project({}) == Projection((), {}, ())
    assert _project({"orange": range(2)}).shelves == ()
    assert _project({"orange": range(2)}).unplaced == ("c000", "c001")


def test_namesakes_become_one() -> None:
    twins = _ontology(
        ("flavonoids", ""), ("flavonoid", "flavonoids"), ("flavone", "flavonoid"), ("other", "flavonoids")
    )
    links = _links({"flavonoid": range(4), "flavone": range(4, 8), "other": range(8, 12), "flavonoids": range(12, 15)})
    projection = project(twins, links, LayerASettings(minimum_support=3, umbrella_share=1.0), "f")
    assert [shelf.label for shelf in projection.shelves] == ["flavonoids", "flavone", "other"]
    assert projection.attachments["c000"] == ("f/flavonoids",)


def test_equal_labels_get_different_paths() -> None:
    made = {name: Term(name, "mint (" + name + ")", (), ()) for name in ("a", "b")}
    links = _links({"a": range(4), "b": range(4, 8)})
    shelves = project(Ontology("t", "0", made), links, LayerASettings(minimum_support=3), "f").shelves
    assert [shelf.label for shelf in shelves] == ["mint", "mint"]
    assert len({shelf.shelf_id for shelf in shelves}) == 2


@st.composite
def _hierarchies(draw: st.DrawFn) -> tuple[Ontology, list[EntityLink]]:
    size = draw(st.integers(1, 9))
    terms = []
    for place in range(size):
        above = draw(st.sets(st.integers(0, place - 1), max_size=2)) if place else set()
        terms.append((f"t{place}", " ".join(f"t{each}" for each in sorted(above))))
    pairs = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, 12)), max_size=40))
    links = [EntityLink(f"c{chunk:02}", f"t{term}", 0, 1, 1.0, "exact") for term, chunk in pairs]
    return _ontology(*terms), links


@given(_hierarchies(), st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.5, 0.8, 1.0]))
def test_every_projection_is_a_sound_tree(
    drawn: tuple[Ontology, list[EntityLink]], least: int, deepest: int, umbrella: float
) -> None:
    ontology, links = drawn
    settings = LayerASettings(minimum_support=least, max_depth=deepest, umbrella_share=umbrella)
    projection = project(ontology, links, settings, "f")
    assert projection == project(ontology, links[::-1], settings, "f")
    by_id = {shelf.shelf_id: shelf for shelf in projection.shelves}
    assert len(by_id) == len(projection.shelves)
    seen: set[str] = set()
    for shelf in projection.shelves:
        assert shelf.parent == "" or shelf.parent in seen
        seen.add(shelf.shelf_id)
        assert shelf.depth == (by_id[shelf.parent].depth + 1 if shelf.parent else 1) <= deepest
        below = {chunk for chunk, ids in projection.attachments.items()
                 if any(each == shelf.shelf_id or each.startswith(shelf.shelf_id + "/") for each in ids)}  # fmt: skip
        assert shelf.support == len(below) >= least
    for ids in projection.attachments.values():
        assert ids == tuple(sorted(set(ids)))
        assert not any(one.startswith(other + "/") for one in ids for other in ids)
    linked = {link.chunk_id for link in links}
    assert {*projection.attachments} | {*projection.unplaced} == linked
    assert not {*projection.attachments} & {*projection.unplaced}


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("Vitamin D", "vitamin-d"),
        ("β-Carotene (all-trans)", "beta-carotene-all-trans"),
        ("crème  brûlée_x", "creme-brulee-x"),
        ("茶", "茶"),
        ("a" * 70, "a" * 60),
    ],
)
def test_slugs(label: str, short: str) -> None:
    assert slug(label) == short


@given(st.text(max_size=80))
def test_every_label_has_a_short_slug(label: str) -> None:
    assert 0 < len(slug(label)) <= 60
    assert "/" not in slug(label)
    assert unique_slug(label, {slug(label)}, "k") != slug(label)
    assert unique_slug(label, {slug(label)}, "k") == unique_slug(label, {slug(label)}, "k")
