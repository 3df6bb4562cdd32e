"""What reaches a terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.cli.terminal import escaped, say, say_json, styled, width, wrapped


@given(st.text())
def test_escaped_text_cannot_steer_a_terminal(text: str) -> None:
    shown = escaped(text)
    assert all(character in "\n\t" or (character >= " " and not "\x7f" <= character <= "\x9f") for character in shown)
    assert not any(character in shown for character in "\u202e\u2066\u200f\ufeff")


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"])))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert escaped(text) == text


def test_an_escape_sequence_becomes_visible(capsys: pytest.CaptureFixture[str]) -> None:
    say("safe \x1b[2J\x1b]0;owned\x07 end \x9b31m")
    assert capsys.readouterr().out == "safe \\x1b[2J\\x1b]0;owned\\x07 end \\x9b31m\n"


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner), max_leaves=5))
def test_json_survives_and_holds_no_control_characters(value: object) -> None:
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        say_json(value)
    assert json.loads(out.getvalue()) == value
    assert not any("\x7f" <= character <= "\x9f" for character in out.getvalue())


def test_numbers_of_numpy_are_plain_numbers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np

    say_json({"score": np.float32(0.5)})
    assert json.loads(capsys.readouterr().out) == {"score": 0.5}


def test_piped_output_is_not_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert width() is None
    assert wrapped("word " * 80, indent="  ") == "  " + ("word " * 80).rstrip()


def test_prose_is_wrapped_and_code_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    code = "    " + "x" * 90
    shown = wrapped("word " * 30 + "\n\n" + code, indent="", hanging="  ")
    *prose, blank, last = shown.split("\n")
    assert last.strip() == "x" * 90
    assert blank == ""
    assert len(prose) > 1
    assert all(len(line) <= 50 for line in prose)
    assert all(line.startswith("  word") for line in prose[1:])


def test_no_colour_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    styled("title", bold=True)
    assert capsys.readouterr().out == "title\n"
