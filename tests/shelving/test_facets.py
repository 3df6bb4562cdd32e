"""Facets come from a file, go back to the texts, are dropped, and say why they have no shelf."""

from __future__ import annotations

from pathlib import Path

import pytest
from village import NAME, Village, cards_by_id

from tamis.errors import UnknownNameError, UsageError


def facets(village: Village, **settings: object) -> dict[str, str]:
    """What a build without any word makes: facet → what its shelves are made of."""
    library = village.library(**settings)
    names = [entry.facet for entry in library.build(use_llm=False).facets]
    graph = library.graph.graph
    return {name: "terms" if any(shelf.term_id for shelf in graph.shelves(name)) else "texts" for name in names}


def test_an_ontology_without_a_facet_makes_one_called_like_it(village: Village) -> None:
    before = cards_by_id(village.home)
    summary = village.library().build(ontology=village.ontology, use_llm=False)
    assert [entry.facet for entry in summary.facets] == ["trades"]
    after = cards_by_id(village.home)
    assert {about: row for about, row in after.items() if about in before} == before
    assert facets(village) == {"subjects": "texts", "trades": "terms"}
    # The same file again means the same facet, whatever it is called.
    again = village.library().build(ontology=village.ontology, use_llm=False)
    assert [(entry.facet, entry.made) for entry in again.facets] == [("trades", 0)]


def test_a_file_named_in_settings_means_the_facet_made_of_it(village: Village) -> None:
    settings = {"facets": {"work": {"ontology": str(village.ontology)}, "subjects": {}}}
    summary = village.library(**settings).build(ontology=village.ontology, use_llm=False)
    assert [entry.facet for entry in summary.facets] == ["work"]


def test_a_file_called_like_another_facet_never_replaces_it(village: Village, tmp_path: Path) -> None:
    file = tmp_path / "Subjects.yaml"
    file.write_bytes(village.ontology.read_bytes())
    before = cards_by_id(village.home)
    with pytest.raises(UsageError, match="'subjects', and there is one, made of the texts") as refused:
        village.library().build(ontology=file, use_llm=False)
    assert "--facet subjects" in refused.value.fix
    assert cards_by_id(village.home) == before


def test_a_facet_goes_back_to_shelves_from_the_texts(village: Village) -> None:
    village.library().build("subjects", ontology=village.ontology, use_llm=False)
    assert facets(village) == {"subjects": "terms"}
    library = village.library()
    library.build("subjects", ontology="", use_llm=False)
    assert library.audit().breaches == ()
    assert facets(village) == {"subjects": "texts"}


def test_a_setting_that_names_no_ontology_is_honoured(village: Village) -> None:
    village.library().build("subjects", ontology=village.ontology, use_llm=False)
    assert facets(village) == {"subjects": "terms"}
    assert facets(village, facets={"subjects": {"ontology": ""}}) == {"subjects": "texts"}


def test_a_file_named_after_the_setting_was_made_stays_until_the_setting_changes(village: Village) -> None:
    empty = {"subjects": {"ontology": ""}}
    village.library(facets=empty).build("subjects", ontology=village.ontology, use_llm=False)
    assert facets(village, facets=empty) == {"subjects": "terms"}
    assert facets(village, facets={"subjects": {}}) == {"subjects": "terms"}


def test_a_dropped_facet_leaves_nothing_and_stays_away(village: Village) -> None:
    village.library().build(ontology=village.ontology, use_llm=False)
    library = village.library()
    went = library.drop("trades")
    assert min(went.values()) > 0
    assert library.audit().breaches == ()
    assert not [about for about in cards_by_id(village.home) if about.startswith("trades/")]
    assert facets(village) == {"subjects": "texts"}
    with pytest.raises(UnknownNameError, match="no facet 'trades'"):
        library.drop("trades")


def test_a_dropped_facet_of_the_settings_comes_back_when_it_is_named(village: Village) -> None:
    village.library().build(ontology=village.ontology, use_llm=False)
    village.library().drop("subjects")
    assert facets(village) == {"trades": "terms"}
    village.library().build("subjects", use_llm=False)
    assert facets(village) == {"subjects": "texts", "trades": "terms"}


def test_with_every_facet_dropped_a_build_says_so(village: Village) -> None:
    village.library().drop("subjects")
    with pytest.raises(UsageError, match="every facet") as refused:
        village.library().build(use_llm=False)
    assert "subjects" in refused.value.fix
    with pytest.raises(UsageError, match="no library yet"):
        village.library().built()


def test_settings_that_name_a_facet_no_more_are_said(village: Village) -> None:
    settings = {"facets": {"work": {"ontology": str(village.ontology)}}}
    summary = village.library(**settings).build(use_llm=False)
    assert summary.dropped == ["subjects"]


HIGH = {"layer_a": {"minimum_support": 1000}}


def test_no_shelf_is_explained_and_the_facet_is_remembered(village: Village) -> None:
    library = village.library(**HIGH)
    (entry,) = library.build(ontology=village.ontology, use_llm=False).facets
    assert entry.shelves == 0
    why = entry.problems[-1]
    assert "no term of Trades reaches 1000 passages (layer_a.minimum_support); the nearest: work with " in why
    assert "layer_a.minimum_support = " in why
    with pytest.raises(UsageError, match="no term of Trades") as refused:
        library.built("trades")
    assert NAME in refused.value.fix
    assert library.without_shelves() == {"trades": why}
    assert facets(village) == {"subjects": "texts", "trades": "terms"}
    assert village.library().without_shelves() == {}


def test_a_library_without_any_shelf_says_why(village: Village) -> None:
    settings = {**HIGH, "facets": {"trades": {"ontology": str(village.ontology)}}}
    library = village.library(**settings)
    library.build(use_llm=False)
    with pytest.raises(UsageError, match="has no shelf: trades: no term of Trades reaches"):
        library.built()


def test_shelves_that_go_are_told(village: Village) -> None:
    with village.library() as before:
        stood = len(before.graph.graph.shelves("subjects"))
    (entry,) = village.library(**HIGH).build("subjects", ontology=village.ontology, use_llm=False).facets
    assert any(f"the {stood} shelves it had are gone" in problem for problem in entry.problems)
    assert any("--ontology ''" in problem for problem in entry.problems)


def test_an_unfinished_build_is_told_from_a_clean_library(village: Village) -> None:
    library = village.library()
    library.build("trades", ontology=village.ontology, only=["build_entities", "build_layer_a", "attach"])
    assert library.audit().unfinished == library.waiting() > 0
    library.build(use_llm=False)
    assert library.audit().unfinished == library.waiting() == 0
