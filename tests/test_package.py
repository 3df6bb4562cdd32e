"""What is shipped: the public names, and everything the code reads at run time."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import tamis

_ROOT = Path(__file__).resolve().parents[1]
_DATA = {
    ".yaml",
    ".yml",
    ".jinja",
    ".json",
    ".txt",
    ".md",
    ".html",
    ".csv",
    ".jsonl",
    ".typed",
    ".docx",
    ".epub",
    ".pdf",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as it would be published, built without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_public_names() -> None:
    assert sorted(tamis.__all__) == ["Collection", "Library", "Tamis", "__version__", "scroll"]
    assert [name for name in tamis.__all__ if not hasattr(tamis, name)] == []


def test_one_version() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == tamis.__version__


def test_importing_tamis_is_light() -> None:
    heavy = ["numpy", "spacy", "onnxruntime", "httpx", "pydantic"]
    code = f"import sys, tamis; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_wheel_holds_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    source = _ROOT / "src"
    ours = {
        str(path.relative_to(source))
        for path in (source / "tamis").rglob("*")
        if path.is_file() and (path.suffix in _DATA or path.suffix == ".py")
    }
    shipped = {name for name in wheel.namelist() if name.startswith("tamis/")}
    assert ours - shipped == set()
    assert {Path(name).suffix for name in shipped} <= _DATA | {".py"}


@pytest.mark.parametrize("part", ["tamis/example/documents/", "tamis/write/prompts/", "tamis/render/templates/"])
def test_the_wheel_holds_what_is_read_at_run_time(wheel: zipfile.ZipFile, part: str) -> None:
    found = [name for name in wheel.namelist() if name.startswith(part)]
    assert found
    assert all(wheel.getinfo(name).file_size for name in found)


def test_the_wheel_holds_enough_example_documents(wheel: zipfile.ZipFile) -> None:
    documents = [name for name in wheel.namelist() if name.startswith("tamis/example/documents/")]
    assert len(documents) >= 25
    assert len({Path(name).suffix for name in documents}) >= 4


def test_the_wheel_ships_no_tests_and_its_licence(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert not any(name.startswith(("tests/", "bench/")) for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
