"""Fixtures every room may use."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from kitchens import KITCHEN
from tamis.models.embedder import OnnxEmbedder, load_embedder
from tamis.settings import EmbeddingSettings

# A busy machine is not a failure.
hypothesis.settings.register_profile("tamis", deadline=None)
hypothesis.settings.load_profile("tamis")


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


@pytest.fixture(scope="session")
def kitchen_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the shipped example and its library of three facets. Not to be changed."""
    from tamis.app import Tamis
    from tamis.example import documents_folder, ontologies_folder
    from tamis.libraries import Library
    from tamis.settings import Settings

    home = tmp_path_factory.mktemp("kitchen") / "home"
    app = Tamis(settings=Settings.model_validate(KITCHEN), home=home)
    with documents_folder() as folder:
        app.collection("kitchen").ingest([folder])
    library = Library("kitchen", app)
    library.build(use_llm=False)
    with ontologies_folder() as folder:
        library.build("foods", ontology=folder / "foods.yaml", use_llm=False)
    allergens = home / "allergens.yaml"
    allergens.write_text("name: Allergens\nterms:\n  - egg | eggs\n  - milk\n  - fish\n", "utf-8")
    library.build("allergies", ontology=allergens, use_llm=False)
    return home
