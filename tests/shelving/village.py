"""A small collection whose subjects are known, its library, and all that is stored of both as rows."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench.toys import ToyEmbedder, ToyRecogniser

from tamis.app import Tamis
from tamis.libraries import Library
from tamis.settings import Settings

NAME = "village"
TRADES = {
    "bees": "hive swarm honey queen drone comb nectar pollen smoker frame brood wax skep mead clover heather".split(),
    "bread": "dough oven crust yeast flour loaf crumb sponge rye baker tin steam peel bran starter salt".split(),
    "boats": "hull keel sail mast rudder anchor tide harbour plank rope tiller oar deck bilge caulk tar".split(),
    "cloth": "loom shuttle warp weft spindle fleece dye thread needle hem wool linen bobbin felt carder twill".split(),
}
_SHAPES = (
    "The old {0} holds more {1} than the {2} of a careless neighbour.",
    "A good {0} needs dry {1} and a little {2} in every season.",
    "Most people keep the {0} beside the {1}, because the {2} suffers in the rain.",
    "In autumn the {0} is cleaned with {1} and rubbed with {2} until it shines.",
    "Nobody sells a {0} without {1} when the {2} is worth a month of work.",
)
DOCUMENTS = 6
"""Of each trade."""
SETTINGS = {
    "layer_a": {"minimum_support": 3},
    "layer_b": {"minimum_chunks": 6, "minimum_size": 2, "neighbours": 3},
    "layer_c": {"sentences": 3},
    "llm": {"main": {"base_url": "", "model": ""}},
}


def page(trade: str, number: int, version: int = 1) -> str:
    """One document; every version says other things about the same trade."""
    drawn = np.random.default_rng([sorted(TRADES).index(trade), number, version])
    paragraphs = []
    for _ in range(3):
        said = [_SHAPES[at].format(*drawn.choice(TRADES[trade], 3, replace=False)) for at in drawn.permutation(5)]
        paragraphs.append(" ".join(said))
    return f"# Notes on {trade}, part {number}\n\nWritten in {1990 + number}.\n\n" + "\n\n".join(paragraphs) + "\n"


def write_pages(folder: Path) -> Path:
    """All documents as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for trade in TRADES:
        for number in range(DOCUMENTS):
            (folder / f"{trade}-{number}.md").write_text(page(trade, number), "utf-8")
    return folder


def write_ontology(path: Path) -> Path:
    """The trades with some of what they work with."""
    lines = ["name: Trades", "terms:"]
    for trade, things in TRADES.items():
        lines += [f"  - work with {trade}:", *(f"      - {thing}" for thing in things[:6])]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def app_at(home: Path, **changed: object) -> Tamis:
    """An engine that loads no model."""
    app = Tamis(settings=Settings.model_validate({**SETTINGS, **changed}), home=home)
    app.embedder, app.recogniser = ToyEmbedder("toy", 64), ToyRecogniser()
    return app


def ingested(home: Path, pages: Path, **changed: object) -> Tamis:
    """An engine whose collection is read from a folder, which may be a copy of the one read before."""
    app = app_at(home, **changed)
    app.collection(NAME).ingest([pages], by_name=True)
    return app


def built(home: Path, pages: Path, **changed: object) -> Library:
    """The library of the pages, made without a model."""
    library = Library(NAME, ingested(home, pages, **changed))
    library.build(use_llm=False)
    return library


def copy_of(home: Path, to: Path) -> Path:
    """Another home folder with the same in it."""
    shutil.copytree(home, to, ignore=shutil.ignore_patterns("*-shm"))
    return to


def library_rows(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that is stored of a library, by table."""
    with closing(sqlite3.connect(home / "collections" / NAME / "library.sqlite")) as opened:
        tables = [row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {table: sorted(opened.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in tables}


def cards_by_id(home: Path) -> dict[str, tuple[object, ...]]:
    """Each card as it is stored in both places."""
    rows = library_rows(home)
    bodies = {row[0]: row for row in rows["cards"]}
    return {row[0]: (*bodies[row[0]], *row) for row in rows["card_index"]}


@dataclass(frozen=True)
class Village:
    """A home folder, and the pages that were read into it."""

    home: Path
    pages: Path
    ontology: Path

    def library(self, **changed: object) -> Library:
        return Library(NAME, app_at(self.home, **changed))
