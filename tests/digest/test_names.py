from __future__ import annotations

import numpy as np

from tamis.digest.names import embed_names
from tamis.models.embedder import OnnxEmbedder


def test_unrelated_names_are_far_and_related_ones_near(embedder: OnnxEmbedder) -> None:
    vectors = embed_names(["california", "nevada", "openai", "sqlite", "los angeles"], embedder)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    california, nevada, openai, sqlite, angeles = vectors
    assert abs(float(california @ openai)) < 0.15
    assert abs(float(california @ sqlite)) < 0.15
    assert float(california @ nevada) > 0.3
    assert float(california @ angeles) > 0.3


def test_a_name_has_one_vector_whatever_stands_beside_it(embedder: OnnxEmbedder) -> None:
    alone = embed_names(["california"], embedder)[0]
    np.testing.assert_array_equal(alone, embed_names(["x", "california"], embedder)[1])
    assert embed_names([], embedder).shape == (0, 384)
