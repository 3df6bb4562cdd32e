"""Fixtures every room may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tamis.models.embedder import OnnxEmbedder, load_embedder
from tamis.settings import EmbeddingSettings


def data_folder() -> Path:
    """Where the measuring data lies: ``TAMIS_DATA``, else ``../shared/data`` beside the project."""
    named = os.environ.get("TAMIS_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(f"no measuring data at {folder}; set TAMIS_DATA")
    return folder


@pytest.fixture(scope="session")
def embedder() -> OnnxEmbedder:
    return load_embedder(EmbeddingSettings())
