"""How well a sentence opens an answer of a given shape.

Each function looks at one sentence and says, in [0, 1], whether it has the form that the question asks for: a definition,
a step, a quantity. Form only: what it is about is measured elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tamis.schema.question import AnswerShape
from tamis.text.tokens import terms, words

_NUMBER = re.compile(
    r"(?<![\w.])\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|dozen)\b", re.I
)
_UNIT = re.compile(
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|few)\b)[\d.,\s–-]*(?:to\s+[\w.]+\s+)?"
    r"(?:%|°|per\s?cent|degrees?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|k?g\b|mg|µg|mcg|grams?|kilo\w*|litres?"
    r"|liters?|ml\b|cm\b|mm\b|km\b|met(?:re|er)s?|bytes?|[kmgt]i?b\b|bits?|characters?|times|items?|cups?|teaspoons?|tablespoons?"
    r"|calories|kcal|kj|pages?|rows?|columns?|connections?)",
    re.I,
)
_TIME = re.compile(
    r"\b(?:1[5-9]|20)\d\d\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b(?:when|before|after|until|since|as soon as)\b"
    r"|version \d|\b(?:hours?|days?|weeks?|months?|years?)\b",
    re.I,
)
_COPULA = re.compile(
    r"\b(?:is|are|was|were|means?|refers? to|describes?|denotes?|represents?|consists? of|stands? for|provides?"
    r"|implements?|allows?|defines?|returns?|contains?|lets?)\b",
    re.I,
)
_POLAR = re.compile(
    r"\b(?:yes|no|not|never|always|can|cannot|may|must|should|need|safe|unsafe|possible|impossible|does|do|don't|doesn't"
    r"|isn't|aren't|can't|won't|allowed|required|recommended|avoid)\b",
    re.I,
)
_CONTRAST = re.compile(
    r"\b(?:than|while|whereas|unlike|but|however|instead|rather|both|differ\w*|compared|on the other hand)\b", re.I
)
_GUIDE = re.compile(r"\b(?:you (?:can|should|must|may|need to)|to \w+,|can be used|by \w+ing|use(?:s|d)?|using)\b", re.I)
_IMPERATIVE = frozenset(
    """
    add allow append apply ask assign avoid bake begin blanch boil bring build call change check choose chill clean close
    combine compile configure connect convert cook cool copy cover create cut define delete discard divide do drain dry
    enable ensure enter execute fill find follow freeze get give go heat import include increase insert install keep
    label leave let load look make mark mix move open pack pass peel place pour press provide pull put reach read reduce
    refrigerate reheat remove repeat replace rinse run save scald seal see select send serve set shake soak specify split
    sprinkle start stir stop store subclass switch take test thaw throw transfer try turn type unpack update use wait warm
    wash weigh wipe wrap write
    """.split()
)
_NAME = re.compile(r"\b[A-Z][a-z]+(?:\s+(?:[A-Z]\.\s*)?[A-Z][a-z]+)+")
_PLACE = re.compile(r"\b(?:in|at|on|under|inside|from|near)\s+(?:the\s+)?[\w/~.]+", re.I)


def imperative(text: str) -> bool:
    """Whether the sentence starts by telling the reader to do something."""
    first = words(text[:60])[:2]
    return bool(first) and (first[0] in _IMPERATIVE or (first[0] in {"then", "first", "next", "finally", "do"} and len(first) > 1))


def _definition(text: str, focus: frozenset[str]) -> float:
    copula = _COPULA.search(text)
    if copula is None:
        return 0.0
    subject = text[: copula.start()]
    if len(subject.split()) > 12 or not focus & set(terms(subject)):
        return 0.2 if focus & set(terms(text)) else 0.0
    share = len(focus & set(terms(subject))) / len(focus)
    return 0.5 + 0.5 * share


def _steps(text: str, focus: frozenset[str]) -> float:
    if imperative(text):
        return 1.0
    return 0.7 if _GUIDE.search(text) else 0.0


def _quantity(text: str, focus: frozenset[str]) -> float:
    if _UNIT.search(text):
        return 1.0
    return 0.5 if _NUMBER.search(text) else 0.0


def _time(text: str, focus: frozenset[str]) -> float:
    return 1.0 if _TIME.search(text) else 0.0


def _comparison(text: str, focus: frozenset[str]) -> float:
    share = len(focus & set(terms(text))) / max(1, len(focus))
    return 0.6 * share + (0.4 if _CONTRAST.search(text) else 0.0)


def _yesno(text: str, focus: frozenset[str]) -> float:
    return 1.0 if _POLAR.search(text) else 0.0


def _person(text: str, focus: frozenset[str]) -> float:
    return 1.0 if _NAME.search(text) else 0.0


def _place(text: str, focus: frozenset[str]) -> float:
    return 1.0 if _PLACE.search(text) else 0.0


def _general(text: str, focus: frozenset[str]) -> float:
    return 0.6 * _definition(text, focus) + 0.4 * _steps(text, focus)


_SHAPES: Mapping[AnswerShape, Callable[[str, frozenset[str]], float]] = {
    "definition": _definition,
    "steps": _steps,
    "quantity": _quantity,
    "time": _time,
    "comparison": _comparison,
    "yesno": _yesno,
    "person": _person,
    "place": _place,
    "general": _general,
}


def fit(shape: AnswerShape, text: str, focus: frozenset[str]) -> float:
    """How well a sentence has the form of an answer, [0, 1].

    Args:
        shape: what the question asks for.
        text: the sentence, plain.
        focus: analysed terms of the question.
    """
    return _SHAPES[shape](text, focus)


_DANGLING = re.compile(
    r"^(?:this|that|these|those|it|its|they|them|their|he|she|such|however|therefore|thus|hence|also|but|and|or|so|then"
    r"|otherwise|instead|similarly|likewise|moreover|furthermore|additionally|in addition|for example|for instance|as a result"
    r"|in this case|in that case|in contrast|by contrast|on the other hand|consequently|nevertheless|still|yet|here|there"
    r"|the (?:former|latter|following|above|same|other|previous|first|second|third|last)|both|either|neither|another|one|again"
    r"|as (?:above|before|mentioned|shown|noted))\b",
    re.I,
)
_POINTING = re.compile(
    r"\b(?:see (?:also|above|below|the|section|chapter)|(?:shown|described|mentioned|discussed|listed|given|as) (?:above|below|earlier|previously)"
    r"|the (?:following|above|preceding) (?:example|code|table|list|section)|in this (?:section|chapter|document|tutorial|page))\b",
    re.I,
)
_NEWS = re.compile(r"^(?:changed|new|added|deprecated|removed|availability|source code|note|see also|contents|copyright)\b", re.I)
_THERE_IS = re.compile(r"^(?:there (?:is|are|was|were)|it is (?:possible|safe|best|important|not)|one (?:way|of))\b", re.I)


def dangling(text: str) -> bool:
    """Whether the sentence leans on the one before it."""
    return bool(_DANGLING.match(text)) and not _THERE_IS.match(text)


def flaw(text: str, kind: str) -> float:
    """What speaks against showing a sentence on its own, 0 (nothing) to 1."""
    found = 0.0
    length = len(text.split())
    if length < 4 or (kind == "claim" and not text.rstrip().endswith((".", "!", ":", "”", '"', ")", "?"))):
        found += 0.4
    if length > 55:
        found += 0.3
    if text.rstrip().endswith("?"):
        found += 0.6
    if text.rstrip().endswith(":"):
        found += 0.3
    if _POINTING.search(text):
        found += 0.3
    if _NEWS.match(text):
        found += 0.4
    letters = sum(character.isalpha() or character.isspace() for character in text)
    if letters < 0.7 * len(text):
        found += 0.3
    if text[:1].islower() and kind == "claim" and "_" not in text.split()[0] and "." not in text.split()[0]:
        found += 0.2
    return min(1.0, found)
