"""Questions as strings: normalising, and finding the question inside its politeness."""

from __future__ import annotations

import re

from tamis.plan.lexicon import rules

_SPACE = re.compile(r"\s+")
_END = re.compile(r"(?<![\s?!.…])[\s?!.…]++$")
_CONDITIONS = frozenset({"when", "where"})
_CLAUSE = re.compile(r"(?<=[,;:.!?–—])\s+(?:(?:and|but|so|or|then)\s+)?(?=[a-z])", re.IGNORECASE)


def normalise(question: str) -> str:
    """Single spaces, straight apostrophes, no control characters; the wording stays."""
    printable = "".join(c if c.isprintable() or c.isspace() else " " for c in question)
    return _SPACE.sub(" ", printable.replace("’", "'").replace("‘", "'")).strip()


def fold(question: str) -> str:
    """Lower case without closing punctuation: what the rules look at."""
    return _END.sub("", normalise(question).lower())


def is_opening(word: str) -> bool:
    """Whether a folded word can open a question."""
    return word in rules().question_words or word in rules().auxiliaries


def opens(clause: str) -> bool:
    """Whether a clause begins as a question: "when does it melt" does, the condition "when I thaw meat" does not."""
    first, second = (first_word(word) for word in [*clause.split(maxsplit=2), "", ""][:2])
    if first in _CONDITIONS and second not in rules().auxiliaries | {"and", "or", ""}:
        return False
    return is_opening(first)


def worded_as_question(question: str) -> bool:
    """Whether a text asks: an auxiliary stands where questions have it ("how do I", not "how to").

    With a question mark any question word or auxiliary will do; a title may end with the mark and ask nothing.
    """
    auxiliaries = rules().auxiliaries
    if question.rstrip(" \"'”’)").endswith("?"):
        return any(first_word(word) in auxiliaries | rules().question_words for word in fold(question).split())
    asked = core_text(question)
    if not opens(asked):
        return False
    first, *others = (first_word(word) for word in asked.split()[:4])
    return first in auxiliaries or any(word in auxiliaries for word in others)


def core(question: str) -> str:
    """The question itself, folded: politeness removed, and what was said before it.

    "Hi, can you tell me how long rice keeps?" → "how long rice keeps"; "I left rice out overnight, is it still
    safe?" → "is it still safe".
    """
    return fold(core_text(question))


def core_text(question: str) -> str:
    """As `core`, with the case kept."""
    text = plainly(question)
    if text and not opens(text):
        for clause in _CLAUSE.split(text)[1:]:
            if opens(clause):
                return clause
    return text


def plainly(question: str) -> str:
    """The question without politeness in front, case kept; the question as it is where nothing else would remain."""
    text = normalise(question)
    while (match := rules().prefixes.match(text)) and (shorter := text[match.end() :].lstrip(" ,:;")):
        text = shorter
    return text


def first_word(text: str) -> str:
    """The first word, folded, empty for none."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    return word.strip("¿\"'(,;:").lower()
