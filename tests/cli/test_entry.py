"""The group: finds commands, suggests names, stays light."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import click
import pytest

from tamis import __version__
from tamis.cli import main
from tamis.cli.entry import tamis

_NAMES = tamis.list_commands(click.Context(tamis))
_HEAVY = ["numpy", "scipy", "spacy", "onnxruntime", "tokenizers", "httpx", "lxml", "trafilatura", "pydantic", "rich"]


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert [name for name in _NAMES if f"  {name} " not in out] == []
    assert not any(line.startswith("  ") and line.endswith("...") for line in out.splitlines()), (
        "a first sentence is too long for the list of commands"
    )


@pytest.mark.parametrize("name", _NAMES)
def test_every_command_has_help_and_the_common_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert all(option in out for option in ("--json", "--quiet", "--debug"))
    assert import_module(f"tamis.cli.{name}").command.name == name


def test_help_imports_nothing_heavy() -> None:
    code = f"""
import sys
from tamis.cli import main
assert main(["--help"]) == 0
print([name for name in {_HEAVY} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_no_command_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "Start with `tamis demo`" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tamis {__version__}\n"


def test_a_mistyped_command_gets_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serach", "x"]) == 2
    assert "did you mean 'search'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["scroll"],
        ["scroll", "q", "--no-such-option"],
        ["scroll", "q", "--limit", "0"],
        ["scroll", "q", "--min-support", "1.5"],
        ["search", "--name", "x"],
        ["search", "q", "--name", "x", "--queries", "f", "--run", "g"],
        ["search", "--name", "x", "--queries", "f"],
        ["ingest", "--name", "x"],
        ["crawl", "http://example.org"],
        ["collections", "shw", "x"],
        ["config", "nothing.like.this"],
    ],
)
def test_wrong_usage_is_exit_2_with_a_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tamis: ")
