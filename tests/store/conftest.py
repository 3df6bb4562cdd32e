from __future__ import annotations

from pathlib import Path

import pytest
from toy_store import make, open_store

from tamis.schema.entity import EntityCount
from tamis.store.sqlite import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return open_store(tmp_path)


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    with store.writer("docs") as writer:
        writer.put(make("b", "Lazy dogs sleep all day.", "Cats sleep too.", title="Sleeping dogs"))
        writer.put(
            make("a", "The quick brown fox jumps.", title="Foxes", entities=[EntityCount("reynard", "PER", 3, 0.9)])
        )
        writer.publish()
    return store
