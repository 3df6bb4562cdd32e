"""The engine over small collections: what it lists, returns and imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tamis.app import Tamis
from tamis.settings import Settings

_PAGES = {
    "tea": "Green tea is brewed with water of 80 °C for two minutes. The Camellia bush grows in Assam and Darjeeling.",
    "coffee": "Coffee is brewed with water of 94 °C. Brazil and Vietnam grow most of the coffee in the world.",
    "cocoa": "Cocoa grows in Ghana and Brazil. Hot chocolate is made of cocoa, milk and sugar.",
    "maté": "Maté is drunk in Argentina and Brazil from a gourd, through a metal straw.",
    "water": "Water boils at 100 °C at sea level, and at 93 °C in La Paz in Bolivia.",
    "milk": "Milk is pasteurised at 72 °C for fifteen seconds. Brazil and Argentina keep many cows.",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engine")
    pages = folder / "pages"
    pages.mkdir()
    for name, text in _PAGES.items():
        (pages / f"{name}.md").write_text(f"# About {name}\n\n{text}\n", "utf-8")
    Tamis(Settings(), folder / "home").collection("drinks").ingest([pages])
    return folder / "home"


@pytest.fixture
def app(home: Path) -> Tamis:
    return Tamis(Settings(), home)


def test_a_search_needs_no_statistical_recogniser(home: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tamis.app import Tamis; from tamis.settings import Settings\n"
        "found = Tamis(Settings(), Path(sys.argv[1])).collection('drinks').search('Where does coffee grow?', k=1)\n"
        "print(found.items[0].title, sorted({'spacy', 'trafilatura', 'lxml', 'scipy', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script, str(home)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "About coffee []"


def test_a_search_returns_at_most_k_relatives_included(app: Tamis) -> None:
    drinks = app.collection("drinks")
    question = "Do Brazil and Argentina grow coffee?"
    for k in (1, 2, 3, 6):
        found = drinks.search(question, k)
        assert 1 <= len(found.items) <= k
        assert found.related == sum(item.via == ("entities",) for item in found.items)
        assert len(drinks.run({"q": question}, k)["q"]) <= k


def test_a_damaged_collection_does_not_hide_the_others(home: Path, app: Tamis) -> None:
    broken = home / "collections" / "broken"
    broken.mkdir()
    (intact,) = (home / "collections" / "drinks").glob("*.sqlite*")
    (broken / intact.name).write_bytes(b"not a database" * 100)
    try:
        assert [info.name for info in app.collections()] == ["drinks"]
        ((name, error),) = app.damaged()
        assert name == "broken"
        assert "broken" in error.message
    finally:
        (broken / intact.name).unlink()
        broken.rmdir()
