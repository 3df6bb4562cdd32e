"""Every invariant, broken once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tamis.library.audit import audit
from tamis.schema.library import Card, CardSentence, Member, Quote, Shelf, Theme
from tamis.settings import StoreSettings
from tamis.store.sqlite.library import open_library

QUOTE = Quote("Milk.", "d#c0", "d", (0, 5), "hash")
SHELVES = (Shelf("food", "food", "Food", support=2), Shelf("food/milk", "food", "Milk", "food", 2, support=2, direct=2))
THEME = Theme("food/milk/bones", "food", "food/milk", "Bones", (), (Member("d#c0", 1.0), Member("d#c1", 0.5)))
ATTACHED = {"d#c0": ("food/milk",), "d#c1": ("food/milk",)}
VECTOR = np.array([1, 0], dtype=np.float32)


def card(about="food/milk/bones", kind="theme", quote=QUOTE):
    return Card(about, kind, "food", "T", (CardSentence("Milk.", (quote,)),), content_hash=f"h {about}")


CARDS = (card(), card("food", "shelf"), card("food/milk", "shelf"))


@pytest.fixture
def library(tmp_path):
    with open_library(tmp_path, writing=True, wait_seconds=StoreSettings().busy_seconds) as library:
        library.graph.replace_shelves("food", SHELVES)
        library.graph.replace_attachments("food", ATTACHED)
        library.graph.replace_themes("food/milk", [THEME], {})
        for each in CARDS:
            library.put_card(each, VECTOR)
        library.graph.note("food:build_layer_c", "done")
        yield library


def rules(library, *, gone=(), text="hash"):
    found = audit(library, exists=lambda chunk: chunk not in gone, hash_at=lambda document_id, span: text)
    return [breach.rule for breach in found.breaches]


def test_a_whole_library_has_no_breach(library):
    found = audit(library, exists=lambda chunk: True, hash_at=lambda document_id, span: "hash")
    assert found.breaches == ()
    assert (found.shelves, found.themes, found.cards, found.chunks) == (2, 1, 3, 2)


BREAKS = {
    "shelf-parent": lambda g: g.replace_shelves("food", (SHELVES[0], replace(SHELVES[1], parent="nowhere"))),
    "shelf-depth": lambda g: g.replace_shelves("food", (SHELVES[0], replace(SHELVES[1], depth=4))),
    "shelf-cycle": lambda g: g.replace_shelves("food", (replace(SHELVES[0], parent="food/milk"), SHELVES[1])),
    "shelf-support": lambda g: g.replace_shelves("food", (SHELVES[0], replace(SHELVES[1], support=7))),
    "theme-shelf": lambda g: g.replace_shelves("food", SHELVES[:1]),
    "theme-empty": lambda g: g.replace_themes(
        "food/milk", [THEME, replace(THEME, theme_id="x", label="x", members=())], {}
    ),
    "theme-parity": lambda g: g.replace_themes("food/milk", [replace(THEME, members=THEME.members[:1])], {}),
    "theme-primary": lambda g: g.replace_themes("food/milk", [THEME, replace(THEME, theme_id="x", label="x")], {}),
    "theme-label": lambda g: g.replace_themes("food/milk", [THEME, replace(THEME, theme_id="x")], {}),
    "card-orphan": lambda g: g.drop_themes(["food/milk"]),
    "card-index": lambda g: g.forget_cards(["food"]),
    "card-hash": lambda g: g.put_card(replace(CARDS[1], content_hash="other")),
    "card-missing": lambda g: g.forget_cards(["food"]),
    "card-chunk": lambda g: g.put_card(card(quote=replace(QUOTE, chunk_id="e#c9"))),
}


@pytest.mark.parametrize("rule", BREAKS)
def test_each_broken_invariant_is_named(library, rule):
    BREAKS[rule](library.graph)
    assert rule in rules(library)


def test_text_that_changed_and_chunks_that_left_are_named(library):
    assert set(rules(library, text="other")) == {"card-quote"}
    assert rules(library, gone=("d#c1",)) == ["chunk-gone"]


def test_cards_are_not_missed_before_they_were_made(library):
    library.forget_cards(["food"])
    library.graph.note("food:build_layer_c", "")
    assert rules(library) == []
    assert audit(library, exists=lambda chunk: True, hash_at=lambda document_id, span: "hash").unfinished == 1
