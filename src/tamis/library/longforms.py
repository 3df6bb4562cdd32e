"""What abbreviations stand for, where the texts themselves say it: ``cadmium (Cd)``.

Schwartz & Hearst, 2003: the characters of the short form are looked for backwards in the words before its brackets; the
first of them has to begin a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_DEFINED = re.compile(r"(?P<before>(?:[\w'’-]{1,40}[ \n]){1,8})\((?P<short>[A-Za-z][A-Za-z0-9-]{1,7})\)")
_MOST_WORDS = 3
"""A longer name is no help in a label."""


def long_forms(texts: Iterable[str]) -> dict[str, str]:
    """Abbreviation in small letters → what most of its definitions say it stands for, in at most three words.

    Args:
        texts: of one subject, since the same letters stand for other things elsewhere.
    """
    found: dict[str, Counter[str]] = {}
    for text in texts:
        for match in _DEFINED.finditer(text):
            short = match["short"]
            if sum(map(str.isupper, short)) and (long := _long(short, " ".join(match["before"].split()))):
                found.setdefault(short.lower(), Counter())[long] += 1
    best = {
        short: min(counts, key=lambda long: (-counts[long], _capitals(long), long)) for short, counts in found.items()
    }
    return {short: _uncapped(long) for short, long in sorted(best.items()) if len(long.split()) <= _MOST_WORDS}


def _capitals(long: str) -> int:
    return sum(map(str.isupper, long))


def _long(short: str, before: str) -> str:
    """The words a short form was made of, empty where its characters are not in them."""
    at = len(before)
    letters = [letter for letter in short.lower() if letter.isalnum()]
    lowered = before.lower()
    for number in range(len(letters) - 1, -1, -1):
        at = lowered.rfind(letters[number], 0, at)
        while number == 0 and at > 0 and lowered[at - 1].isalnum():
            at = lowered.rfind(letters[number], 0, at)
        if at < 0:
            return ""
    long = before[at:]
    plain = len(long) > len(short) and short.lower() not in long.lower().split()
    return long if plain and len(long.split()) <= min(len(letters) + 5, 2 * len(letters)) else ""


def _uncapped(long: str) -> str:
    """A name in small letters where all of its words begin with a capital, as they do in titles."""
    words = long.split()
    if len(words) > 1 and all(word[0].isupper() and word[1:].islower() for word in words):
        return long.lower()
    return long
