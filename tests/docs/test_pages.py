"""What the pages say about the project is still so."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import click
import pytest

from tamis import errors
from tamis.cli.entry import tamis
from tamis.cli.failures import Exit

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = [_ROOT / "README.md", _ROOT / "CHANGELOG.md", *sorted((_ROOT / "docs").glob("*.md"))]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required() -> set[str]:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())
    lists = [
        project["project"]["dependencies"],
        project["build-system"]["requires"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    made = re.findall(r"--no-deps ([\w-]+)", (_ROOT / "Makefile").read_text())
    return {normal(re.split(r"[<>=!~\[ ;]", line)[0]) for each in lists for line in each} | set(map(normal, made))


def test_every_dependency_is_argued_for_and_none_that_is_gone() -> None:
    rows = re.findall(r"^\| ([\w.-]+)[^|]*\|(.*)\|$", (_ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE)
    argued = {normal(name): cells for name, cells in rows if name not in {"package", "---"}}
    assert set(argued) == required()
    assert [name for name, cells in argued.items() if not all(cell.strip() for cell in cells.split("|"))] == []


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)", text)
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_exit_code_is_documented() -> None:
    documented = re.findall(r"^\| (\d+) \|", (_ROOT / "docs" / "exit-codes.md").read_text(), re.MULTILINE)
    assert sorted(map(int, documented)) == sorted(Exit)


def test_every_error_a_user_can_meet_is_documented() -> None:
    text = (_ROOT / "docs" / "exit-codes.md").read_text()
    leaves = [
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.TamisError) and not kind.__subclasses__()
    ]
    assert leaves
    assert [name for name in leaves if f"`{name}`" not in text] == []


def options(command: click.Command) -> set[str]:
    common = {"--json", "--quiet", "--debug"}
    return {name for parameter in command.params for name in parameter.opts if name.startswith("-")} - common


def test_every_command_and_option_is_in_the_reference() -> None:
    text = (_ROOT / "docs" / "cli.md").read_text()
    for name in tamis.list_commands(click.Context(tamis)):
        section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section, f"docs/cli.md has no section {name}"
        missing = [each for each in options(import_module(f"tamis.cli.{name}").command) if each not in section.group(1)]
        assert missing == [], name
