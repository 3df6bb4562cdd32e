"""The shipped collection is readable, varied and the same bytes everywhere."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
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
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def files() -> Iterator[list[Path]]:
    with example.documents_folder() as folder:
        yield sorted(folder.iterdir())


def named(files: list[Path], name: str) -> list[Document]:
    path = next(path for path in files if path.name == name)
    return list(read(path.read_bytes(), url=path.as_uri(), settings=ReadSettings()).documents)


def test_many_short_documents_in_seven_formats(files: list[Path]) -> None:
    assert len(files) >= 25
    assert {path.suffix for path in files} == {".md", ".html", ".txt", ".csv", ".docx", ".epub", ".pdf"}
    for path in files:
        if path.suffix in {".md", ".html", ".txt"}:
            assert 150 <= len(path.read_text("utf-8").split()) <= 500, path.name


def test_every_file_is_read_with_a_title(files: list[Path]) -> None:
    for path in files:
        found = named(files, path.name)
        assert found, path.name
        for document in found:
            assert document.title, path.name
            assert len(document.text.split()) >= 8, path.name


def test_front_matter_and_page_metadata_give_dates_and_authors(files: list[Path]) -> None:
    for path in files:
        if path.suffix in {".md", ".html", ".docx", ".epub", ".pdf"}:
            document = named(files, path.name)[0]
            assert document.author, path.name
            assert document.published and "2015" <= document.published[:4] <= "2024", path.name


def test_csv_rows_keep_their_ids(files: list[Path]) -> None:
    assert [document.document_id for document in named(files, "refrigerator-times.csv")] == [
        f"fridge-{number:02d}" for number in range(1, 13)
    ]


def test_main_text_is_kept_and_page_furniture_is_not(files: list[Path]) -> None:
    cooling = named(files, "leftovers-four-hours.html")[0].text
    assert "More than 4 hours" in cooling
    assert "cookies" not in cooling and "knife test" not in cooling
    thawing = named(files, "thawing-methods.html")[0].text
    assert "Change the water every 30 minutes" in thawing
    assert "newsletter" not in thawing


def test_hidden_paragraphs_are_not_read_but_the_quoted_instruction_is(files: list[Path]) -> None:
    assert "maintenance mode" not in named(files, "kitchen-forum.html")[0].text
    assert "ignore previous" in " ".join(named(files, "wooden-boards.md")[0].text.split())


def test_sources_that_disagree(files: list[Path]) -> None:
    assert "should not be washed" in named(files, "washing-chicken-no.md")[0].text
    assert "wash it if it is dirty" in " ".join(named(files, "washing-chicken-yes.txt")[0].text.split())


def test_binary_documents_are_what_the_script_writes(files: list[Path]) -> None:
    built = tool().build()
    shipped = {path.name: path.read_bytes() for path in files if path.suffix in {".docx", ".epub", ".pdf"}}
    assert set(built) == set(shipped)
    for name, data in built.items():
        assert shipped[name] == data, f"run tools/make_example.py: {name} differs"


def test_questions() -> None:
    assert len(example.QUESTIONS) >= 10
    assert all(question.endswith("?") for question in (*example.QUESTIONS, *example.UNANSWERED))
