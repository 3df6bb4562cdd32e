"""Readers of ontologies: each form, each fault, and the cache."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.errors import DiskError, UsageError
from tamis.example import ontologies_folder
from tamis.library.ontology import load_ontology
from tamis.library.ontology.check import checked
from tamis.library.ontology.draft import Draft, Source
from tamis.library.ontology.tree import read_tree
from tamis.schema.library import Ontology, Term

OBO = """format-version: 1.2
ontology: drinks

[Term]
id: D:1
name: drink

[Term]
id: D:2
name: tea ! a comment
def: "Leaves in \\"hot\\" water." [someone]
synonym: "brew" RELATED []
synonym: "infusion of tea" EXACT []
synonym: "hot drink" BROAD []
is_a: D:1 {source="x"} ! drink

[Term]
id: D:3
name: green tea
is_a: D:2 ! tea
is_a: D:9 ! nobody

[Term]
id: D:4
name: old tea
is_obsolete: true

[Term]
id: D:3
name: green tea again

[Term]
id: D:5

[Typedef]
id: part_of
name: part of
"""

OWL = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:io="http://www.geneontology.org/formats/oboInOwl#"
  xmlns:obo="http://purl.obolibrary.org/obo/">
  <owl:Ontology rdf:about="http://example.org/d"><rdfs:label>Drinks</rdfs:label></owl:Ontology>
  <owl:Class rdf:about="http://purl.obolibrary.org/obo/D_1"><rdfs:label>drink</rdfs:label></owl:Class>
  <owl:Class rdf:about="http://purl.obolibrary.org/obo/D_2">
    <rdfs:label xml:lang="de">Tee</rdfs:label><rdfs:label xml:lang="en">tea</rdfs:label>
    <io:hasExactSynonym>brew</io:hasExactSynonym>
    <obo:IAO_0000115>Leaves in hot water.</obo:IAO_0000115>
    <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/D_1"/>
    <rdfs:subClassOf><owl:Restriction/></rdfs:subClassOf>
  </owl:Class>
  <owl:Class rdf:about="http://purl.obolibrary.org/obo/D_4">
    <rdfs:label>old tea</rdfs:label><owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated>
  </owl:Class>
</rdf:RDF>
"""

SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/> .
:all a skos:ConceptScheme ; skos:prefLabel "Drinks" .
:drink a skos:Concept ; skos:prefLabel "drink"@en ; skos:narrower :tea .
:tea a skos:Concept ; skos:prefLabel "tea"@en, "Tee"@de ; skos:altLabel "brew"@en ; skos:definition "Leaves."@en .
:green a skos:Concept ; skos:prefLabel "green tea"@en ; skos:broader :tea .
"""

TREE = """
name: Drinks
terms:
  - Drink | drinks:
      - tea | brew:
          - green tea
          - {label: no, id: no-tea, synonyms: [decaf | tea without], definition: none at all, parents: [coffee]}
      - coffee
  - Hot things:
      - tea
