"""Which language a text is written in."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE_CHARACTERS = 1_000
_LEAST_LETTERS = 20
_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_NOT_PROSE = re.compile(r"https?://\S+|`[^`]*`|[|#*_>\[\]()0-9]+")
_TAG = re.compile(r"^\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*\s*$")


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def language(text: str, *, least: float = 0.5) -> str:
    """Detect the language of a text by its character n-grams (Lui and Baldwin 2012).

    Args:
        text: plain text or Markdown; code, URLs and markup are left aside.
        least: probability below which no claim is made.

    Returns:
        ISO 639-1 code, empty for text too short or too mixed to tell.
    """
    prose = _NOT_PROSE.sub(" ", _CODE.sub(" ", text[: 4 * _SAMPLE_CHARACTERS]))[:_SAMPLE_CHARACTERS]
    if sum(character.isalpha() for character in prose) < _LEAST_LETTERS:
        return ""
    code, probability = _identifier().classify(prose)
    return str(code) if probability >= least else ""


def language_code(tag: str) -> str:
    """The ISO 639-1 part of a declared language tag (``en-GB`` → ``en``), empty where it has none."""
    match = _TAG.match(tag)
    code = match.group(1).lower() if match else ""
    return code if len(code) == 2 else ""
