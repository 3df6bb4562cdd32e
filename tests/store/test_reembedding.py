from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from toy_store import IDENTITY, make

from tamis.errors import EmbeddingMismatchError, StoreError
from tamis.models.protocols import EmbeddingIdentity
from tamis.settings import StoreSettings
from tamis.store.sqlite import SqliteStore

OTHER = EmbeddingIdentity("other", "1" * 64, "none 2", 4)


def vectors(count: int) -> np.ndarray:
    return np.tile(np.array([[0.0, 1.0, 0.0, 0.0]], dtype=np.float32), (count, 1))


def test_vectors_are_swapped_as_one_and_an_interruption_goes_on(filled: SqliteStore, tmp_path: Path) -> None:
    with filled.writer("docs") as writer:
        writer.put_entity_vectors(["reynard"], np.eye(8, dtype=np.float32)[:1])
    store = SqliteStore(tmp_path, StoreSettings(), OTHER)
    with store.reembedding("docs") as reembedding:
        assert reembedding.needed
        document, chunks = next(reembedding.pending())
        assert (document.document_id, len(chunks)) == ("a", 1)
        assert chunks[0].text == "The quick brown fox jumps."
        reembedding.stage("a", vectors(1), topic="animals", sentiment=-1.0, quality=0.125)
        with pytest.raises(StoreError, match="1 documents"), reembedding.swapped():
            pass
        with pytest.raises(StoreError, match=r"expected \(2, 4\)"):
            reembedding.stage("b", vectors(1), topic="", sentiment=0.0, quality=0.0)
    # Not done: the old vectors answer.
    with filled.reader("docs") as reader:
        assert reader.info.embedding == IDENTITY
        assert reader.search_vectors(make("x", "y").vectors[0], 3).scores.shape == (3,)
    with store.reembedding("docs") as reembedding:
        assert [document.document_id for document, _ in reembedding.pending()] == ["b"]
        assert reembedding.count() == 1
        reembedding.stage("b", vectors(2), topic="", sentiment=0.0, quality=0.0)
        with reembedding.swapped() as writer:
            assert writer.entity_vectors(["reynard"])[0] == ()
            writer.put_profiles(["a"], vectors(1))
            info = writer.publish()
    assert info.embedding == OTHER
    with pytest.raises(EmbeddingMismatchError):
        filled.reader("docs")
    with store.reader("docs") as reader:
        assert reader.search_vectors(vectors(1)[0], 5).ids == ("a#c0", "b#c0", "b#c1")
        assert reader.search_profiles(vectors(1)[0], 5, floor=0.5).ids == ("a",)
        assert reader.search_text({"fox": 1.0}, 5).ids == ("a#c0",)
        assert (reader.signals(["a"])[0].topic, reader.signals(["a"])[0].quality) == ("animals", 0.125)
    with store.reembedding("docs") as reembedding:
        assert not reembedding.needed
    assert [path.name for path in (tmp_path / "collections" / "docs" / "index").iterdir()] == ["2"]


def test_a_failure_while_finishing_takes_everything_back(filled: SqliteStore, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, StoreSettings(), OTHER)
    with store.reembedding("docs") as reembedding:
        for document, chunks in reembedding.pending():
            reembedding.stage(document.document_id, vectors(len(chunks)), topic="", sentiment=0.0, quality=0.0)
        with pytest.raises(RuntimeError), reembedding.swapped():
            raise RuntimeError
        assert reembedding.needed and reembedding.count() == 0
    with filled.reader("docs") as reader:
        assert len(reader.search_vectors(make("x", "y").vectors[0], 5).ids) == 3
        assert reader.signals(["a"])[0].topic == "topic"