"""


def _load(folder: Path, name: str, text: str) -> Ontology:
    path = folder / name
    path.write_text(text, "utf-8")
    return load_ontology(path)


def test_obo(tmp_path: Path) -> None:
    ontology = _load(tmp_path, "drinks.obo", OBO)
    assert ontology.name == "drinks"
    assert list(ontology.terms) == ["D:1", "D:2", "D:3"]
    assert ontology.terms["D:2"] == Term("D:2", "tea", ("infusion of tea", "brew"), ("D:1",), 'Leaves in "hot" water.')
    assert ontology.terms["D:3"].parents == ("D:2",)
    problems = "\n".join(ontology.problems)
    assert "left out 1, terms whose id was taken: D:3" in problems
    assert "left out 1, obsolete terms: D:4" in problems
    assert "left out 1, terms without a name: D:5" in problems
    assert "D:9 (of D:3)" in problems


@pytest.mark.parametrize(("name", "text"), [("d.owl", OWL), ("d.ttl", SKOS), ("d", SKOS), ("d.rdf", OWL)])
def test_owl_and_skos(tmp_path: Path, name: str, text: str) -> None:
    ontology = _load(tmp_path, name, text)
    labels = {term.label: term for term in ontology.terms.values()}
    assert ontology.name == "Drinks"
    assert labels["tea"].synonyms == ("brew",)
    assert [ontology.terms[parent].label for parent in labels["tea"].parents] == ["drink"]
    assert labels["tea"].definition.startswith("Leaves")
    assert "old tea" not in labels


def test_ids_of_the_obo_library_are_short(tmp_path: Path) -> None:
    assert "D:2" in _load(tmp_path, "d.owl", OWL).terms
    assert "http://example.org/tea" in _load(tmp_path, "d.ttl", SKOS).terms


def test_tree(tmp_path: Path) -> None:
    ontology = _load(tmp_path, "drinks.yaml", TREE)
    assert ontology.name == "Drinks"
    assert ontology.terms["tea"] == Term("tea", "tea", ("brew",), ("drink", "hot-things"))
    assert ontology.terms["no-tea"] == Term("no-tea", "no", ("decaf", "tea without"), ("coffee", "tea"), "none at all")
    assert ontology.terms["drink"].synonyms == ("drinks",)
    assert not ontology.problems


def test_a_tree_without_its_frame(tmp_path: Path) -> None:
    bare = _load(tmp_path, "a.yaml", "- Drink:\n  - tea\n- Food\n")
    mapping = _load(tmp_path, "b.yaml", "Drink: [tea]\nFood:\n")
    assert list(bare.terms) == list(mapping.terms) == ["drink", "food", "tea"]
    assert bare.name == "a"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("- 42", "line 3: the number 42 (quote it where it is a name) was left out"),
        ("- 1.5", "the number 1.5"),
        ("-", "line 3: an empty entry was left out"),
        ("- null", "an empty entry"),
        ("- {term: pear}", "line 3: an entry with 'term', where `label` names a term, was left out"),
        ("- {label: pear, synonym: pears}", "line 3: the unknown key 'synonym'"),
        ("- Tea", "line 3: 'Tea' is one term with 'tea' in line 2"),
        ("- tea!", "line 3: 'tea!' is one term with 'tea' in line 2"),
        ("version: 2", "line 3: the unknown key 'version' (known: name, terms) was left out"),
    ],
)
def test_what_is_no_name_in_a_tree_is_named(tmp_path: Path, entry: str, said: str) -> None:
    ontology = _load(tmp_path, "a.yaml", f"terms:\n- tea\n{entry}\n")
    assert any(said in problem for problem in ontology.problems)
    assert {"tea"} <= set(ontology.terms) <= {"tea", "pear"}


def test_words_that_yaml_takes_for_something_else_are_names(tmp_path: Path) -> None:
    ontology = _load(tmp_path, "a.yaml", "- no\n- '42'\n- Term: [tea]\n")
    assert set(ontology.terms) == {"no", "42", "term", "tea"}
    assert not ontology.problems


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "name: Foods\nterm:\n- tea\n", "it has a `name` and 'term', but no `terms`"),
        ("a.yaml", "- [unclosed", "not YAML"),
        ("a.yaml", "just words: [a, b", "not YAML"),
        ("a.yaml", "just words", "one piece of text"),
        ("a.yaml", "&x [*x]", "nested deeper"),
        ("a.yaml", "- ''\n", "no usable term"),
        ("a.yaml", "", "is empty"),
        ("a.obo", "format-version: 1.2\n", "no usable term"),
        ("a.obo", "[Term]\nid: A:1\nname: a\nis_obsolete: true\n", "left out 1, obsolete terms"),
        ("a.owl", "<?xml version='1.0'?><rdf:RDF", "it begins like RDF/XML"),
        ("a.ttl", "@prefix a: <b> . a:b a:c", "it begins like Turtle"),
        (
            "a.owl",
            "<?xml version='1.0'?><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
            "no usable term",
        ),
        ("a.txt", "Once upon a time there was a tea.", "in no form that tamis knows"),
        ("a.obo", "\x00\x01\x02", "is not text"),
    ],
)
def test_faulty_files_say_what_is_wrong(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        _load(tmp_path, name, text)
    assert says in caught.value.message
    assert name in caught.value.message
    assert caught.value.fix


def test_content_counts_more_than_the_name(tmp_path: Path) -> None:
    assert _load(tmp_path, "drinks.owl", OBO).terms.keys() == _load(tmp_path, "drinks.txt", OBO).terms.keys()


def test_missing_folder_and_compressed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No ontology at"):
        load_ontology(tmp_path / "none.obo")
    with pytest.raises(UsageError, match="is a folder"):
        load_ontology(tmp_path)
    (tmp_path / "a.obo.gz").write_bytes(gzip.compress(OBO.encode()))
    with pytest.raises(UsageError, match="compressed"):
        load_ontology(tmp_path / "a.obo.gz")


def test_lines_that_are_none_cost_only_themselves(tmp_path: Path) -> None:
    ontology = _load(tmp_path, "d.obo", OBO.replace("name: drink\n", "name: drink\nwhat is this\n"))
    assert any("not `tag: value`" in problem for problem in ontology.problems)
    assert len(ontology.terms) == 3


def test_a_cycle_is_broken_and_named() -> None:
    drafts = [Draft("a", "a", parents=["c"]), Draft("b", "b", parents=["a"]), Draft("c", "c", parents=["b", "c"])]
    ontology = checked(Source(drafts=drafts), "x", "0")
    again = checked(Source(drafts=drafts[::-1]), "x", "0")
    assert ontology == again
    assert next(each for each in ontology.problems if "cycle" in each).startswith("a cycle, ")
    assert _has_no_cycle(ontology)


def _has_no_cycle(ontology: Ontology) -> bool:
    def deep(term_id: str, path: tuple[str, ...]) -> bool:
        return term_id not in path and all(deep(parent, (*path, term_id)) for parent in ontology.terms[term_id].parents)

    return all(deep(term_id, ()) for term_id in ontology.terms)


@given(st.lists(st.tuples(st.integers(0, 7), st.lists(st.integers(0, 9), max_size=3)), max_size=10), st.randoms())
def test_whatever_is_stated_becomes_a_hierarchy(stated: list[tuple[int, list[int]]], chance) -> None:
    drafts = [Draft(str(own), f"t{own}", parents=[str(parent) for parent in parents]) for own, parents in stated]
    ontology = checked(Source(drafts=drafts), "x", "0")
    assert _has_no_cycle(ontology)
    assert list(ontology.terms) == sorted({draft.term_id for draft in drafts})
    assert all(parent in ontology.terms for term in ontology.terms.values() for parent in term.parents)


@given(st.text(max_size=200))
def test_any_text_is_a_tree_or_a_clear_error(text: str) -> None:
    try:
        source = read_tree(text)
    except UsageError as error:
        assert error.fix
    else:
        assert all(draft.term_id for draft in source.drafts)


def test_the_cache_answers_and_a_damaged_one_is_made_anew(tmp_path: Path) -> None:
    path, cache = tmp_path / "drinks.obo", tmp_path / "cache"
    path.write_text(OBO, "utf-8")
    first = load_ontology(path, cache)
    (kept,) = cache.iterdir()
    assert load_ontology(path, cache) == first
    kept.write_text('{"terms": [[1]]}', "utf-8")
    assert load_ontology(path, cache) == first
    path.write_text(OBO.replace("green tea", "white tea"), "utf-8")
    assert load_ontology(path, cache).terms["D:3"].label == "white tea"
    assert len(list(cache.iterdir())) == 2


def test_a_file_in_place_of_the_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "drinks.obo"
    path.write_text(OBO, "utf-8")
    with pytest.raises(DiskError, match="cannot be kept"):
        load_ontology(path, path)


def test_the_example_ontologies_ship_and_are_sound() -> None:
    with ontologies_folder() as folder:
        foods, allergies = load_ontology(folder / "foods.yaml"), load_ontology(folder / "allergies.yaml")
    assert len(foods.terms) >= 150
    assert sum(bool(term.synonyms) for term in foods.terms.values()) >= 100
    assert len(allergies.terms) >= 25
    assert not foods.problems
    assert not allergies.problems
    assert foods.terms["kefir"].parents == ("dairy", "fermented-foods")
