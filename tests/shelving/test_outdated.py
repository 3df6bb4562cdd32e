"""A library that is older than its collection: what is gone is left out and said, wherever one looks."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest
from village import NAME, Village, app_at, ingested, page

from tamis.errors import UnknownNameError
from tamis.libraries import Library
from tamis.library.present import quotes_of


@pytest.fixture
def gone(village: Village) -> str:
    """A document that a card quotes, and that is no more in the collection."""
    with village.library() as library:
        card = next(card for card in library.graph.graph.cards() if card.sentences and card.kind == "theme")
        document_id = card.sentences[0].quotes[0].document_id
    app = app_at(village.home)
    with app.store.writer(NAME) as writer:
        writer.forget(document_id)
        writer.publish()
    return document_id


@pytest.fixture
def library(village: Village, gone: str) -> Library:
    return village.library()


def test_cards_are_shown_and_say_what_is_gone(library: Library, gone: str) -> None:
    graph = library.graph
    cards = graph.graph.cards()
    quoting = {card.about for card in cards if any(quote.document_id == gone for quote in quotes_of(card))}
    assert quoting
    for card in cards:
        outdated = graph.outdated(graph.find(card.about).card())
        assert outdated in ((), (gone,))
        assert card.about not in quoting or outdated


def test_handles_give_what_is_there(library: Library, gone: str) -> None:
    graph = library.graph
    missed = 0
    for theme in graph.graph.themes():
        found = [chunk.id for chunk in graph.theme(theme.theme_id).chunks()]
        there = [member.chunk_id for member in theme.members if not member.chunk_id.startswith(f"{gone}#c")]
        assert found == there
        missed += len(theme.members) - len(there)
    assert missed
    for shelf in graph.shelves():
        assert all(chunk.document.document_id != gone for chunk in shelf.chunks(below=True))
    with pytest.raises(UnknownNameError, match="is gone from the collection") as lost:
        graph.chunk(f"{gone}#c0")
    assert "tamis build" in lost.value.fix


def test_exports_leave_it_out_and_count_it(library: Library, gone: str, tmp_path: Path) -> None:
    graph = library.graph.graph
    members = {member.chunk_id for theme in graph.themes() for member in theme.members}
    lost = {name for name in members if name.startswith(f"{gone}#c")}
    assert library.export_graphml(tmp_path / "v.graphml") == len(lost) > 0
    nodes = networkx.read_graphml(tmp_path / "v.graphml")
    assert all("kind" in data for _, data in nodes.nodes(data=True))
    assert not {f"chunk:{name}" for name in lost} & set(nodes)
    quoted = {quote.chunk_id for card in graph.cards() for s in card.sentences for quote in s.quotes} & lost
    assert library.export_html(tmp_path / "v.html") == len(quoted) > 0
    text = (tmp_path / "v.html").read_text("utf-8")
    assert "gone from the collection since" in text
    assert f"{gone}#c" not in text
    assert (tmp_path / "v.html").stat().st_mode == (tmp_path / "v.graphml").stat().st_mode


def test_a_text_that_changed_is_not_quoted_at_the_wrong_place(village: Village, tmp_path: Path) -> None:
    for number in range(6):
        (village.pages / f"bees-{number}.md").write_text(page("bees", number, version=2), "utf-8")
    library = Library(NAME, ingested(village.home, village.pages))
    assert library.export_html(tmp_path / "v.html") > 0
    from lxml import html

    marked = {mark.text_content() for mark in html.parse(tmp_path / "v.html").xpath("//mark")}
    texts = "\n".join(document.text for document in library.graph.reader.iter_documents())
    assert marked
    assert all(text in texts for text in marked)


def test_a_build_brings_all_up_to_date(library: Library, tmp_path: Path) -> None:
    assert library.audit().breaches
    library.build(use_llm=False)
    assert library.audit().breaches == ()
    assert library.export_html(tmp_path / "v.html") == library.export_graphml(tmp_path / "v.graphml") == 0
    assert "gone from the collection" not in (tmp_path / "v.html").read_text("utf-8")
