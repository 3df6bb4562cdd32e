"""Any string at all: the splitter and its neighbours keep their promises, in time that grows with the text."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.schema.document import Span
from tamis.text.encoding import clean
from tamis.text.markdown import blocks, plain
from tamis.text.sentences import sentences
from tamis.text.tables import prose_sentences, table_runs

BOUNDED = settings(derandomize=True, max_examples=300, deadline=None, database=None)
PIECES = (
    ". .. ... . . . ! ?! … 。 ！ ” \" ' ) ] ( [ ]( - * # > | |-| ``` ~~~ 1. 1) a. A. Dr. e.g. U.S. No. 5 "
    "p.m. The He is 中 文 é \t \u2029 \f \u00a0 \u202e \u200d • 3.5 1,000 <b> &amp; word"
).split(" ")
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from([*PIECES, " ", "\n", "\n\n"]), max_size=60).map("".join))


def ascending(spans: list[Span], text: str) -> bool:
    edges = [edge for span in spans for edge in span]
    return edges == sorted(edges) and all(0 <= start < end <= len(text) for start, end in spans)


@BOUNDED
@given(TEXTS)
def test_sentences_hold_every_character_once(text: str) -> None:
    spans = sentences(text)
    assert ascending(spans, text)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


@BOUNDED
@given(TEXTS)
def test_sentences_of_clean_text_stay_where_they_are(text: str) -> None:
    text = clean(text)
    assert [sentences(text[start:end])[0][0] for start, end in sentences(text)] == [0] * len(sentences(text))


@BOUNDED
@given(TEXTS)
def test_tables_blocks_and_prose_point_into_the_text(text: str) -> None:
    assert ascending(table_runs(text), text)
    assert ascending(prose_sentences(text), text)
    assert ascending([(block.start, block.end) for block in blocks(text)], text)
    plain(text)


SLOW = 2.0
"""Seconds of processor time that nothing linear needs for these texts; quadratic rules need minutes."""


@pytest.mark.parametrize(
    "function", [sentences, table_runs, prose_sentences, blocks, plain, clean], ids=lambda one: one.__name__
)
@pytest.mark.parametrize(
    "piece",
    sorted(
        {
            *PIECES,
            "a",
            "\n",
            " ",
            "a ",
            "[a",
            "](",
            "<!--",
            "![",
            "**",
            "a|",
            "é\u0301\u0327",
            "!x",
            "1. a ",
            "_a",
            "``a",
        }
    ),
)
def test_time_grows_with_the_text(function: Callable[[str], object], piece: str) -> None:
    text = "word " + piece * (60_000 // len(piece)) + "x"
    began = time.process_time()
    function(text)
    assert time.process_time() - began < SLOW
