from __future__ import annotations

import numpy as np
import pytest

from tamis.digest.anchors import Reading, anchors_for, read, unit_mean
from tamis.models.embedder import OnnxEmbedder
from tamis.settings import DigestSettings


def reading(text: str, embedder: OnnxEmbedder) -> Reading:
    return read(embedder.passages([text])[0], anchors_for(embedder), DigestSettings())


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("sqlite3.connect() opens a connection; use a cursor to run SELECT statements against a table.", "databases"),
        ("Oatmeal lowers LDL cholesterol thanks to its beta-glucan fibre.", "nutrition"),
        ("The goalkeeper saved a penalty and Ajax reached the semi-final.", "sports"),
        ("Boundary layer transition on a slender cone at hypersonic speed.", "physics"),
        ("Page not found", ""),
    ],
)
def test_topics(text: str, topic: str, embedder: OnnxEmbedder) -> None:
    assert reading(text, embedder).topic == topic


def test_sentiment_and_quality_have_the_right_sign(embedder: OnnxEmbedder) -> None:
    good = reading("The rescue was a triumph, and all the children are safe and happy.", embedder)
    bad = reading("The rescue failed, the children died, and their parents are in despair.", embedder)
    assert good.sentiment > 0.2 > -0.2 > bad.sentiment
    solid = reading("Central bank raises interest rate by a quarter point after inflation report", embedder)
    bait = reading("23 cats who will absolutely make your day", embedder)
    assert solid.quality > 0 > bait.quality
    assert -1 <= bad.sentiment <= good.sentiment <= 1


def test_anchors_are_embedded_once(embedder: OnnxEmbedder) -> None:
    assert anchors_for(embedder) is anchors_for(embedder)
    assert len(anchors_for(embedder).topics) >= 20


def test_the_mean_of_nothing_is_zero() -> None:
    np.testing.assert_array_equal(unit_mean(np.zeros((0, 3), dtype=np.float32)), np.zeros(3))
    np.testing.assert_allclose(np.linalg.norm(unit_mean(np.eye(3, dtype=np.float32))), 1.0, atol=1e-6)
