"""From documents to a published collection, with the real models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tamis.digest.digest import Digester
from tamis.digest.finish import finish
from tamis.digest.reembed import reembed
from tamis.models.embedder import OnnxEmbedder
from tamis.models.ner import load_recogniser
from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.schema.document import Document
from tamis.schema.progress import Silence
from tamis.settings import Settings
from tamis.store.sqlite import SqliteStore
from tamis.text.fingerprints import sha256_hex

SETTINGS = Settings()


class Counting:
    """An embedder that remembers what it was asked for."""

    def __init__(self, inner: OnnxEmbedder, model: str = "counted") -> None:
        self._inner = inner
        self.identity = EmbeddingIdentity(model, "", "none", 384)
        self.texts: list[str] = []

    def passages(self, texts: list[str]) -> Matrix:
        self.texts += texts
        return self._inner.passages(texts)

    queries = passages


def document(name: str, text: str) -> Document:
    return Document(name, "", "", text, sha256_hex(text), "file")


TEXTS = {
    "b": "Angela Merkel met Emmanuel Macron in Paris. They spoke about the European Union.",
    "a": "Emmanuel Macron returned to Paris. Paris was quiet.",
    "c": "Emmanuel Macron returned to Paris. Paris was quiet.",
}


@pytest.fixture(scope="module")
def digester(embedder: OnnxEmbedder) -> Digester:
    return Digester(embedder, load_recogniser(), SETTINGS)


def test_many_documents_come_in_order_and_equal_to_one_by_one(digester: Digester) -> None:
    documents = [document(f"d{n}", f"{text} Part {n}. " * (1 + n % 3)) for n, text in enumerate([*TEXTS.values()] * 4)]
    many = list(digester.digest_many(documents))
    assert [stored.document for stored in many] == documents
    for stored in many:
        alone = digester.digest(stored.document)
        np.testing.assert_array_equal(stored.vectors, alone.vectors)
        assert (stored.chunks, stored.entities, stored.topic) == (alone.chunks, alone.entities, alone.topic)


def test_no_more_documents_are_taken_than_are_worked_on(digester: Digester) -> None:
    taken = []

    def stream() -> Iterator[Document]:
        for n in range(1000):
            taken.append(n)
            yield document(f"d{n}", "Text.")

    results = digester.digest_many(stream())
    next(results)
    results.close()
    assert len(taken) < 10


def test_a_failing_stream_fails_where_it_failed(digester: Digester) -> None:
    def stream() -> Iterator[Document]:
        yield document("d", "Text.")
        raise RuntimeError("source")

    with pytest.raises(RuntimeError, match="source"):
        list(digester.digest_many(stream()))


def test_finish_derives_profiles_and_repeats_and_embeds_only_new_names(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    counting = Counting(embedder)
    digester = Digester(counting, load_recogniser(), SETTINGS)
    store = SqliteStore(tmp_path, SETTINGS.store, counting.identity)
    with store.writer("docs") as writer:
        for stored in digester.digest_many(document(name, text) for name, text in TEXTS.items()):
            writer.put(stored)
        counting.texts.clear()
        assert finish(writer, counting, SETTINGS).documents == 3
        assert "emmanuel macron" in counting.texts
        counting.texts.clear()
        writer.put(digester.digest(document("d", "Emmanuel Macron visited Warsaw.")))
        counting.texts.clear()
        finish(writer, counting, SETTINGS)
        assert counting.texts == ["warsaw"]
        counting.texts.clear()
        finish(writer, counting, SETTINGS)
        assert counting.texts == []
    with store.reader("docs") as reader:
        assert reader.signals(["c"])[0].duplicate_of == "a"
        assert reader.signals(["a"])[0].duplicate_of == ""
        profiles = reader.profiles(["a", "b", "c", "d"])
        np.testing.assert_allclose(np.linalg.norm(profiles, axis=1), 1.0, atol=1e-5)
        np.testing.assert_array_equal(profiles[0], profiles[2])
        assert reader.search_profiles(profiles[0], 2, floor=0.25).ids == ("a", "c")
    again = Counting(embedder, "another")
    moved = SqliteStore(tmp_path, SETTINGS.store, again.identity)
    with moved.reembedding("docs") as reembedding:
        info = reembed(reembedding, again, SETTINGS, Silence())
        assert info is not None and info.embedding == again.identity
        assert reembed(reembedding, again, SETTINGS, Silence()) is None
    with moved.reader("docs") as reader:
        np.testing.assert_array_equal(reader.profiles(["a", "b", "c", "d"]), profiles)
        assert reader.signals(["c"])[0].duplicate_of == "a"
