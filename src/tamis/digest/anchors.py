"""What a document is about, its mood and its manner, by nearness to anchor sentences (N1, R1)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Embedder, EmbeddingIdentity, Matrix, Vector
from tamis.settings import DigestSettings

_SENTIMENT_GAIN = 6.0
"""Stretches the difference of two cosines, seldom beyond ±0.15, over [-1, 1]."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """Embedded anchor sentences.

    Attributes:
        topics: names, ascending.
        topic_rows: (A,) index into ``topics`` of each topic anchor.
        topic_vectors: (A, D), less their mean and normalised.
        topic_mean: (D,).
        positive: (D,) mean direction, and so for the others.
        negative: (D,).
        substantive: (D,).
        clickbait: (D,).
    """

    topics: tuple[str, ...]
    topic_rows: npt.NDArray[np.int64]
    topic_vectors: Matrix
    topic_mean: Vector
    positive: Vector
    negative: Vector
    substantive: Vector
    clickbait: Vector


@dataclass(frozen=True, slots=True)
class Reading:
    """What the anchors say of one document.

    Attributes:
        topic: the nearest, empty when none is near.
        sentiment: [-1, 1].
        quality: [-1, 1].
    """

    topic: str
    sentiment: float
    quality: float


_embedded: dict[EmbeddingIdentity, Anchors] = {}


def anchors_for(embedder: Embedder) -> Anchors:
    """The anchors as an embedder sees them; embedded once a process and model."""
    if embedder.identity not in _embedded:
        _embedded[embedder.identity] = _embed(embedder)
    return _embedded[embedder.identity]


def _embed(embedder: Embedder) -> Anchors:
    from tamis.text import yamls

    written = yamls.load((files("tamis.digest") / "anchors.yaml").read_text("utf-8"))
    topics = tuple(sorted(written["topics"]))
    sentences = [sentence for topic in topics for sentence in written["topics"][topic]]
    rows = [row for row, topic in enumerate(topics) for _ in written["topics"][topic]]
    vectors = embedder.passages(sentences)
    mean: Vector = vectors.mean(axis=0)
    return Anchors(
        topics=topics,
        topic_rows=np.array(rows, dtype=np.int64),
        topic_vectors=_units(vectors - mean),
        topic_mean=mean,
        positive=unit_mean(embedder.passages(written["sentiment"]["positive"])),
        negative=unit_mean(embedder.passages(written["sentiment"]["negative"])),
        substantive=unit_mean(embedder.passages(written["quality"]["substantive"])),
        clickbait=unit_mean(embedder.passages(written["quality"]["clickbait"])),
    )


def _units(vectors: npt.NDArray[np.float32]) -> Matrix:
    units: Matrix = (vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)).astype(np.float32)
    return units


def unit_mean(vectors: Matrix) -> Vector:
    """(D,) the direction of the mean of (N, D) vectors; zero for none."""
    total = vectors.sum(axis=0, dtype=np.float64)
    mean: Vector = (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)
    return mean


def read(vector: Vector, anchors: Anchors, settings: DigestSettings) -> Reading:
    """Compare a document with the anchors.

    A topic's nearness is the mean of its two nearest anchors: one alone is too easily near by chance. What all anchors
    have in common is taken off first, so that no topic is near everything.

    Args:
        vector: (D,) of the document.
        anchors: of the same embedder.
        settings: how near a topic must be.
    """
    cosines = anchors.topic_vectors @ _units(vector - anchors.topic_mean)
    nearness = np.array([np.sort(cosines[anchors.topic_rows == row])[-2:].mean() for row in range(len(anchors.topics))])
    best = int(np.argmax(nearness.round(6)))
    mood = float(vector @ anchors.positive) - float(vector @ anchors.negative)
    manner = float(vector @ anchors.substantive) - float(vector @ anchors.clickbait)
    return Reading(
        topic=anchors.topics[best] if nearness[best] >= settings.topic_floor else "",
        sentiment=round(min(max(_SENTIMENT_GAIN * mood, -1.0), 1.0), 4),
        quality=round(min(max(manner, -1.0), 1.0), 6),
    )
