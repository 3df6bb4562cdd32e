"""Every command shown in the documentation is run, in order, and prints what the page says it prints.

A ```` ```console ```` block holds lines ``$ tamis …`` with the output below them. "…" stands for anything. A comment
above it that no reader sees, ``<!-- exit: 0 3 -->``, gives the exit codes of its commands; without one, all are 0.
Whitespace does not count. The pages of one run share a data folder.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tamis.cli import main

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = [_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^(?:<!-- exit: ([\d ]+) -->\n)?```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Command:
    page: str
    line: int
    words: list[str]
    code: int
    shown: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def commands(page: Path) -> Iterator[Command]:
    text = page.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(2)) + 1
        codes = [int(code) for code in (block.group(1) or "").split()]
        current: Command | None = None
        for number, line in enumerate(block.group(2).splitlines(), first):
            if line.startswith("$ "):
                if current:
                    yield current
                words = shlex.split(line[2:])
                assert words[0] == "tamis", f"{page.name}:{number}: only tamis commands are run; use another fence"
                current = Command(page.name, number, words[1:], codes.pop(0) if codes else 0)
            elif current and line.strip():
                current.shown.append(line)
        if current:
            yield current
        assert not codes, f"{page.name}:{first}: more exit codes than commands"


_COMMANDS = [command for page in _PAGES for command in commands(page)]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(_ROOT / "docs", folder / "docs")
    return folder


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("command", _COMMANDS, ids=str)
def test_a_documented_command_does_what_the_page_says(
    command: Command, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    monkeypatch.setenv("TAMIS_HOME", str(workplace / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(workplace / "config"))
    monkeypatch.delenv("COLUMNS", raising=False)
    code = main(command.words)
    out, err = capsys.readouterr()
    printed = squeezed(f"{out}\n{err}")
    assert code == command.code, printed
    assert printed, "it printed nothing"
    place = 0
    for piece in squeezed("\n".join(command.shown)).split("…"):
        found = printed.find(piece.strip(), place)
        assert found >= 0, f"the page shows {piece.strip()!r}, printed was:\n{out}\n{err}"
        place = found + len(piece.strip())


def test_the_documentation_shows_commands() -> None:
    shown = {command.words[0] for command in _COMMANDS}
    assert {"demo", "scroll", "search", "ingest", "page", "collections", "config", "doctor"} <= shown


@pytest.mark.parametrize("page", ["quickstart.md", "library.md"])
def test_the_python_of_a_page_runs(page: str, workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (_ROOT / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    monkeypatch.chdir(workplace)
    monkeypatch.setenv("TAMIS_HOME", str(workplace / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(workplace / "config"))
    assert main(["demo", "--quiet"]) == 0
    for block in blocks:
        exec(compile(block, f"docs/{page}", "exec"), {})
