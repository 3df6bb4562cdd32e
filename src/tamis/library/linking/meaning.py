"""Mentions that no spelling resolves, linked by what they mean: the nearest label by cosine."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from tamis.models.protocols import Embedder, Matrix
from tamis.schema.library import Ontology
from tamis.store.dense import nearest

_BRACKETED = re.compile(r"(?:(?<!\s)\s++)?\([^()]*+\)\s*$")
_MOST_LABELS = 20_000
"""Embedding more labels than these would take minutes; a larger ontology is linked by spelling alone."""


class Meanings:
    """The labels of an ontology as vectors, made at the first question.

    Args:
        ontology: whose labels.
        scope: ids of the terms that may be answered.
        embedder: makes the vectors.
    """

    def __init__(self, ontology: Ontology, scope: Container[str], embedder: Embedder) -> None:
        self._terms = [term for term in ontology.terms.values() if term.term_id in scope]
        self._embedder = embedder
        self._labels: Matrix | None = None

    def nearest(self, texts: Sequence[str], floor: float) -> list[tuple[str, float] | None]:
        """The term whose label is nearest to each text, and the cosine.

        Args:
            texts: mentions.
            floor: least cosine.

        Returns:
            None where no label is near enough.
        """
        if not texts or not self._terms or len(self._terms) > _MOST_LABELS:
            return [None] * len(texts)
        if self._labels is None:
            self._labels = self._embedder.passages([_BRACKETED.sub("", term.label) for term in self._terms])
        unique = sorted(set(texts))
        known: dict[str, tuple[str, float] | None] = {}
        for text, vector in zip(unique, self._embedder.passages(unique), strict=True):
            rows, cosines = nearest(self._labels, vector, 1, floor=floor)
            known[text] = (self._terms[int(rows[0])].term_id, float(cosines[0])) if len(rows) else None
        return [known[text] for text in texts]
