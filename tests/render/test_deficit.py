"""A report without an answer, in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamis.render.deficit import deficit_markdown, deficit_text
from tamis.render.formats import WRITERS, write
from tamis.schema.question import Interpretation
from tamis.schema.report import Answer, Deficit

_TITLE = "Rice <script>alert(1)</script> [click](http://evil.test) *now*"
_FOUND = Deficit(
    reason=f"food does not answer this. Closest: {_TITLE} (similarity 0.41).",
    closest_title=_TITLE,
    closest_url="http://docs.test/rice page",
    failed_sources=("wiki: 503",),
    suggestions=("another collection: pydoc_3 (12 documents)",),
)


@pytest.fixture
def answer() -> Answer:
    asked = "who won?"
    return Answer(
        asked,
        Interpretation(asked, "qa", "general", "general"),
        tier="none",
        markdown=deficit_markdown(_FOUND),
        deficit=_FOUND,
        documents_total=7,
    )


def test_markdown_shows_the_words_of_a_title_and_none_of_its_markup() -> None:
    text = deficit_markdown(_FOUND)
    assert r"\<script\>" in text
    assert r"\[click\](`http" in text
    assert "- Closest page: <http://docs.test/rice%20page>\n" in text
    assert "- Failed: wiki: 503\n" in text


def test_plain_text_has_no_backslashes() -> None:
    assert "\\" not in deficit_text(_FOUND)
    assert "Closest page: http://docs.test/rice page" in deficit_text(_FOUND)


@pytest.mark.parametrize("extension", sorted(WRITERS))
def test_every_format_says_why_and_judges_nothing(extension: str, answer: Answer, tmp_path: Path) -> None:
    path = tmp_path / f"report{extension}"
    write(answer, path)
    text = path.read_text("utf-8")
    assert "food does not answer this." in text
    assert "pydoc" in text
    if extension != ".json":
        assert "0 supported" not in text
        assert "docs.test" in text
    if extension == ".html":
        assert "<script>" not in text
