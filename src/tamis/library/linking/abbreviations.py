"""Abbreviations that a text introduces itself: "low-density lipoprotein (LDL)".

Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text" (2003): the
letters of the short form are found from right to left in the words before the bracket, the first one at a word's start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BRACKET = re.compile(r"[(\[]\s*([A-Za-z](?:\w|[/+-](?=\w)){1,11}(?:\(\d+\))?)\s*(?=[);,\]])")
_TOO_LONG = 200
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form and where its long form stands.

    Attributes:
        short: as written in the bracket.
        start: of the long form, None where the letters alone do not tell: ``mercury (Hg)``.
        end: of the long form.
    """

    short: str
    start: int | None
    end: int


def abbreviations(text: str) -> list[Abbreviation]:
    """What stands in brackets and may be an abbreviation of what stands before them, in order.

    Args:
        text: a chunk's.
    """
    found = []
    for bracket in _BRACKET.finditer(text):
        short = bracket.group(1)
        if not any(character.isupper() for character in short):
            continue
        end = bracket.start()
        while end and text[end - 1].isspace():
            end -= 1
        found.append(Abbreviation(short, _start(short, text, end), end))
    return found


def _start(short: str, text: str, end: int) -> int | None:
    """Where the long form that ends at ``end`` begins, None where the letters are not in the words."""
    letters = [character.lower() for character in short.removesuffix("s") if character.isalpha()]
    by_initials = _initials(letters, text, end)
    if by_initials is not None:
        return by_initials
    most_words = min(len(letters) + 5, len(letters) * 2)
    place = end
    for number, letter in enumerate(reversed(letters)):
        first = number == len(letters) - 1
        place -= 1
        while place >= 0 and (text[place].lower() != letter or (first and place and text[place - 1].isalnum())):
            if end - place > _TOO_LONG or text[place] in ".;\n":
                return None
            place -= 1
        if place < 0:
            return None
    long = text[place:end]
    if len(long.split()) > most_words or len(long) <= len(short) or "(" in long or short in long.split():
        return None
    return place


def _initials(letters: list[str], text: str, end: int) -> int | None:
    """Where the words begin whose first letters are those of a short form, None where they are not."""
    words = list(_WORD.finditer(text, max(0, end - _TOO_LONG), end))[-len(letters) :]
    if len(letters) > 1 and [word.group()[0].lower() for word in words] == letters:
        return words[0].start()
    return None
