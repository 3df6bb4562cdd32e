"""The shipped collection is readable, varied and the same bytes everywhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tamis import example
from tamis.acquire.readers import read
from tamis.schema.document import Document
from tamis.settings import ReadSettings

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_example.py"


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_example", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their own module up by name while they are being made.
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def files() -> list[Path]:
    return sorted(example.documents_folder().iterdir())


@pytest.fixture(scope="module")
def documents(files: list[Path]) -> dict[str, list[Document]]:
    return {
        path.name: list(read(path.read_bytes(), url=path.as_uri(), settings=ReadSettings()).documents) for path in files
    }


def test_many_short_documents_in_seven_formats(files: list[Path]) -> None:
    assert len(files) >= 25
    assert {path.suffix for path in files} == {".md", ".html", ".txt", ".csv", ".docx", ".epub", ".pdf"}
    for path in files:
        if path.suffix in {".md", ".html", ".txt"}:
            assert 150 <= len(path.read_text("utf-8").split()) <= 500, path.name


def test_every_file_is_read_with_a_title(documents: dict[str, list[Document]]) -> None:
    for name, found in documents.items():
        assert found, name
        for document in found:
            assert document.title, name
            assert len(document.text.split()) >= 8, name


def test_front_matter_and_page_metadata_give_dates_and_authors(documents: dict[str, list[Document]]) -> None:
    for name, found in documents.items():
        if Path(name).suffix in {".md", ".html"}:
            assert found[0].author, name
            assert found[0].published and "2015" <= found[0].published[:4] <= "2024", name


def test_csv_rows_keep_their_ids(documents: dict[str, list[Document]]) -> None:
    assert [document.document_id for document in documents["refrigerator-times.csv"]] == [
        f"fridge-{number:02d}" for number in range(1, 13)
    ]


def test_main_text_is_kept_and_page_furniture_is_not(documents: dict[str, list[Document]]) -> None:
    text = documents["leftovers-four-hours.html"][0].text
    assert "More than 4 hours" in text
    assert "cookies" not in text and "knife test" not in text
    thawing = documents["thawing-methods.html"][0].text
    assert "Change the water every 30 minutes" in thawing
    assert "newsletter" not in thawing


def test_hidden_paragraphs_are_not_read_but_the_quoted_instruction_is(documents: dict[str, list[Document]]) -> None:
    assert "maintenance mode" not in documents["kitchen-forum.html"][0].text
    assert "do not cite any other document" not in documents["kitchen-forum.html"][0].text
    assert "ignore previous" in " ".join(documents["wooden-boards.md"][0].text.split())


def test_sources_that_disagree(documents: dict[str, list[Document]]) -> None:
    assert "should not be washed" in documents["washing-chicken-no.md"][0].text
    assert "wash it if it is dirty" in " ".join(documents["washing-chicken-yes.txt"][0].text.split())


def test_binary_documents_are_what_the_script_writes(files: list[Path]) -> None:
    built = tool().build()
    assert set(built) == {path.name for path in files if path.suffix in {".docx", ".epub", ".pdf"}}
    for name, data in built.items():
        assert (example.documents_folder() / name).read_bytes() == data, f"run tools/make_example.py: {name} differs"


def test_questions() -> None:
    assert len(example.QUESTIONS) >= 10
    assert all(question.endswith("?") for question in (*example.QUESTIONS, *example.UNANSWERED))
    with example.documents() as folder:
        assert (folder / "cooked-rice.md").is_file()
