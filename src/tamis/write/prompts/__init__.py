"""Prompts as files, one name and version each, rendered from evidence that is data and nothing more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import jinja2

from tamis.models.protocols import Message
from tamis.schema.evidence import Evidence
from tamis.text.unseen import without_unseen

STANDARD = "standard.v1"
CARD = "card.v1"
UNANSWERED = "The evidence does not answer this."
"""What the writer is told to say when it finds no answer; recognised in any case and punctuation."""

_FENCE = re.compile(r"<(?=\s*+(?:/\s*+)?evidence\b)", re.IGNORECASE)
_LABEL = re.compile(r"[\[(【]\s*(E\s?\d+)\s*[\])】]", re.IGNORECASE)
_LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "sv": "Swedish",
    "da": "Danish",
    "no": "Norwegian",
    "fi": "Finnish",
    "pl": "Polish",
    "cs": "Czech",
    "ru": "Russian",
    "uk": "Ukrainian",
    "tr": "Turkish",
    "el": "Greek",
    "ar": "Arabic",
    "he": "Hebrew",
    "hi": "Hindi",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    label: str
    title: str
    text: str


def inert(text: str) -> str:
    """Text that cannot close its fence, pose as a label or hide characters."""
    return _LABEL.sub(r"\1", _FENCE.sub("‹", without_unseen(text)))


def language_name(code: str) -> str:
    """English name of an ISO 639-1 code, the code itself where it is not listed."""
    return _LANGUAGES.get(code, code or "the language of the question")


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    folder = files("tamis.write.prompts")

    def load(name: str) -> str:
        return (folder / name).read_text("utf-8")

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(load),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - prompts are plain text
        keep_trailing_newline=False,
    )


def standard(question: str, evidence: Sequence[Evidence], *, language: str, sentences: int) -> tuple[Message, ...]:
    """The conversation for a standard answer (W1).

    Args:
        question: as asked.
        evidence: at least one block, in label order.
        language: ISO 639-1 code of the answer.
        sentences: most supporting sentences to ask for.
    """
    values = {
        "question": _line(question),
        "evidence": _shown(evidence),
        "language": language_name(language),
        "sentences": sentences,
        "unanswered": UNANSWERED,
    }
    return _rendered(STANDARD, values)


def card(
    subject: str,
    evidence: Sequence[Evidence],
    *,
    language: str,
    sentences: int,
    title_words: int,
    disagreement: str = "",
    thin: str = "",
) -> tuple[Message, ...]:
    """The conversation for a card (L7).

    Args:
        subject: what the theme is called so far.
        evidence: at least one sentence, in label order.
        language: ISO 639-1 code of the card.
        sentences: most sentences of the summary.
        title_words: most words of the title.
        disagreement: what code found, empty for none.
        thin: likewise.
    """
    values = {
        "subject": _line(subject),
        "evidence": _shown(evidence),
        "language": language_name(language),
        "sentences": sentences,
        "title_words": title_words,
        "disagreement": _line(disagreement),
        "thin": _line(thin),
    }
    return _rendered(CARD, values)


def _line(text: str) -> str:
    return " ".join(inert(text).split())


def _shown(evidence: Sequence[Evidence]) -> list[_Shown]:
    return [_Shown(item.label, _line(item.title.replace('"', "'")), inert(item.text).strip()) for item in evidence]


def _rendered(name: str, values: dict[str, object]) -> tuple[Message, ...]:
    environment = _environment()
    return tuple(
        Message(role, environment.get_template(f"{name}.{role}.jinja").render(values)) for role in ("system", "user")
    )
