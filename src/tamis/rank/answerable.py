"""Whether a collection answers a question at all.

A fixed cosine cannot tell: with one embedder, the level that separates a collection's own questions from foreign ones
lies at .63 in one collection and at .75 in another. So each collection is calibrated on itself when it is published
(`tamis.digest.calibration`), and the words of the question have a say too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.digest.calibration import NEAREST, coherence
from tamis.schema.question import Interpretation
from tamis.schema.ranking import Ranking
from tamis.settings import Settings
from tamis.store.protocols import CollectionReader
from tamis.text.tokens import is_stop, terms, words


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to answer.

    Attributes:
        answered: the evidence is about the question.
        score: log-odds that it is, 0 at the border.
        similarity: cosine of the nearest passage.
        threshold: the similarity that would have been enough, everything else being equal.
        missing_terms: words of the question that the best passages do not hold, as written.
        coverage: share of the question's terms, by rarity, that one of the best passages holds.
    """

    answered: bool
    score: float
    similarity: float
    threshold: float
    missing_terms: tuple[str, ...] = ()
    coverage: float = 0.0


def judge(question: Interpretation, ranking: Ranking, *, reader: CollectionReader, settings: Settings) -> Verdict:
    """Decide whether the top of a ranking answers the question.

    A logistic score of three things, each relative to what chance gives in this collection: how near the nearest
    passage is, how alike the best passages are, and how much of the question one of them holds.

    Args:
        question: interpreted; a composite one is answered where one of its parts is.
        ranking: of this reader's collection.
        reader: knows the calibration and how rare a word is.
        settings: section ``answer``.
    """
    best = [item for item in ranking.items if item.chunk_id][:NEAREST]
    if not best:
        return Verdict(False, -np.inf, 0.0, 1.0, _content_words(question.question))
    answer, chance = settings.answer, reader.calibration.parameters
    similarity = max(item.similarity for item in ranking.items)
    held = _held_terms(reader, [item.chunk_id for item in best])
    coverage = max(covered(part, one, reader) for part in (question.subqueries or (question.question,)) for one in held)
    base = chance.get("foreign_similarity", answer.foreign_similarity)
    alike = 0.0
    if len(best) == NEAREST:
        expected = chance.get("foreign_coherence", answer.foreign_coherence)
        alike = coherence(reader.vectors([item.chunk_id for item in best])) - expected
    others = answer.covers * coverage + answer.coherent * alike - answer.border
    score = answer.near * (similarity - base) + others
    spoken = frozenset().union(*held)
    return Verdict(
        answered=score >= 0.0,
        score=round(score, 4),
        similarity=similarity,
        threshold=round(min(max(base - others / answer.near, 0.0), 1.0), 4),
        missing_terms=tuple(w for w in _content_words(question.question) if not spoken.issuperset(terms(w))),
        coverage=round(coverage, 4),
    )


def _held_terms(reader: CollectionReader, chunk_ids: list[str]) -> list[frozenset[str]]:
    """The analysed terms of each passage, its title and headings."""
    chunks = reader.chunks(chunk_ids)
    titles = [entry.title for entry in reader.signals([chunk.document_id for chunk in chunks])]
    texts = [" ".join((title, *chunk.headings, chunk.text)) for title, chunk in zip(titles, chunks, strict=True)]
    return [frozenset(terms(text)) for text in texts]


def covered(question: str, held: frozenset[str], reader: CollectionReader) -> float:
    """Share of the question's terms, weighted by their rarity in the collection, that are among ``held``."""
    asked = sorted(set(terms(question)))
    if not asked:
        return 1.0
    total = max(reader.info.chunks, 1)
    frequency = reader.document_frequency(asked)
    rarity = np.log1p((total - frequency + 0.5) / (frequency + 0.5))
    found = np.array([term in held for term in asked])
    return float(rarity[found].sum() / rarity.sum()) if rarity.sum() > 0 else 1.0


def _content_words(question: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words(question) if not is_stop(word)))
