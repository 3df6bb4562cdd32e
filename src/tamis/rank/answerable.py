"""Whether a collection answers a question at all.

A fixed cosine cannot tell: with one embedder, the level that separates a collection's own questions from foreign ones
lies at .63 in one collection and at .75 in another. So each collection is calibrated on itself when it is published
(`tamis.digest.calibration`), and the words of the question have a say too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import log1p

import numpy as np

from tamis.digest.calibration import NEAREST, coherence
from tamis.models.protocols import Reranker
from tamis.models.reranker import reading_odds
from tamis.rank.layers import asked_parts
from tamis.schema.question import Interpretation
from tamis.schema.ranking import Ranking
from tamis.settings import AnswerSettings, Settings
from tamis.store.protocols import CollectionReader
from tamis.text.content import content_words
from tamis.text.tokens import terms

_MEASURE = re.compile(r"\bhow\s++\w++", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to answer.

    Attributes:
        answered: the evidence is about the question.
        score: log-odds that it is, 0 at the border.
        unknown: words of the question, as written, that stand nowhere in the collection.
        compared: the same by comparison alone, nothing read.
        odds: log-odds, by the cross-encoder, of the passage that answers best; none was read: -inf.
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
    unknown: tuple[str, ...] = ()
    compared: float = 0.0
    odds: float = -np.inf


def judge(
    question: Interpretation,
    ranking: Ranking,
    *,
    reader: CollectionReader,
    settings: Settings,
    reranker: Reranker | None = None,
) -> Verdict:
    """Decide whether the top of a ranking answers the question.

    A logistic score of four things: how near the nearest passage is and how alike the best passages are, both relative
    to what chance gives in this collection; how much of the question one of them holds; and how long the question is,
    for a long one is near to something by chance.

    Args:
        question: interpreted; a composite one is answered where one of its parts is.
        ranking: of this reader's collection.
        reader: knows the calibration and how rare a word is.
        settings: section ``answer``.
        reranker: reads the best passages together with the question; None leaves that out.
    """
    if not ranking.opening:
        return Verdict(False, -np.inf, 0.0, 1.0, tuple(content_words(question.question).values()))
    answer, chance = settings.answer, reader.calibration.parameters
    opening = _opening(ranking, reader)
    held = [frozenset(terms(" ".join((title, *headings, text)))) for title, headings, text in opening]
    parts = asked_parts(question)
    coverage = [max(covered(part, one, reader) for one in held) for part in parts]
    alike = 0.0
    if len(ranking.opening) == NEAREST:
        expected = chance.get("foreign_coherence", answer.foreign_coherence)
        alike = coherence(reader.vectors(ranking.opening)) - expected
    base = chance.get("foreign_similarity", answer.foreign_similarity)
    scores = [
        answer.near * (near - base)
        + answer.coherent * alike
        + answer.covers * share
        - answer.lengthy * log1p(len(set(terms(part))))
        - answer.border
        for part, near, share in zip(parts, ranking.nearness, coverage, strict=True)
    ]
    score = max(scores)
    similarity = max(item.similarity for item in ranking.items)
    spoken = frozenset().union(*held)
    compared = Verdict(
        answered=score >= 0.0,
        score=round(score, 4),
        compared=round(score, 4),
        similarity=similarity,
        threshold=round(min(max(similarity - score / answer.near, 0.0), 1.0), 4),
        missing_terms=tuple(
            written for word, written in content_words(question.question).items() if not spoken.issuperset(terms(word))
        ),
        coverage=round(max(coverage), 4),
        unknown=_unknown(question.question, reader),
    )
    if reranker is None:
        return compared
    return reread(compared, question, float(reading_odds(reranker, parts, opening).max()), answer)


def reread(verdict: Verdict, question: Interpretation, odds: float, settings: AnswerSettings) -> Verdict:
    """The verdict once passages were read together with the question.

    Reading tells much better than comparing whether a question is answered. A title or keywords ask for nothing, so
    that a passage which does not answer them says little; and of a long question the reader sees hardly more than the
    question itself.

    Args:
        verdict: so far.
        question: interpreted.
        odds: log-odds, by the cross-encoder, of the passage that answers best.
        settings: section ``answer``.
    """
    odds = max(odds, verdict.odds)
    if len(question.question.split()) > settings.read_words:
        return replace(verdict, odds=odds)
    if question.asks:
        score = settings.read_compared * verdict.compared + odds - settings.read_border
        score -= settings.read_unknown * len(verdict.unknown)
    else:
        score = verdict.compared + max(0.0, odds)
    return replace(verdict, score=round(score, 4), answered=score >= 0.0, odds=odds)


def _unknown(question: str, reader: CollectionReader) -> tuple[str, ...]:
    """Content words that no passage holds: of what is never mentioned, a look-alike is all there can be."""
    # Of "how long" and "how often" no answer need hold the second word.
    named = content_words(_MEASURE.sub(" ", question))
    asked = [(written, stems[0]) for word, written in named.items() if (stems := terms(word))]
    frequency = reader.document_frequency([stem for _, stem in asked])
    return tuple(written for (written, _), count in zip(asked, frequency.tolist(), strict=True) if not count)


def _opening(ranking: Ranking, reader: CollectionReader) -> list[tuple[str, tuple[str, ...], str]]:
    """Title, headings and text of the best passages."""
    chunks = reader.chunks(ranking.opening)
    facts = reader.signals([chunk.document_id for chunk in chunks])
    return [(fact.title, chunk.headings, chunk.text) for fact, chunk in zip(facts, chunks, strict=True)]


def covered(question: str, held: frozenset[str], reader: CollectionReader) -> float:
    """Share of the question's terms, weighted by their rarity in the collection, that are among ``held``.

    A question without a term ("what should I do?") asks for nothing that a passage could hold: 0.
    """
    asked = sorted(set(terms(question)))
    if not asked:
        return 0.0
    total = max(reader.info.chunks, 1)
    frequency = reader.document_frequency(asked)
    rarity = np.log1p((total - frequency + 0.5) / (frequency + 0.5))
    found = np.array([term in held for term in asked])
    return float(rarity[found].sum() / rarity.sum()) if rarity.sum() > 0 else 1.0
