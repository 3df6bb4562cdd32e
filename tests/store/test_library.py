"""The library beside a collection: graph, cards index, and what happens to them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from toy_store import make, open_store

from tamis.errors import BusyStoreError, DamagedStoreError, SchemaVersionError, UnknownCollectionError
from tamis.schema.library import Card, CardSentence, EntityLink, EvidenceBasis, Member, Quote, Shelf, Theme
from tamis.store.library import LinkedChunk

QUOTE = Quote("Milk has calcium.", "d#c0", "d", (0, 17), "ab" * 32, 1999)
SHELVES = (
    Shelf("food", "food", "Food", support=3),
    Shelf("food/dairy", "food", "Dairy", "food", 2, "F:1", 1, 2, ("Milk products",)),
    Shelf("food/dairy/milk", "food", "Milk", "food/dairy", 3, "F:2", 1, 1),
)
THEME = Theme(
    "food/dairy/bones",
    "food",
    "food/dairy",
    "Bones",
    ("bone", "calcium"),
    (Member("d#c0", 0.9), Member("d#c1", 0.4, False)),
)


def card(about="food/dairy/bones", facet="food", **changes):
    made = Card(
        about,
        "theme",
        facet,
        "Milk and bones",
        (CardSentence("Milk has calcium.", (QUOTE,)),),
        basis=EvidenceBasis(2, 1, 1, ("paper",), (1990, 1999), 0.5, 0.8, ((QUOTE, QUOTE),)),
        evidence_quality="low",
        content_hash=f"hash of {about}",
    )
    return replace(made, **changes)


def unit(*values):
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path)
    with store.writer("c") as writer:
        writer.put(make("d", "Milk has calcium."))
        writer.publish()
    return store


def test_what_was_put_is_read_again(store):
    link = EntityLink("d#c0", "F:1", 0, 4, 0.95, "exact")
    with store.library("c", writing=True) as library:
        library.graph.put_links("food", {"d#c0": LinkedChunk("k", (link,)), "d#c1": LinkedChunk("k", ())})
        library.graph.replace_shelves("food", SHELVES)
        library.graph.replace_attachments("food", {"d#c0": ("food/dairy", "food/dairy/milk"), "d#c1": ("food",)})
        library.graph.replace_themes("food/dairy", [THEME], {"d#c0": "1", "d#c1": "2"})
        library.put_card(card(), unit(1, 0))
        library.graph.note("k", "v")
    with store.library("c") as library:
        graph = library.graph
        assert graph.facets() == ("food",)
        assert tuple(graph.shelves()) == SHELVES == tuple(graph.shelves("food"))
        assert graph.shelves("other") == []
        assert [shelf.shelf_id for shelf in graph.ancestors("food/dairy/milk")] == ["food/dairy", "food"]
        assert graph.attached("food") == ("d#c1",)
        assert graph.attached("food", below=True) == ("d#c0", "d#c1")
        assert graph.attachments("food") == {"d#c0": ("food/dairy", "food/dairy/milk"), "d#c1": ("food",)}
        assert graph.themes(facet="food") == graph.themes(shelf_id="food/dairy") == [THEME] == graph.themes_of("d#c1")
        assert graph.theme("food/dairy/bones") == THEME
        assert graph.settled("food/dairy") == {"d#c0": "1", "d#c1": "2"}
        assert graph.settled("food") == {}
        assert graph.links("food") == {"d#c0": LinkedChunk("k", (link,)), "d#c1": LinkedChunk("k", ())}
        assert graph.card("food/dairy/bones") == card()
        assert graph.card("food") is None
        assert graph.cards("food") == [card()]
        assert graph.noted("k") == "v"
        assert graph.noted("other") == ""
        assert library.index.hashes() == {"food/dairy/bones": "hash of food/dairy/bones"}
        for missing in (graph.shelf, graph.theme):
            with pytest.raises(KeyError, match="nowhere"):
                missing("nowhere")


def test_a_library_that_was_never_built_is_empty_and_leaves_no_file(store, tmp_path):
    with store.library("c") as library:
        assert library.graph.facets() == ()
        assert library.index.search(unit(1, 0), 5) == []
    assert not list(tmp_path.rglob("library.sqlite"))
    with pytest.raises(UnknownCollectionError), store.library("nobody"):
        pass


def test_cards_are_found_by_meaning_and_filtered(store):
    with store.library("c", writing=True) as library:
        library.put_card(card("a"), unit(1, 0))
        library.put_card(card("b", safety_flagged=True), unit(1, 0.1))
        library.put_card(card("c", evidence_quality="high"), unit(1, 1))
        library.put_card(card("d", facet="other"), unit(1, 0))
        search = library.index.search
        assert [found for found, _ in search(unit(1, 0), 3)] == ["a", "d", "b"]
        assert search(unit(1, 0), 1)[0] == ("a", 1.0)
        assert [found for found, _ in search(unit(1, 0), 9, facet="food", safe=True)] == ["a", "c"]
        assert [found for found, _ in search(unit(1, 0), 9, quality="high")] == ["c"]
        library.forget_cards(["a", "d"])
        assert [found for found, _ in search(unit(1, 0), 9)] == ["b", "c"]
        assert [found.about for found in library.graph.cards()] == ["b", "c"]
        with store.library("c") as other:
            assert len(other.index.search(unit(1, 0), 9)) == 2
            library.put_card(card("e"), unit(0, 1))
            assert len(other.index.search(unit(1, 0), 9)) == 3


def test_a_facet_is_replaced_or_dropped_without_touching_another(store):
    other = Shelf("other", "other", "Other")
    theme = replace(THEME, theme_id="other/x", facet="other", shelf_id="other")
    with store.library("c", writing=True) as library:
        graph = library.graph
        graph.replace_shelves("food", SHELVES)
        graph.replace_attachments("food", {"d#c0": ("food/dairy",)})
        graph.replace_themes("food/dairy", [THEME], {})
        graph.replace_shelves("other", [other])
        graph.replace_attachments("other", {"d#c0": ("other",)})
        graph.replace_themes("other", [theme], {"d#c0": "1"})
        library.put_card(card(), unit(1, 0))
        graph.replace_shelves("food", SHELVES[:1])
        assert graph.shelves("food") == [SHELVES[0]]
        assert graph.attachments("food") == {}
        graph.drop_facet("food")
        assert graph.facets() == ("other",)
        assert graph.themes() == [theme]
        assert graph.attachments("other") == {"d#c0": ("other",)}
        assert graph.settled("other") == {"d#c0": "1"}
        assert graph.cards() == []


def test_nothing_is_seen_of_what_fails_half_way(store):
    with store.library("c", writing=True) as library:
        library.graph.replace_shelves("food", SHELVES)
        with pytest.raises(RuntimeError), library.together():
            library.graph.replace_shelves("food", ())
            library.put_card(card(), unit(1, 0))
            raise RuntimeError
        assert len(library.graph.shelves()) == 3
        assert library.index.hashes() == {}


def test_a_second_builder_is_refused_while_readers_go_on(store):
    with store.library("c", writing=True) as library:
        library.graph.note("k", "v")
        with store.library("c") as reader:
            assert reader.graph.noted("k") == "v"
        with pytest.raises(BusyStoreError, match="process"), store.library("c", writing=True):
            pass


def test_a_newer_or_damaged_library_is_named_with_the_way_out(store, tmp_path):
    with store.library("c", writing=True):
        pass
    (path,) = tmp_path.rglob("library.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(SchemaVersionError, match="layout 9"), store.library("c"):
        pass
    for each in path.parent.glob("library.sqlite*"):
        each.unlink()
    path.write_bytes(b"no database at all, but long enough to be one" * 99)
    with pytest.raises(DamagedStoreError, match=r"library\.sqlite") as caught, store.library("c"):
        pass
    assert "tamis build" in str(caught.value.fix)


def test_a_killed_builder_leaves_what_it_had_saved(store, tmp_path):
    script = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_library import card, unit
from toy_store import open_store
with open_store(Path(sys.argv[1])).library("c", writing=True) as library:
    library.put_card(card("a"), unit(1, 0))
    with library.together():
        library.put_card(card("b"), unit(1, 0))
        os.kill(os.getpid(), signal.SIGKILL)
"""
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path), here], check=False, timeout=60)
    assert done.returncode == -9
    with store.library("c", writing=True) as library:
        assert [found.about for found in library.graph.cards()] == ["a"]
        assert library.index.hashes().keys() == {"a"}
