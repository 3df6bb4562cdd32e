"""The Python surface of a library, on the shipped example: every name of L10, and the trail from card to document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

import tamis
from kitchens import KITCHEN
from tamis.app import Tamis
from tamis.errors import UnknownCollectionError, UnknownNameError, UsageError
from tamis.libraries import Library
from tamis.settings import Settings
from tamis.text.fingerprints import sha256_hex


@pytest.fixture(scope="module")
def app(kitchen_home: Path) -> Tamis:
    return Tamis(settings=Settings.model_validate(KITCHEN), home=kitchen_home)


@pytest.fixture(scope="module")
def library(app: Tamis) -> Iterator[Library]:
    with Library("kitchen", app) as opened:
        yield opened


def test_the_package_offers_it() -> None:
    assert tamis.Library is Library


def test_search_cards_finds_what_is_asked_for(library: Library) -> None:
    found = library.search_cards("how long do cooked leftovers keep in the refrigerator", k=5)
    scores = [score for _, score in found]
    assert len(found) == 5
    assert scores == sorted(scores, reverse=True)
    assert any(word in found[0][0].summary.lower() for word in ("leftover", "rice", "refrigerat", "fridge"))


def test_search_cards_filters(library: Library) -> None:
    allergies = library.search_cards("eggs", k=50, facet="allergies")
    assert allergies
    assert all(card.facet == "allergies" and card.safety_flagged for card, _ in allergies)
    assert not any(card.safety_flagged for card, _ in library.search_cards("eggs", k=50, safe=True))
    for quality in ("high", "medium", "low", "debated", "unclear"):
        assert all(card.evidence_quality == quality for card, _ in library.search_cards("eggs", 50, quality=quality))
    assert library.search_cards("nuts", facet="nothing") == []


def test_the_graph_is_walked_from_theme_to_card_and_around(library: Library) -> None:
    graph = library.graph
    assert graph.facets() == ("allergies", "foods", "subjects")
    theme = graph.theme(graph.graph.themes(facet="subjects")[0].theme_id)
    assert theme.card().summary
    shelf = theme.parents()[0]
    assert theme.id in {each.id for each in shelf.themes()}
    assert theme.id not in {each.id for each in theme.neighbours()}
    chunk = theme.chunks()[0]
    assert theme.id in {each.id for each in chunk.parents()}
    assert chunk.id in {each.id for each in shelf.chunks()}
    near = chunk.neighbours(3)
    assert len(near) == 3
    assert chunk.id not in {each.id for each in near}
    assert graph.chunk(chunk.id).text == chunk.text
    assert shelf.card().kind == "shelf"


def test_shelves_know_what_is_above_beside_and_below(library: Library) -> None:
    graph = library.graph
    deep = next(shelf for shelf in graph.graph.shelves("foods") if shelf.parent)
    above = graph.shelf(deep.shelf_id).parents()
    assert above[0].id == deep.parent
    assert deep.shelf_id in {each.id for each in above[0].children()}
    assert {each.shelf.parent for each in graph.shelf(deep.shelf_id).neighbours()} <= {deep.parent}
    own, below = above[0].chunks(), above[0].chunks(below=True)
    assert {each.id for each in own} <= {each.id for each in below}
    assert len(below) == above[0].shelf.support


def test_every_trail_from_card_to_document_resolves(library: Library) -> None:
    graph = library.graph
    cards = graph.graph.cards()
    assert len(cards) == len(graph.graph.themes()) + len(graph.graph.shelves())
    followed = 0
    for card in cards:
        for sentence in card.sentences:
            assert sentence.quotes
            for quote in sentence.quotes:
                chunk = graph.chunk(quote.chunk_id)
                document = chunk.document
                text = document.text[slice(*quote.span)]
                assert sha256_hex(text) == quote.sha256
                assert chunk.chunk.start <= quote.span[0] < quote.span[1] <= chunk.chunk.end
                assert text in chunk.text
                followed += 1
    assert followed > 100


def test_extractive_sentences_are_supported_without_exception(library: Library) -> None:
    sentences = [sentence for card in library.graph.graph.cards() for sentence in card.sentences]
    assert {sentence.support for sentence in sentences} == {"supported"}


def test_tables_are_on_no_card(library: Library) -> None:
    assert not any("|" in card.summary for card in library.graph.graph.cards())


def test_planted_instructions_are_on_no_card(library: Library) -> None:
    text = " ".join(card.summary for card in library.graph.graph.cards()).lower()
    assert "ignore" not in text or "instructions" not in text


def test_audit_is_clean(library: Library) -> None:
    found = library.audit()
    assert found.breaches == ()
    assert min(found.shelves, found.themes, found.cards, found.chunks) > 3


def test_a_question_is_answered_with_passages_never_cards(library: Library) -> None:
    answer = library.query("How long does cooked rice keep?", use_llm=False)
    assert answer.tier == "extractive"
    assert answer.evidence
    abouts = {card.about for card in library.graph.graph.cards()}
    for item in answer.evidence:
        assert item.document_id not in abouts
        assert library.graph.chunk(item.chunk_id).document.document_id == item.document_id
    assert any("cards" in item.via for item in answer.items)


def test_names_that_are_not_there_bring_the_nearest(library: Library) -> None:
    theme = library.graph.graph.themes(facet="foods")[0]
    with pytest.raises(UnknownNameError) as missing:
        library.graph.theme(theme.theme_id[:-1])
    assert theme.theme_id in missing.value.fix
    with pytest.raises(UnknownNameError):
        library.graph.shelf("foods/nowhere")
    with pytest.raises(UnknownNameError):
        library.graph.chunk("nowhere#c0")


def test_a_view_outlives_the_library_it_came_from(app: Tamis) -> None:
    view = Library("kitchen", app).graph
    assert view.theme(view.graph.themes()[0].theme_id).card().summary


def test_closed_libraries_open_again(app: Tamis) -> None:
    library = Library("kitchen", app)
    shelves = library.graph.graph.shelves()
    library.close()
    library.close()
    assert library.graph.graph.shelves() == shelves
    library.close()


def test_what_cannot_be_built_is_said(app: Tamis, tmp_path: Path) -> None:
    with pytest.raises(UnknownCollectionError):
        Library("nowhere", app).build()
    with pytest.raises(UnknownNameError, match="no facet 'drinks'"):
        Library("kitchen", app).build("drinks")
    with pytest.raises(UnknownNameError, match="no step 'paint'"):
        Library("kitchen", app).build(only=["paint"])
    with pytest.raises(UnknownNameError, match="not for which of"):
        Library("kitchen", app).build(ontology="")
    with pytest.raises(UsageError, match=r"any\.yaml"):
        Library("kitchen", app).build(ontology=tmp_path / "any.yaml")
    with pytest.raises(UsageError, match="would make a facet 'foods'"):
        Library("kitchen", app).build(ontology=tmp_path / "foods.yaml")
    with pytest.raises(UsageError, match=r"missing\.yaml"):
        Library("kitchen", app).build("foods", ontology=tmp_path / "missing.yaml")
    with pytest.raises(UsageError, match="cannot name a facet"):
        Library("kitchen", app).build("a/b", ontology=tmp_path / "any.yaml")


def test_graphml_is_read_back_whole(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "kitchen.graphml"
    library.export_graphml(path)
    found = networkx.read_graphml(path)
    graph = library.graph.graph
    kinds = networkx.get_node_attributes(found, "kind")
    counted = {kind: sum(each == kind for each in kinds.values()) for kind in ("shelf", "theme", "card", "chunk")}
    chunks = {member.chunk_id for theme in graph.themes() for member in theme.members}
    expected = {"shelf": len(graph.shelves()), "theme": len(graph.themes()), "card": len(graph.cards())}
    assert counted == {**expected, "chunk": len(chunks)}
    for card in graph.cards():
        node = found.nodes[f"card:{card.about}"]
        assert node["summary"] == card.summary
        assert node["evidence_quality"] == card.evidence_quality
        assert node["origins"] == card.basis.origins
        assert node["safety_flagged"] is card.safety_flagged
        assert node["coverage"] == card.basis.coverage
        assert node["content_hash"] == card.content_hash
    for theme in graph.themes():
        for member in theme.members:
            edge = found.edges[f"theme:{theme.theme_id}", f"chunk:{member.chunk_id}"]
            assert (edge["weight"], edge["primary"], edge["relation"]) == (member.weight, member.primary, "THEME_OF")
    for shelf in graph.shelves():
        assert found.nodes[f"shelf:{shelf.shelf_id}"]["support"] == shelf.support
        assert not shelf.parent or found.has_edge(f"shelf:{shelf.parent}", f"shelf:{shelf.shelf_id}")
    text = next(data["text"] for name, data in found.nodes(data=True) if data["kind"] == "chunk")
    assert len(text) > 20


def test_the_page_needs_no_other_file(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "kitchen.html"
    library.export_html(path)
    page = path.read_text("utf-8")
    from lxml import html

    tree = html.fromstring(page)
    assert not tree.xpath("//link | //img | //iframe | //object | //embed | //script[@src] | //base | //form")
    assert not re.search(r"@import|url\(", page.partition("</style>")[0])
    assert tree.xpath("//html/@lang")
    cards = tree.xpath("//article")
    assert len(cards) == len(library.graph.graph.cards())
    marked = {mark.text_content() for mark in tree.xpath("//mark")}
    wanted = library.graph.graph.cards()[0].sentences[0].quotes[0]
    document = library.graph.chunk(wanted.chunk_id).document
    assert document.text[slice(*wanted.span)] in marked
