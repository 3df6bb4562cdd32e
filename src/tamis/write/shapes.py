"""How well a sentence opens an answer of a given shape.

Each function looks at one sentence and says, in [0, 1], whether it has the form that the question asks for: a
definition, a step, a quantity. Form only: what it is about is measured elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tamis.schema.question import AnswerShape
from tamis.text.tokens import terms, words
from tamis.write.phrases import anywhere, measure, opening

_DIGITS = re.compile(r"(?<![\w.])\d[\d.,]*")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:\s+(?:[A-Z]\.\s*)?[A-Z][a-z]+)+")
_PLACE = re.compile(r"\b(?:in|at|on|under|inside|from|near)\s+(?:the\s+)?[\w/~.]+", re.IGNORECASE)
_SUBJECT_WORDS = 12


def imperative(text: str) -> bool:
    """Whether the sentence starts by telling the reader to do something."""
    first = " ".join(words(text[:60])[:2])
    sequence = opening("sequence").match(first)
    return bool(opening("imperative").match(first[sequence.end() :].lstrip() if sequence else first))


def negative(text: str) -> bool:
    """Whether the sentence denies or forbids something."""
    return bool(anywhere("negation").search(text))


def _definition(text: str, focus: frozenset[str]) -> float:
    copula = anywhere("copula").search(text)
    if copula is None:
        return 0.0
    subject = text[: copula.start()]
    named = focus & set(terms(subject))
    if not named or len(subject.split()) > _SUBJECT_WORDS:
        return 0.2 if focus & set(terms(text)) else 0.0
    return 0.5 + 0.5 * len(named) / len(focus)


def _steps(text: str, _: frozenset[str]) -> float:
    if imperative(text):
        return 1.0
    return 0.7 if anywhere("guide").search(text) else 0.0


def _quantity(text: str, _: frozenset[str]) -> float:
    if measure().search(text):
        return 1.0
    return 0.5 if _DIGITS.search(text) or anywhere("number").search(text) else 0.0


def _time(text: str, _: frozenset[str]) -> float:
    return 1.0 if anywhere("time").search(text) else 0.0


def _comparison(text: str, focus: frozenset[str]) -> float:
    share = len(focus & set(terms(text))) / max(1, len(focus))
    return 0.6 * share + (0.4 if anywhere("contrast").search(text) else 0.0)


def _yesno(text: str, _: frozenset[str]) -> float:
    return 1.0 if anywhere("polar").search(text) else 0.0


def _person(text: str, _: frozenset[str]) -> float:
    return 1.0 if _NAME.search(text) else 0.0


def _place(text: str, _: frozenset[str]) -> float:
    return 1.0 if _PLACE.search(text) else 0.0


def _general(text: str, focus: frozenset[str]) -> float:
    return 0.6 * _definition(text, focus) + 0.4 * _steps(text, focus)


_SHAPES: Mapping[AnswerShape, Callable[[str, frozenset[str]], float]] = {
    "definition": _definition,
    "steps": _steps,
    "quantity": _quantity,
    "time": _time,
    "comparison": _comparison,
    "yesno": _yesno,
    "person": _person,
    "place": _place,
    "general": _general,
}


def fit(shape: AnswerShape, text: str, focus: frozenset[str]) -> float:
    """How well a sentence has the form of an answer, [0, 1].

    Args:
        shape: what the question asks for.
        text: the sentence, plain.
        focus: analysed terms of the question.
    """
    return _SHAPES[shape](text, focus)
