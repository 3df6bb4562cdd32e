"""Terms for full-text search: fold, split, drop stop words, stem."""

from __future__ import annotations

import re
import unicodedata

import Stemmer

from tamis.text.remembered import remembered

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_STOP = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further had has have having he her here hers
    him his how i if in into is it its itself just me more most my myself no nor not now of off on once only or
    other our ours out over own same she should so some such than that the their theirs them then there these they
    this those through to too under until up very was we were what when where which while who whom why will with
    would you your yours
    """.split()
)
_STEMMER = Stemmer.Stemmer("english", 0)


@remembered(200_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def fold(text: str) -> str:
    """Case-folded, compatibility-normalised, accents removed."""
    if text.isascii():
        return text.lower()
    return _BEYOND_ASCII.sub(_without_accent, unicodedata.normalize("NFKD", text.casefold()))


def _without_accent(character: re.Match[str]) -> str:
    return "" if unicodedata.combining(character.group()) else character.group()


def words(text: str) -> list[str]:
    """Folded words, in order, stop words included."""
    found: list[str] = _WORD.findall(fold(text))
    if "'" in text or "’" in text:
        return [word.removesuffix("'s").removesuffix("’s") for word in found]
    return found


def is_stop(word: str) -> bool:
    """Whether a folded word carries no topic."""
    return word in _STOP


def terms(text: str) -> list[str]:
    """Analysed terms, in order, with repeats: the one analysis for documents and questions alike.

    Snowball English stems of the words that are not stop words (Porter, 1980; Snowball's "english").
    """
    return [_stem(word) for word in words(text) if word not in _STOP]
