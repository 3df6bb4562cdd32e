"""A question interpreted without a language model: rules, named entities and labelled examples (A2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tamis.errors import UsageError
from tamis.models.protocols import Embedder, EntityRecogniser
from tamis.plan.composite import split
from tamis.plan.exemplars import Reading, consult, load_exemplars
from tamis.plan.queries import search_queries
from tamis.plan.sources import named_sources
from tamis.plan.traits import answer_shape, query_type, ruled_intent, strong_intent, time_sensitivity, tone
from tamis.plan.wording import normalise, worded_as_question
from tamis.schema.question import AnswerShape, Intent, Interpretation
from tamis.settings import InterpretSettings
from tamis.text.tokens import fold, is_stop


def interpret(
    question: str,
    *,
    embedder: Embedder | None = None,
    recogniser: EntityRecogniser | None = None,
    settings: InterpretSettings,
    cache: Path | None = None,
) -> Interpretation:
    """What a question asks for, without a model call.

    Args:
        question: as typed.
        embedder: compares the question with the examples; None leaves that out (a millisecond instead of a model).
        recogniser: finds the named entities; None leaves that out.
        settings: floors and the user's own examples.
        cache: folder for the examples' vectors; None takes the user's cache folder.

    Returns:
        ``via`` is ``exemplar`` where the nearest example is at least ``exemplar_floor`` similar and the question is
        not composite, else ``rules``.

    Raises:
        UsageError: nothing but whitespace, or longer than ``max_characters``.
        SettingsError: the user's example file cannot be used.
    """
    asked = checked(question, settings)
    language = _language(asked)
    sources, bare = named_sources(asked)
    bare = bare or asked
    parts = split(bare)
    names = tuple(dict.fromkeys(m.text for m in recogniser.mentions([asked])[0])) if recogniser else ()
    reading = _reading(bare, embedder, settings, cache) if embedder else None
    by_example = reading is not None and reading.similarity >= settings.exemplar_floor and len(parts) == 1
    intent = _intent(bare, parts, reading if by_example else None)
    shape = _shape(parts[0], intent)
    return Interpretation(
        question=asked,
        intent=intent,
        query_type=query_type(parts[0], intent, shape),
        shape=shape,
        categories=_categories(reading, settings),
        time_sensitivity=time_sensitivity(bare, intent),
        entities=names,
        queries=search_queries(bare, intent=intent, entities=names, subqueries=parts),
        tone=tone(bare),
        sources=sources,
        composite=len(parts) > 1,
        subqueries=parts if len(parts) > 1 else (asked,),
        asks=language == "en" and worded_as_question(asked),
        language=language,
        via="exemplar" if by_example else "rules",
        confidence=round(reading.similarity, 4) if reading and by_example else 0.0,
        notes=() if language == "en" else (f"the rules know English; the question looks like {language!r}",),
    )


def checked(question: str, settings: InterpretSettings) -> str:
    """The question with its whitespace normalised.

    Raises:
        UsageError: empty, or too long to be a question.
    """
    asked = normalise(question)
    if not any(c.isalnum() for c in asked):
        raise UsageError("the question is empty", fix='say it in words, such as "how long does cooked rice keep?"')
    if len(asked) > settings.max_characters:
        raise UsageError(
            f"the question has {len(asked)} characters, more than {settings.max_characters}",
            fix="ask in a sentence or two; a text to read belongs into a file (tamis ingest)",
        )
    return asked


def _intent(question: str, parts: Sequence[str], reading: Reading | None) -> Intent:
    """Strong wording first, then the examples, then weak wording. A composite question goes by its first part."""
    strong = strong_intent(question if len(parts) == 1 else parts[0])
    if strong:
        return strong
    return reading.intent if reading else ruled_intent(parts[0])


def _shape(question: str, intent: Intent) -> AnswerShape:
    """By the wording; a comparison that it does not show ("is walking as good as running?") by the intent."""
    shape = answer_shape(question)
    return "comparison" if intent == "comparison" and shape in {"general", "yesno"} else shape


def _reading(question: str, embedder: Embedder, settings: InterpretSettings, cache: Path | None) -> Reading:
    exemplars = load_exemplars(embedder, settings, cache=cache or _cache_folder())
    return consult(question, embedder.passages([question])[0], exemplars, settings)


def _categories(reading: Reading | None, settings: InterpretSettings) -> tuple[tuple[str, float], ...]:
    """Topics above the floor, at least the first."""
    if reading is None:
        return ()
    kept = [(name, round(share, 4)) for name, share in reading.topics if share >= settings.category_floor]
    return tuple(kept or [(name, round(share, 4)) for name, share in reading.topics[:1]])


def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("tamis")


_NOT_ONLY_ENGLISH = frozenset(
    {"was", "in", "am", "do", "on", "no", "me", "so", "if", "a", "as", "has", "her", "him", "an", "will"}
)


def _language(question: str) -> str:
    """English by its little words, which short questions are full of; a detector only where those are missing."""
    from tamis.text.language import language

    folded = fold(question).split()
    little = sum(1 for word in folded if is_stop(word.strip("?!.,;:")) and word not in _NOT_ONLY_ENGLISH)
    if len(folded) < 4 or little / len(folded) >= 0.25:
        return "en"
    return language(question) or "en"
