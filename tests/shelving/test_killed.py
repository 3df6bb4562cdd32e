"""Builds killed at random moments, two builders at once, and a reader meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from killing import killed
from village import NAME, Village, app_at, ingested, library_rows, page

from tamis.errors import BusyStoreError
from tamis.libraries import Library


def test_a_killed_build_ends_as_an_undisturbed_one_and_pays_no_reply_twice(tmp_path: Path) -> None:
    assert killed(8, 5, tmp_path) == ""


def test_one_builder_at_a_time(village: Village) -> None:
    app = app_at(village.home, store={"busy_seconds": 0.1})
    with app.store.library(NAME, writing=True), pytest.raises(BusyStoreError) as refused:
        Library(NAME, app).build(use_llm=False)
    assert str(os.getpid()) in refused.value.message
    Library(NAME, app).build(use_llm=False)


def test_a_reader_sees_whole_shelves_while_a_build_goes_on(village: Village, tmp_path: Path) -> None:
    (village.pages / "bees-2.md").write_text(page("bees", 2, version=2), "utf-8")
    ingested(village.home, village.pages)
    before = library_rows(village.home)["cards"]
    seen = []

    class Watching:
        def stage(self, name, total=None):
            self.look()

        def advance(self, steps=1, detail=""):
            self.look()

        def done(self):
            self.look()

        def look(self):
            with village.library() as library:
                view = library.graph
                seen.append(len(view.graph.cards()))
                for theme in view.graph.themes():
                    assert theme.members
                    assert view.graph.shelf(theme.shelf_id)
                assert library.search_cards("honey", k=3)

    village.library().build(use_llm=False, progress=Watching())
    assert len(seen) > 5
    assert min(seen) > 0
    assert library_rows(village.home)["cards"] != before


def test_an_interrupt_keeps_what_was_made(village: Village) -> None:
    home = village.home
    (home / "collections" / NAME / "library.sqlite").unlink()

    class Impatient:
        def stage(self, name, total=None): ...

        def advance(self, steps=1, detail=""):
            if detail:
                raise KeyboardInterrupt

        def done(self): ...

    with pytest.raises(KeyboardInterrupt):
        village.library().build(use_llm=False, progress=Impatient())
    assert len(library_rows(home)["cards"]) == len(library_rows(home)["card_index"]) == 1
    assert village.library().build(use_llm=False).facets[0].made > 1
