"""A library of a judged collection: its invariants through changes, its sentences, and what they cost."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from killing import killed

from gates.judged import cache_folder, collection_home
from tamis.app import Tamis
from tamis.libraries import Library
from tamis.library.cards import without_twins
from tamis.models.embedder import load_embedder
from tamis.schema.library import Card, CardSentence, Quote, Shelf
from tamis.settings import Settings
from tamis.summarize import summarizer
from tamis.summarize.selection import best, theme_sentences
from tamis.text.fingerprints import sha256_hex

pytestmark = pytest.mark.gate
_NAME = "cranfield"
_BREACHES = "audit breaches"
_CARDS = 10_000


@pytest.fixture(scope="module")
def library(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Library:
    home = tmp_path_factory.mktemp("library") / "home"
    shutil.copytree(collection_home(_NAME, data, cache_folder()), home)
    for left in home.glob("collections/*/library*"):
        left.unlink()
    library = Library(_NAME, Tamis(settings=Settings(), home=home))
    library.build(use_llm=False)
    return library


def _breaches(library: Library) -> float:
    return -float(len(library.audit().breaches))


def test_every_sentence_of_a_card_is_supported(library: Library, report) -> None:
    sentences = [sentence for card in library.graph.graph.cards() for sentence in card.sentences]
    share = np.mean([sentence.support == "supported" and bool(sentence.quotes) for sentence in sentences])
    report(
        gate="card sentences supported by their passages", measured=float(share), floor=1.0, note=f"{len(sentences)}"
    )


def test_no_two_siblings_are_called_alike(library: Library, report) -> None:
    graph = library.graph.graph
    below = [(shelf.parent, shelf.label.casefold()) for shelf in graph.shelves()]
    on = [(theme.shelf_id, theme.label.casefold()) for theme in graph.themes()]
    alike = len(below) - len(set(below)) + len(on) - len(set(on))
    note = f"{len(below)} shelves, {len(on)} themes"
    report(gate="siblings that are called alike", measured=-float(alike), floor=0.0, note=note)


def _alike(vectors: np.ndarray) -> float:
    size = len(vectors)
    return float(((vectors @ vectors.T).sum() - size) / (size * (size - 1)))


def test_a_card_repeats_itself_less_than_lexrank_alone(library: Library, report) -> None:
    graph, embedder = library.graph, library._app.embedder
    themes = [theme for theme in graph.graph.themes() if len(theme.members) >= 10][:30]
    ours, plain = [], []
    for theme in themes:
        card = graph.theme(theme.theme_id).card()
        texts = [each.text for each in theme_sentences([view.chunk for view in graph.theme(theme.theme_id).chunks()])]
        taken = best(texts, summarizer("lexrank").rank(texts), len(card.sentences), repeats=1.0)
        ours.append(_alike(embedder.passages([sentence.text for sentence in card.sentences])))
        plain.append(_alike(embedder.passages([texts[row] for row in taken])))
    note = f"inside a card {np.mean(ours):.3f}, LexRank alone {np.mean(plain):.3f}"
    report(gate="cards repeat less than LexRank", measured=float(np.mean(plain) - np.mean(ours)), floor=0.0, note=note)


def test_no_invariant_breaks_through_changes(library: Library, report) -> None:
    app = library._app
    report(gate=f"{_BREACHES} after a build", measured=_breaches(library), floor=0.0)
    graph = library.graph.graph
    before: dict[str, Card] = {card.about: card for card in graph.cards()}
    document = library.graph.chunk(graph.themes()[0].members[0].chunk_id).document
    library.close()
    text = f"{document.text} A small model of the wing was measured once more in the tunnel."
    with app.store.writer(_NAME) as writer:
        writer.put(app.digester.digest(replace(document, text=text, sha256=sha256_hex(text))))
        writer.publish()
    library.build(use_llm=False)
    after = {card.about: card for card in library.graph.graph.cards()}
    touched = sum(before.get(about) != card for about, card in after.items())
    note = f"{touched} of {len(after)} cards made anew"
    report(gate=f"{_BREACHES} after one changed document", measured=_breaches(library), floor=0.0, note=note)
    assert 0 < touched < len(after) / 5


def test_no_invariant_breaks_when_documents_go_or_a_facet_comes(library: Library, tmp_path: Path, report) -> None:
    app, graph = library._app, library.graph
    theme = max(graph.graph.themes(), key=lambda theme: len(theme.members))
    gone = sorted({view.document.document_id for view in graph.theme(theme.theme_id).chunks()})
    library.close()
    with app.store.writer(_NAME) as writer:
        for name in gone:
            writer.forget(name)
        writer.publish()
    library.build(use_llm=False)
    left = {
        quote.document_id
        for card in library.graph.graph.cards()
        for sentence in card.sentences
        for quote in sentence.quotes
    }
    assert not left & set(gone)
    found = library.search_cards(theme.label, 1000)
    every = library.graph.graph.cards()
    assert {card.about for card, _ in found} == {
        card.about for card, _ in without_twins([(card, 0.0) for card in every])
    }
    report(
        gate=f"{_BREACHES} after a theme is gone", measured=_breaches(library), floor=0.0, note=f"{len(gone)} documents"
    )
    before = library.graph.graph.cards("subjects")
    library.close()
    ontology = tmp_path / "flow.yaml"
    ontology.write_text(_FLOW, "utf-8")
    (facet,) = library.build("flow", ontology=ontology, use_llm=False).facets
    assert library.graph.graph.cards("subjects") == before
    report(gate=f"{_BREACHES} with two facets", measured=_breaches(library), floor=0.0, note=f"{facet.shelves} shelves")


def test_ten_thousand_cards_are_searched_in_no_time(data: Path, tmp_path: Path, report) -> None:
    class Drawn:
        """Embeds nothing, and takes no time for it."""

        identity = load_embedder(Settings().embedding).identity

        def queries(self, texts):
            return rows[: len(texts)]

    rows = np.random.default_rng(0).normal(size=(_CARDS, Drawn.identity.dimensions)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    app = Tamis(settings=Settings(), home=tmp_path)
    app.__dict__["embedder"] = Drawn()
    with app.store.writer("many") as writer:
        writer.publish()
    shelf = Shelf("f/s", "f", "Everything")
    with app.store.library("many", writing=True) as store, store.together():
        store.graph.replace_shelves("f", [shelf])
        for number, row in enumerate(rows):
            quote = Quote("A sentence.", "d#c0", "d", (0, 11), "0" * 64)
            said = (CardSentence("A sentence.", (quote,)),) * 8
            store.put_card(Card(f"f/s/{number:05}", "theme", "f", f"Card {number}", said, content_hash="x"), row)
    seconds = []
    with Library("many", app) as library:
        for _ in range(60):
            began = time.process_time()
            assert len(library.search_cards("anything", k=10)) == 10
            seconds.append(time.process_time() - began)
    p95 = 1000 * float(np.quantile(seconds[1:], 0.95))
    note = f"first {1000 * seconds[0]:.0f} ms"
    report(gate=f"search of {_CARDS} cards, p95 in ms, at most 15", measured=-p95, floor=-15.0, note=note)


def test_fifty_killed_builds_end_as_undisturbed_ones(tmp_path: Path, report) -> None:
    faults = killed(50, 6, tmp_path).splitlines()
    report(gate="library built through 50 kills", measured=1.0 - len(faults) / 50, floor=1.0, note="; ".join(faults))


_FLOW = """name: Flow
terms:
  - Layers:
      - boundary layer | boundary layers
      - shock wave | shock waves
  - Bodies:
      - wing | wings
      - cone | cones
      - flat plate | flat plates
"""
