from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tamis.digest.chunks import chunk, embedding_text, size_of
from tamis.schema.document import Document
from tamis.settings import ChunkSettings
from tamis.text.fingerprints import sha256_hex

SMALL = ChunkSettings(target_words=20, max_words=30)


def document(text: str, title: str = "Title") -> Document:
    return Document("d", "", title, text, sha256_hex(text), "file")


def prose(sentences: int, words: int = 10) -> str:
    return " ".join("Here " + "word " * (words - 2) + f"number{n}." for n in range(sentences))


_LINE = st.sampled_from(
    [
        "# One", "## Two", "### Three", "", "", "plain words in a line", "- item one", "  - nested item", "1. step",
        "```python", "    indented = 1", "```", "| a | b |", "|---|---|", "| 1 | 2 |", "> quoted", "A lead-in:", "---",
        prose(3), prose(9), "x" * 700, "漢字" * 60, "word " * 90, "[link](http://example.org/a_b)",
    ]
)  # fmt: skip


@given(st.one_of(st.lists(_LINE, max_size=25).map("\n".join), st.text(max_size=400)))
@example("\n\n   \n")
@example("```\nnever closed\n\n" + "line of code\n" * 200)
@example("|a|b|\n|-|-|\n" + "| some cell | other cell |\n" * 60)
def test_chunks_cover_the_text_exactly(text: str) -> None:
    source = document(text)
    found = chunk(source, SMALL)
    assert [part.ordinal for part in found] == list(range(len(found)))
    assert [part.chunk_id for part in found] == [f"d#c{n}" for n in range(len(found))]
    done = 0
    for part in found:
        assert part.text == text[part.start : part.end]
        assert part.text.strip()
        assert part.start >= done
        assert not text[done : part.start].strip()
        done = part.end
        assert size_of(part.text) <= SMALL.max_words + 1
    assert not text[done:].strip()


@given(st.lists(_LINE, max_size=25).map("\n".join))
def test_cutting_is_a_function_of_the_text(text: str) -> None:
    assert chunk(document(text), SMALL) == chunk(document(text), SMALL)


def test_an_abstract_is_one_chunk() -> None:
    assert len(chunk(document(prose(29)), ChunkSettings())) == 1
    assert len(chunk(document("\n\n".join(prose(3) for _ in range(6))), ChunkSettings())) == 1


def test_code_and_tables_stay_whole_where_they_fit() -> None:
    code = "```python\n" + "\n\n".join(f"def f{n}():\n    return {n}" for n in range(6)) + "\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | x |" for n in range(3))
    text = f"{prose(2)}\n\n{code}\n\n{prose(2)}\n\n{table}\n\n{prose(2)}"
    found = chunk(document(text), SMALL)
    assert sum(code in part.text for part in found) == 1
    assert sum(table in part.text for part in found) == 1


def test_a_long_table_is_cut_between_rows_and_long_code_between_lines() -> None:
    rows = [f"| cell {n} | other {n} |" for n in range(40)]
    lines = [f"value_{n} = compute(first, second, {n})" for n in range(40)]
    text = "| a | b |\n|---|---|\n" + "\n".join(rows) + "\n\n```\n" + "\n".join(lines) + "\n```"
    found = chunk(document(text), SMALL)
    assert len(found) > 4
    for row in rows + lines:
        assert sum(row in part.text for part in found) == 1


def test_long_paragraphs_are_cut_between_sentences() -> None:
    found = chunk(document(prose(20)), SMALL)
    assert len(found) >= 7
    assert all(part.text.startswith("Here ") and part.text.endswith(".") for part in found)


def test_sections_start_chunks_and_name_their_path() -> None:
    text = f"# Guide\n\n{prose(3)}\n\n## Setup\n\n{prose(2)}\n\n## Use\n\n{prose(2)}"
    found = chunk(document(text), SMALL)
    assert [part.text.splitlines()[0] for part in found[-2:]] == ["## Setup", "## Use"]
    assert [part.headings for part in found[-2:]] == [("Guide", "Setup"), ("Guide", "Use")]


def test_headings_and_lead_ins_go_with_what_follows() -> None:
    text = f"{prose(2)}\n\n### Options\n\nThese are the options:\n\n- {prose(1)}\n- {prose(1)}"
    found = chunk(document(text), SMALL)
    assert found[1].text.startswith("### Options\n\nThese are the options:\n\n- Here")
    assert found[1].headings == ("Options",)


def test_megabytes_in_one_line_are_cut_in_linear_time() -> None:
    found = chunk(document("word " * 300_000 + "x" * 300_000), ChunkSettings())
    assert len(found) > 800


def test_tiny_sections_share_a_chunk_under_their_common_heading() -> None:
    text = "# API\n\n" + "\n\n".join(f"## f{n}\n\nReturns {n}." for n in range(3))
    found = chunk(document(text), ChunkSettings())
    assert len(found) == 1
    assert found[0].headings == ("API",)


def test_indentation_of_code_is_kept() -> None:
    text = "Intro text.\n\n    if x:\n        y()\n"
    assert chunk(document(text), SMALL)[-1].text.endswith("    if x:\n        y()")


@pytest.mark.parametrize(
    ("title", "expected"), [("Guide", "Guide\nSetup\n"), ("", "Guide > Setup\n"), ("Other", "Other\nGuide > Setup\n")]
)
def test_the_embedder_reads_title_path_and_plain_text(title: str, expected: str) -> None:
    source = document("# Guide\n\n## Setup\n\nSee [the *docs*](http://example.org/x).", title)
    text = embedding_text(source, chunk(source, ChunkSettings())[0])
    assert text.startswith(expected)
    assert text.endswith("See the docs.")
    assert "example.org" not in text
