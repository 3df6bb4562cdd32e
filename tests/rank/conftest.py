from __future__ import annotations

import pytest

from tamis.digest.digest import Digester
from tamis.digest.finish import finish
from tamis.models.ner import load_recogniser
from tamis.schema.document import Document
from tamis.schema.question import Interpretation
from tamis.settings import Settings
from tamis.store.sqlite import SqliteStore
from tamis.text.fingerprints import sha256_hex

TEXTS = {
    "bread": (
        "Sourdough bread",
        "Feed the starter twice a day. Let the dough rise for eight hours before baking it hot.",
    ),
    "rice": ("Cooked rice", "Cooked rice keeps four days in the refrigerator. Cool it within an hour."),
    "jam": ("Strawberry jam", "Boil strawberries with sugar until the jam sets. Sealed jars keep for a year."),
    "vaccine": (
        "How vaccines work",
        "A vaccine trains the immune system to recognise a virus before it causes disease.",
    ),
    "both": ("Storing and immunity", "Some notes touch on storing cooked food and on immunity, neither in any detail."),
    "microsoft": (
        "Microsoft in Ireland",
        "Microsoft opened an office in Dublin. Satya Nadella met Irish ministers there.",
    ),
    "nadella": ("A speech", "Satya Nadella of Microsoft spoke about cloud computing in Dublin."),
    "dublin": ("Office market", "Rents rose again. Microsoft and Dublin council agreed on new towers."),
}


@pytest.fixture(scope="session")
def recogniser():
    return load_recogniser()


@pytest.fixture(scope="session")
def settings():
    return Settings()


@pytest.fixture(scope="session")
def reader(tmp_path_factory, embedder, recogniser, settings):
    store = SqliteStore(tmp_path_factory.mktemp("home"), settings.store, embedder.identity)
    digester = Digester(embedder, recogniser, settings)
    with store.writer("notes") as writer:
        for name, (title, text) in TEXTS.items():
            writer.put(digester.digest(Document(name, f"file:///{name}", title, text, sha256_hex(text), "file")))
        finish(writer, embedder, settings)
    with store.reader("notes") as opened:
        yield opened


@pytest.fixture
def asked():
    def make(question, *subqueries, entities=()):
        return Interpretation(
            question,
            "qa",
            "general",
            "general",
            subqueries=subqueries or (question,),
            composite=len(subqueries) > 1,
            entities=entities,
        )

    return make
