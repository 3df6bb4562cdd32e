"""What a question is about, found by word lists alone: the noun phrase a later pronoun stands for."""

from __future__ import annotations

import re

from tamis.plan.lexicon import rules
from tamis.plan.wording import core_text
from tamis.text.tokens import is_stop

_WORD = re.compile(r"[^\s,;:!?()\"“”]+")
_ARTICLES = frozenset({"a", "an"})
_PRONOUNS = frozenset("i you we they he she it one people someone anyone this that these those there".split())
_COPULAS = frozenset({"is", "are", "was", "were"})
_SUBORDINATING = frozenset("that which who when where while if because so and or but than".split())
_PARTICIPLE = re.compile(r"\w{3}(?:ed|ing)$")
_ADVERBS = frozenset("really still actually even also best safely properly usually often always never ever not".split())


def topic(clause: str) -> str:
    """The noun phrase a question clause is about, empty where the words do not show it.

    Args:
        clause: one question, case kept.

    Returns:
        E.g. "WAL mode" for "What is WAL mode", "cooked rice" for "How long does cooked rice keep in the fridge"; an
        indefinite article becomes "the".
    """
    words = [word.strip(".'") for word in _WORD.findall(core_text(clause))]
    folded = [word.lower() for word in words]
    start = _start(folded)
    named = folded[:1] in (["what"], ["who"]) and folded[1:2] and folded[1] in _COPULAS
    end = _clause_end(folded, start) if named else _end(folded, start)
    phrase = words[start:end]
    if not any(not is_stop(word.lower()) for word in phrase):
        return _longest_run(words)
    if phrase[0].lower() in _ARTICLES:
        phrase[0] = "the"
    return " ".join(phrase)


def singular_topic(phrase: str) -> str:
    """What "it" stands for in "symptoms of listeriosis": the part behind "of" where the head is plural."""
    head, of, rest = phrase.partition(" of ")
    return rest if of and head.lower().endswith("s") and not head.lower().endswith("ss") else phrase


def _start(folded: list[str]) -> int:
    """Index at which the noun phrase begins: behind the opening, the auxiliary, the asker and the verb."""
    auxiliaries = rules().auxiliaries
    if not folded:
        return 0
    if folded[0] in {"which", "whose"} or folded[:2] in (["how", "many"], ["how", "much"]):
        return 2 if folded[0] == "how" else 1
    auxiliary = next((i for i, word in enumerate(folded[:6]) if word in auxiliaries), None)
    if folded[0] in rules().task_verbs:
        return 2 if folded[1:2] and folded[1] in rules().question_words else 1
    if auxiliary is None:
        opened = folded[0] in rules().question_words
        # "what's X": the auxiliary hides in the word; "what causes X": the verb follows it.
        return 1 if "'" in folded[0] or not opened else 2
    start = auxiliary + 1
    if start < len(folded) and folded[start] in _PRONOUNS:
        start += 1
        while start < len(folded) and folded[start] in _ADVERBS:
            start += 1
        start += 1  # the verb
        if start < len(folded) and folded[start] == "to":
            start += 2
    return start


def _end(folded: list[str], start: int) -> int:
    """Index one past the noun phrase: at a preposition, or at a verb or adjective once a noun was seen."""
    seen_noun = False
    for i in range(start, len(folded)):
        word = folded[i]
        if word in rules().prepositions or word in rules().auxiliaries or (word in _PRONOUNS and seen_noun):
            return i
        ending = word in rules().phrase_ends or (seen_noun and bool(_PARTICIPLE.search(word)))
        if ending and seen_noun:
            return i
        seen_noun = seen_noun or not (ending or is_stop(word))
    return len(folded)


def _clause_end(folded: list[str], start: int) -> int:
    """As `_end` for "what is X": X may hold prepositions and participles, and ends at a subordinate clause."""
    return next((i for i in range(start, len(folded)) if folded[i] in _SUBORDINATING), len(folded))


def _longest_run(words: list[str]) -> str:
    """The longest run of words that carry a topic; the first of equals."""
    best: list[str] = []
    run: list[str] = []
    for word in [*words, "the"]:
        folded = word.lower()
        if is_stop(folded) or folded in rules().prepositions or folded in rules().question_words:
            if len(run) > len(best):
                best = run
            run = []
        else:
            run.append(word)
    return " ".join(best)
