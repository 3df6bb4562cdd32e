"""What rules alone can say about a question: answer shape, intent cues, freshness, tone, row of weights."""

from __future__ import annotations

from typing import cast, get_args

from tamis.plan.lexicon import first_family, rules
from tamis.plan.wording import core, fold
from tamis.schema.question import AnswerShape, Intent, QueryType, TimeSensitivity

INTENTS: tuple[Intent, ...] = get_args(Intent)
_SHAPES: tuple[AnswerShape, ...] = get_args(AnswerShape)


def answer_shape(question: str) -> AnswerShape:
    """How the answer opens.

    Args:
        question: as asked.

    Returns:
        The first family of ``shapes`` that matches the question's core, else ``general``.
    """
    return cast("AnswerShape", first_family(core(question), rules().shapes) or "general")


def strong_intent(question: str) -> Intent | None:
    """The intent that the wording leaves no doubt about, None where it does."""
    families = rules().strong_intents
    return cast(
        "Intent | None", first_family(core(question), families) or first_family(fold(question), families) or None
    )


def ruled_intent(question: str) -> Intent:
    """The likeliest intent without any example: strong cues, weak cues, the answer's shape, else qa."""
    strong = strong_intent(question)
    if strong:
        return strong
    weak = first_family(core(question), rules().weak_intents)
    if weak:
        return cast("Intent", weak)
    by_shape: dict[str, Intent] = {"comparison": "comparison", "steps": "howto"}
    return by_shape.get(answer_shape(question), "qa")


def cues(question: str) -> list[float]:
    """What the wording shows, as features: one of the shapes, of the weak cues (or none), of the ruled intents.

    Returns:
        (F,) zeros and ones, F = shapes + intents + 1 + intents.
    """
    shape = answer_shape(question)
    weak = first_family(core(question), rules().weak_intents)
    ruled = ruled_intent(question)
    return [
        *(float(shape == name) for name in _SHAPES),
        *(float(weak == name) for name in ("", *INTENTS)),
        *(float(ruled == name) for name in INTENTS),
    ]


def time_sensitivity(question: str, intent: Intent) -> TimeSensitivity:
    """How fresh the sources must be: said in words, else a week for news and round-ups, else any age.

    Args:
        question: as asked.
        intent: what was decided before.
    """
    said = first_family(fold(question), rules().time)
    if said:
        return cast("TimeSensitivity", said)
    return "week" if intent == "news" else "any"


def tone(question: str) -> str:
    """The tone asked for, empty for none."""
    return first_family(fold(question), rules().tones)


def query_type(question: str, intent: Intent, shape: AnswerShape) -> QueryType:
    """The row of signal weights (R3).

    Args:
        question: as asked.
        intent: decided before.
        shape: decided before.
    """
    row = rules().query_types[intent]
    if row == "general" and (
        shape in rules().explainer_shapes or rules().explainer_openings.search(core(question)) is not None
    ):
        row = "explainer"
    return cast("QueryType", row)
