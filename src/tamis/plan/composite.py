"""Questions that ask several things: finding the joints, splitting, and completing each part (A1, A3).

A comparison ("compare A and B", "A vs B") stays whole: its two sides are one question, and the parts alone would
rank pages about one side above pages that weigh both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tamis.plan.lexicon import rules
from tamis.plan.phrases import singular_topic, topic
from tamis.plan.wording import core_text, first_word, is_opening, normalise, opens, plainly
from tamis.schema.question import LONGEST_QUESTION
from tamis.text.tokens import terms

_SENTENCE = re.compile(r"(?<=[?!])\s+|(?<=\w{3}\.)\s+(?=[A-Z])|(?:(?<!\s)\s++)?;\s++|(?<=[?!])(?=[A-Z])")
_JOINT = re.compile(
    r"(?P<comma>,)?(?<!\s)\s++(?P<and>and|but)\s+(?:also\s+|then\s+|if so,?\s+|if not,?\s+)?|(?P<only>,)\s+"
)
_TWIN = re.compile(
    r"^(?P<first>when|where|how|why|how (?:long|much|many|often)|what|who)(?P<joint> (?:and|or) )"
    r"(?P<second>when|where|how|why|(?:for )?how (?:long|much|many|often)|at what \w+) (?P<rest>.+)$",
    re.IGNORECASE,
)
_FOLLOWERS = frozenset(
    "i you we it they he she there this that these those the a an my your our his her its their one any all".split()
)
_INVERTING = frozenset({"do", "does", "did"})
_KINDS = "kind|kinds|type|types|sort|size|version|brand|model|colour|color|year|country|temperature"
_ELLIPSIS = re.compile(
    rf"^(?:why|when|where|how|who|what|(?:for )?how \w+|(?:at|in|to|for|from|by|of|on|with) (?:what|which|how) \w+"
    rf"|(?:what|which) (?:{_KINDS}))$",
    re.IGNORECASE,
)
_KIND = re.compile(r"^(?:what|which) (?:kinds?|types?|sort|size|version|brand|model)$", re.IGNORECASE)
_WHICH = re.compile(
    r"^(?P<which>which) (?P<noun>(?:\w+ )??)(?P<aux>(?:can|do|does|are|is|should|will)(?:n't|'t|not| not)?)"
    r"(?: (?P<rest>.+))?$",
    re.IGNORECASE,
)
_TASK = re.compile(r"^how (?:do|can|should|would) (?:i|you|we|one) (?P<task>.+)$", re.IGNORECASE)
_EFFORT = re.compile(r"\bit (?:cost|take)$|\bit (?:hard|difficult|expensive|worth it|safe|legal)$", re.IGNORECASE)
_ABOUT = re.compile(r"^(?:what|how) about (?P<rest>.+)$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(its|their|his)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(it|they|them|he|she|him)\b", re.IGNORECASE)
_POINTER = re.compile(
    r"\b(this|that|these|those)\b(?=$|\s+(?:work|help|mean|happen|matter|cost|compare|take|safe|true|possible|important"
    r"|dangerous|necessary|in|on|with|for|at|from|be|affect|cause|so)\b)",
    re.IGNORECASE,
)
_ONE = re.compile(r"(?<=[a-z] )one$", re.IGNORECASE)
_PLURALS = {"does": "do", "is": "are", "was": "were", "has": "have"}
_SINGULAR = re.compile(r"(?<=\b)(does|is|was|has) $", re.IGNORECASE)
_OPEN_VERB = re.compile(r"\bto \w+$", re.IGNORECASE)
_PAST = re.compile(r"^who(?: (?:first|originally))? (?P<verb>\w+) (?P<rest>.+)$", re.IGNORECASE)


def split(question: str) -> tuple[str, ...]:
    """The questions inside a question, each able to stand alone.

    Args:
        question: as asked.

    Returns:
        At least one. One means that the question is not composite, and it is the question itself, normalised.
        "What is WAL mode and how do I turn it on?" → "What is WAL mode?", "How do I turn WAL mode on?".
    """
    whole = normalise(question)
    if len(whole.split()) > LONGEST_QUESTION:
        return (whole,)
    context = ""
    clauses: list[str] = []
    for sentence in _SENTENCE.split(whole):
        found = _clauses(sentence.strip())
        if found:
            clauses.extend(found)
        elif not clauses:
            context = sentence
    if len(clauses) < 2:
        return (whole,)
    return tuple(dict.fromkeys(_resolved(clauses, topic(context) if context else "")))


def _clauses(sentence: str) -> list[str]:
    """Question clauses of one sentence, empty for a statement."""
    text = plainly(sentence).rstrip("?!. ")
    inner = core_text(sentence).rstrip("?!. ")
    asks = bool(inner) and (opens(inner) or first_word(inner) in rules().task_verbs)
    if not asks:
        return [text] if sentence.rstrip().endswith("?") else []
    twin = _TWIN.match(inner)
    if twin and not is_opening(first_word(twin["rest"]) or "x") and first_word(twin["rest"]) != "to":
        twin = None
    if twin:
        return [f"{twin['first']} {twin['rest']}", f"{twin['second']} {twin['rest']}"]
    return _cut(text)


def _cut(text: str) -> list[str]:
    """A sentence cut at its joints."""
    parts: list[str] = []
    begin = 0
    for match in _JOINT.finditer(text):
        if text.count('"', 0, match.start()) % 2:
            continue  # What is quoted stays whole.
        before, after = text[begin : match.start()], text[match.end() :]
        if _joins(core_text(before), after, comma_only=match["only"] is not None):
            parts.append(before)
            begin = match.end()
    parts.append(text[begin:])
    return [part.strip(" ,;") for part in parts if part.strip(" ,;")]


def _joins(before: str, after: str, *, comma_only: bool) -> bool:
    """Whether a new question begins behind a comma or "and"."""
    words = [word.strip(",;:?!.").lower() for word in after.split()]
    if not words or not _complete(before):
        return False
    first, second = words[0], words[1] if len(words) > 1 else ""
    if comma_only:
        return first in {"what", "how", "why"} | _INVERTING or (first in rules().auxiliaries and second in _FOLLOWERS)
    if first in {"at", "to", "for", "in"} and second in {"what", "how", "which"}:
        return True
    if first in {"when", "where", "who", "whom"}:
        return not second or second in rules().auxiliaries or first == "who"
    if first in rules().question_words:
        return True
    if first in rules().task_verbs:
        return len(words) > 1
    if first in _INVERTING:
        return second not in {"not", ""}
    parallel = first_word(before) in rules().auxiliaries and not re.search(r"\b(?:that|which|who)\b", before)
    return first in rules().auxiliaries and (second in _FOLLOWERS or (parallel and len(words) > 2))


def _complete(before: str) -> bool:
    """Whether the text before a joint is a question of its own, not a condition or half a pair."""
    words = before.lower().split()
    if len(words) < 2:
        return False
    if words[0] in {"when", "where", "while", "if", "since"} and words[1] not in rules().auxiliaries:
        return False
    if not is_opening(first_word(before)) and first_word(before) not in rules().task_verbs:
        return False
    open_pair = re.search(r"\b(?:between|both|compare[ds]?)\b", before.lower())
    return open_pair is None or " and " in before[open_pair.end() :] or " with " in before[open_pair.end() :]


def _resolved(clauses: Sequence[str], context: str) -> list[str]:
    """Each clause with its pronouns replaced and its gaps filled from the clauses before it."""
    out: list[str] = []
    about = context
    previous = ""
    for clause in clauses:
        complete = _filled(clause, previous, about)
        if complete == clause:
            about = topic(clause) or about
        out.append(_sentence(complete))
        previous = complete
    return out


def _filled(clause: str, previous: str, about: str) -> str:
    """One clause made able to stand alone; unchanged where it already is."""
    if previous:
        match = _ABOUT.match(clause)
        if match:
            return _about(match["rest"], previous)
        if _ELLIPSIS.match(clause):
            return _with_opening(clause, previous)
        both = _WHICH.match(clause), _WHICH.match(previous)
        if both[0] and both[1] and not both[0]["noun"] and not both[0]["rest"]:
            return f"{both[0]['which']} {both[1]['noun']}{both[0]['aux']} {both[1]['rest']}"
        done = _TASK.match(core_text(previous))
        if done and _EFFORT.search(clause):
            return f"{clause} to {done['task']}"
    if not about:
        return clause
    complete = _without_pronouns(clause, about)
    if complete == clause and previous and len(set(terms(clause))) < 2:
        return f"{clause} ({_predicate(previous)})"
    return complete


def _predicate(question: str) -> str:
    """A question without its question word and auxiliary."""
    words = core_text(question).split()
    at = next((i for i, word in enumerate(words[:4]) if word.lower() in rules().auxiliaries), 0)
    return " ".join(words[at + 1 :])


def _with_opening(opening: str, previous: str) -> str:
    """The previous question asked with another question word: "and why?", "and at what temperature?"."""
    words = core_text(previous).split()
    auxiliaries = rules().auxiliaries
    at = next((i for i, word in enumerate(words[:6]) if word.lower() in auxiliaries), None)
    if at is not None:
        rest = " ".join(words[at + 1 :])
        thing = re.sub(r"^the ", "", topic(previous))
        kind = _KIND.match(opening)
        if kind and thing and f" {thing}" in f" {rest}":
            rest = re.sub(rf"(?:\b(?:an?|the) )?\b{re.escape(thing)}", "", rest, count=1)
            return " ".join(f"{opening} of {thing} {words[at].lower()} {rest}".split())
        return f"{opening} {words[at].lower()} {rest}"
    past = _PAST.match(" ".join(words))
    if past:
        verb = past["verb"].lower()
        return f"{opening} was {past['rest']} {rules().irregular_participles.get(verb, verb)}"
    return f"{opening}: {' '.join(words)}"


def _about(phrase: str, previous: str) -> str:
    """The previous question about something else: "white rice" there, "what about brown rice" here."""
    head = phrase.split()[-1]
    same = re.search(rf"\b(?:[\w-]+ )?{re.escape(head)}\b", previous, re.IGNORECASE)
    if same and len(phrase.split()) > 1:
        return previous[: same.start()] + phrase + previous[same.end() :]
    about = topic(previous)
    if about and about in previous and not re.match(r"(?:in|on|at|with|for|from|if|after)\b", phrase):
        return previous.replace(about, phrase, 1)
    return f"{previous} {phrase}" if not about or about in phrase else f"{phrase}: {previous}"


def _without_pronouns(clause: str, about: str) -> str:
    """Pronouns replaced by what the question is about, first mention only."""
    one = singular_topic(about)
    owner = _POSSESSIVE.search(clause)
    if owner:
        name = one if owner.group().lower() != "their" else about
        return clause[: owner.start()] + _genitive(name) + clause[owner.end() :]
    for match in _PRONOUN.finditer(clause):
        if match.group().lower() == "it" and rules().empty_it.match(clause.lower(), match.start()):
            continue
        name = about if match.group().lower() in {"they", "them"} else one
        return _agreeing(clause[: match.start()], name) + name + clause[match.end() :]
    one_of = _ONE.search(clause)
    if one_of:
        return clause[: one_of.start()] + re.sub(r"^the ", "a ", about) + clause[one_of.end() :]
    pointer = _POINTER.search(clause)
    if pointer:
        return clause[: pointer.start()] + about + clause[pointer.end() :]
    if _OPEN_VERB.search(clause):
        return f"{clause} {about}"
    return clause


def _agreeing(before: str, name: str) -> str:
    """The words before a replaced pronoun, the auxiliary in the plural where the name is one ("does" → "do")."""
    if not name.endswith("s") or name.endswith(("ss", "is", "us")):
        return before
    return _SINGULAR.sub(lambda match: _PLURALS[match.group(1).lower()] + " ", before)


def _genitive(name: str) -> str:
    return name + ("'" if name.endswith("s") else "'s")


def _sentence(clause: str) -> str:
    """A clause with a capital and its question mark."""
    text = clause.strip(" ,;.?!")
    mark = "" if first_word(text) in rules().task_verbs else "?"
    return text[:1].upper() + text[1:] + mark
