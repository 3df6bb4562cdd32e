"""A library built once, and copies of it to change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from village import Village, built, copy_of, write_ontology, write_pages


@pytest.fixture(scope="session")
def first(tmp_path_factory: pytest.TempPathFactory) -> Village:
    """Never change it: take `village`."""
    folder = tmp_path_factory.mktemp("village")
    pages = write_pages(folder / "pages")
    built(folder / "home", pages).close()
    return Village(folder / "home", pages, write_ontology(folder / "trades.yaml"))


@pytest.fixture
def village(first: Village, tmp_path: Path) -> Iterator[Village]:
    """A copy."""
    yield Village(copy_of(first.home, tmp_path / "home"), copy_of(first.pages, tmp_path / "pages"), first.ontology)
