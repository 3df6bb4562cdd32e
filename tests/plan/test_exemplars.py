"""Examples are read, fitted, cached and extended by the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tamis.errors import SettingsError
from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.plan.exemplars import consult, fit, load_exemplars, parse
from tamis.settings import InterpretSettings


class Bag:
    """An embedder made of words: each word adds its own fixed direction. Counts what it is asked."""

    identity = EmbeddingIdentity("bag", "", "test", 64)

    def __init__(self) -> None:
        self.embedded = 0

    def passages(self, texts: Sequence[str]) -> Matrix:
        self.embedded += len(texts)
        rows = [sum((_direction(word) for word in text.lower().split()), np.zeros(64)) for text in texts]
        matrix = np.array(rows, dtype=np.float32).reshape(len(texts), 64)
        return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)

    queries = passages


def _direction(word: str) -> np.ndarray:
    return np.random.default_rng(list(word.encode())).normal(size=64)


SETTINGS = InterpretSettings()


def test_second_load_embeds_nothing_and_reads_the_same(tmp_path: Path) -> None:
    first, second = Bag(), Bag()
    fresh = load_exemplars(first, SETTINGS, cache=tmp_path / "cache")
    cached = load_exemplars(second, SETTINGS, cache=tmp_path / "cache")
    assert first.embedded >= 320
    assert second.embedded == 0
    np.testing.assert_array_equal(fresh.weights, cached.weights)
    assert fresh.questions.tolist() == cached.questions.tolist()
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".npz"]


def test_damaged_cache_is_made_again(tmp_path: Path) -> None:
    load_exemplars(Bag(), SETTINGS, cache=tmp_path)
    (stored,) = tmp_path.iterdir()
    stored.write_bytes(stored.read_bytes()[:100])
    again = Bag()
    load_exemplars(again, SETTINGS, cache=tmp_path)
    assert again.embedded >= 320
    load_exemplars(reader := Bag(), SETTINGS, cache=tmp_path)
    assert reader.embedded == 0


def test_unwritable_cache_costs_only_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert load_exemplars(Bag(), SETTINGS, cache=blocked).vectors.shape[0] >= 320


def test_own_examples_add_topics(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("knitting:\n  howto: [How do I cast on stitches?, Knit a heel]\n  qa: [What is a purl stitch?]\n")
    settings = InterpretSettings(exemplars=str(own))
    exemplars = load_exemplars(embedder := Bag(), settings, cache=tmp_path / "cache")
    question = "purl stitch cast stitches knit heel"
    reading = consult(question, embedder.passages([question])[0], exemplars, settings)
    assert reading.topics[0][0] == "knitting"
    assert sum(share for _, share in reading.topics) == pytest.approx(1.0)
    own.write_text("knitting:\n  qa: [What is a purl stitch?]\n")
    load_exemplars(changed := Bag(), settings, cache=tmp_path / "cache")
    assert changed.embedded > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [b", "not YAML"),
        ("- just a list", "holds no topics"),
        ("food: [What is rice?]", "holds no intents"),
        ("food: {question: [What is rice?]}", "unknown intent 'question'"),
        ("food: {qa: What is rice?}", "not a list of questions"),
    ],
)
def test_wrong_form_is_named(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        parse(text.encode(), "own.yaml")
    assert "own.yaml" in caught.value.message
    assert caught.value.fix


def test_missing_file_is_named(tmp_path: Path) -> None:
    settings = InterpretSettings(exemplars=str(tmp_path / "none.yaml"))
    with pytest.raises(SettingsError, match=r"none\.yaml"):
        load_exemplars(Bag(), settings, cache=tmp_path)


def test_an_example_is_read_as_labelled() -> None:
    rows = parse(b"food: {qa: [Is rice safe?], howto: [How do I cook rice?]}\nspace: {qa: [Is Mars red?]}", "x")
    embedder = Bag()
    exemplars = fit(rows, embedder.passages([row[0] for row in rows]), InterpretSettings(ridge=0.01))
    for question, topic, intent in rows:
        reading = consult(question, embedder.passages([question])[0], exemplars, SETTINGS)
        assert (reading.topics[0][0], reading.intent, reading.nearest) == (topic, intent, question)
        assert reading.similarity == pytest.approx(1.0)
