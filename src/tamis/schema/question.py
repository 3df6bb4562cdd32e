"""A question after it has been interpreted (A1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Intent = Literal["news", "qa", "research", "comparison", "howto", "roundup", "timeline", "deep_dive"]
QueryType = Literal["general", "roundup", "timeline", "explainer", "comparison"]
TimeSensitivity = Literal["breaking", "today", "week", "any"]
AnswerShape = Literal["definition", "steps", "quantity", "time", "comparison", "yesno", "person", "place", "general"]

LONGEST_QUESTION = 30
"""Words; a longer text tells a need in several sentences, and is neither taken apart nor read like a question."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What A1 asks for, however it was found.

    Attributes:
        question: as asked, whitespace normalised.
        intent: the reader's purpose.
        query_type: picks the row of signal weights (R3).
        shape: how the answer opens (a step, a number, both sides …).
        categories: topic name → confidence in [0, 1], highest first.
        time_sensitivity: how fresh the sources must be.
        entities: named things in the question, as written.
        queries: 1 to 3 search queries.
        tone: empty for neutral.
        sources: source ids the question names ("from Hacker News" → ``hn``).
        composite: whether it asks several things.
        subqueries: at least one; the question itself when not composite, pronouns resolved otherwise.
        asks: it is worded as a question, in English: an answer reads like one; titles and keywords do not ask.
        language: ISO 639-1 code of the question.
        via: ``exemplar``, ``rules`` or ``sentinel``.
        confidence: similarity of the best exemplar, 0 when none was used.
        notes: what had to be fallen back from, one line each.
    """

    question: str
    intent: Intent
    query_type: QueryType
    shape: AnswerShape
    categories: tuple[tuple[str, float], ...] = ()
    time_sensitivity: TimeSensitivity = "any"
    entities: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    tone: str = ""
    sources: tuple[str, ...] = ()
    composite: bool = False
    subqueries: tuple[str, ...] = ()
    asks: bool = False
    language: str = "en"
    via: str = "rules"
    confidence: float = 0.0
    notes: tuple[str, ...] = ()
