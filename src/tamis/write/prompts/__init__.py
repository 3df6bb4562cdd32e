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

STANDARD = "standard.v1"
UNANSWERED = "The evidence does not answer this."
"""What the writer is told to say when it finds no answer; recognised in any case and punctuation."""

_FENCE = re.compile(r"<(?=\s*/?\s*evidence\b)", re.IGNORECASE)
_LABEL = re.compile(r"[\[(【]\s*(E\s?\d+)\s*[\])】]", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
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
    return _LABEL.sub(r"\1", _FENCE.sub("‹", _CONTROL.sub("", text)))


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
    shown = [
        _Shown(item.label, " ".join(inert(item.title).replace('"', "'").split()), inert(item.text).strip())
        for item in evidence
    ]
    values = {
        "question": " ".join(inert(question).split()),
        "evidence": shown,
        "language": language_name(language),
        "sentences": sentences,
        "unanswered": UNANSWERED,
    }
    environment = _environment()
    return (
        Message("system", environment.get_template(f"{STANDARD}.system.jinja").render(values)),
        Message("user", environment.get_template(f"{STANDARD}.user.jinja").render(values)),
    )
