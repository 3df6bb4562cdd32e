"""What speaks against showing a sentence on its own."""

from __future__ import annotations

from collections.abc import Callable

from tamis.write.phrases import anywhere, opening

_SHORT_WORDS = 4
_LONG_WORDS = 55
_LEAST_LETTERS = 0.7
_ENDINGS = (".", "!", ":", "”", '"', ")", "?", "…", "’")


def dangling(text: str) -> bool:
    """Whether the sentence leans on the one before it ("This …", "However …")."""
    return bool(opening("leaning").match(text)) and not opening("standing").match(text)


def _fragment(text: str) -> bool:
    return len(text.split()) < _SHORT_WORDS or not text.endswith(_ENDINGS)


def _garbled(text: str) -> bool:
    if "`" * 3 in text:
        return True
    prose = sum(character.isalpha() or character.isspace() for character in text)
    return prose < _LEAST_LETTERS * len(text)


def _starts_inside(text: str) -> bool:
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    # Names of functions and modules are written small; a plain lower-case word is the middle of something.
    return first.isalpha() and first.islower()


_FLAWS: tuple[tuple[float, Callable[[str], bool]], ...] = (
    (0.6, lambda text: text.endswith("?")),
    (0.4, _fragment),
    (0.4, lambda text: bool(opening("notice").match(text))),
    (0.3, lambda text: len(text.split()) > _LONG_WORDS),
    (0.3, lambda text: text.endswith(":")),
    (0.3, lambda text: bool(anywhere("pointing").search(text))),
    (0.3, _garbled),
    (0.4, _starts_inside),
)


def flaw(text: str) -> float:
    """How little a sentence can stand alone, 0 (nothing against it) to 1."""
    text = text.strip()
    return min(1.0, sum(weight for weight, found in _FLAWS if found(text)))
