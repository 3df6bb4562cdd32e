"""What is said where a collection does not answer, and where else to ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamis.app import Tamis
from tamis.schema.report import Deficit
from tamis.settings import Settings

_BREAD = "# Bread\n\nBread is baked from flour, water and salt. Let it cool before you cut it.\n"
_PLACES = {
    "pumps": "# The Brelvik pump\n\nThe Brelvik pump is made of cast iron. Its handle is made of brass.\n",
    "towns": "# Cycling in Utrecht\n\nMost streets of Utrecht have a lane for cycling, and much of it is flat.\n",
    "aside": "# Weekly notes\n\nMuch was said about Utrecht and about cycling.\n",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Tamis:
    folder = tmp_path_factory.mktemp("shelves")
    engine = Tamis(Settings(), folder / "home")
    for name, text in {"bread": _BREAD, **_PLACES}.items():
        pages = folder / name
        pages.mkdir()
        (pages / "page.md").write_text(text, "utf-8")
        engine.collection(name).ingest([pages])
    return engine


def refused(app: Tamis, question: str, name: str = "bread") -> Deficit:
    found = app.scroll(question, name=name, use_llm=False).deficit
    assert found is not None
    return found


def test_a_refusal_names_page_similarity_threshold_and_missing_words(app: Tamis) -> None:
    found = refused(app, "How much does a house in Madrid cost?")
    assert found.missing_terms == ("house", "Madrid", "cost")
    assert found.reason.startswith("bread does not answer this. Closest: Bread (similarity 0.")
    assert f"{found.threshold:.2f}" in found.reason
    assert '"house", "Madrid", "cost"' in found.reason


def test_words_are_shown_as_written_and_small_words_of_any_language_not_at_all(app: Tamis) -> None:
    assert refused(app, "Wann steht mir die Küche zur Verfügung?").missing_terms == ("Küche", "Verfügung")


def test_only_a_collection_with_such_a_page_is_suggested(app: Tamis) -> None:
    found = refused(app, "How much cycling is there in Utrecht?")
    assert found.suggestions[0] == '--name towns, which has "Cycling in Utrecht"'
    assert not any("pumps" in line or "aside" in line for line in found.suggestions)


def test_nothing_is_suggested_where_no_other_collection_is_about_it(app: Tamis) -> None:
    found = refused(app, "Who won the chess olympiad in 2018?")
    assert not any("--name" in line for line in found.suggestions)
    assert found.suggestions


def test_a_collection_that_cannot_be_read_is_no_suggestion(app: Tamis) -> None:
    broken = Path(app.home) / "broken"
    broken.mkdir()
    (broken / "collection.sqlite").write_bytes(b"no database")
    try:
        assert refused(app, "How much cycling is there in Utrecht?").suggestions[0].startswith("--name towns")
    finally:
        (broken / "collection.sqlite").unlink()
        broken.rmdir()
