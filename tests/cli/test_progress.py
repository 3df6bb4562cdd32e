"""Progress: silent when short, one line a stage in a log, a bar on a terminal."""

from __future__ import annotations

import io
import time

import pytest

from tamis.cli import progress as module
from tamis.cli.progress import Bar, Plain, Quiet, listener


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.0)


def work(progress: Plain) -> None:
    with progress:
        progress.stage("reading", 3)
        for name in ("a", "b", "c\x1b[2J"):
            progress.advance(note=name)
        progress.stage("indexing")


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    work(Plain())
    assert capsys.readouterr() == ("", "")


def test_long_stages_get_one_line_each_on_stderr(impatient: None, capsys: pytest.CaptureFixture[str]) -> None:
    work(Plain())
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert first.startswith("reading: 3 in ")
    assert second.startswith("indexing: in ")


def test_a_very_long_stage_gives_signs_of_life(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "_SIGN_OF_LIFE_SECONDS", 0.0)
    work(Plain())
    assert "reading: 2 of 3 …" in capsys.readouterr().err.splitlines()


def test_quiet_is_quiet(impatient: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "_SIGN_OF_LIFE_SECONDS", 0.0)
    work(listener(quiet=True))
    assert capsys.readouterr() == ("", "")


def test_the_bar_appears_without_any_advance_and_escapes_notes(
    monkeypatch: pytest.MonkeyPatch, impatient: None
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    bar = listener(quiet=False)
    assert isinstance(bar, Bar)
    with bar:
        bar.stage("reading", 3)
        deadline = time.monotonic() + 5
        while "reading" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
        bar.advance(note="c\x1b]0;owned\x07")
        bar.stage("indexing")
        time.sleep(0.15)
    assert "reading" in terminal.getvalue()
    assert "indexing" in terminal.getvalue()
    assert "\x1b]0;owned" not in terminal.getvalue()


def test_without_a_terminal_there_is_no_bar() -> None:
    assert type(listener(quiet=False)) is Plain
    assert isinstance(listener(quiet=True), Quiet)
