"""Names in a claim, found by their capitals, digits and the gazetteer, and looked up in the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tamis.check.units import MONEY, unit_of
from tamis.models.gazetteer import load_gazetteer
from tamis.models.protocols import EntityRecogniser
from tamis.text.tokens import fold, is_stop, terms

_TOKEN = re.compile(r"[^\W_]+(?:[.'’&/+-][^\W_]+)*[+#]*")
_WHOLE = re.compile(r"(?<!\w)[^\W_]*+_\w*+")
_CODE_LIKE = re.compile(
    r"(?<![\w.-])(?=[\w.-]*[A-Za-z])(?=[\w.-]*\d)[A-Za-z]\w*+(?:[.-]\w++)*+|(?<![\d.])\d++(?:\.\d++){2,}+"
)
_IDENTIFIER = re.compile(
    r"(?<![\w./@-])(?=[\w.]*(?:[^\W\d_]_|\.[a-z]|\w\(\)))[A-Za-z_]\w+(?:\.[a-z_]\w+)*(?:\(\))?(?![\w(])"
)
"""What only code writes: an underscore inside, pieces joined by dots, a call."""
_OPENING = frozenset(
    """
    since although though according across among around despite unlike like per via within without upon when whereas
    unless once given besides moreover furthermore meanwhile instead overall today currently historically
    """.split()
)
"""Words that open a sentence in front of a name; the rest of them are stop words."""
_ABBREVIATED = re.compile(r"(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,2}")
_CONNECTING = frozenset({"of", "the", "and", "for", "de", "la", "van", "von", "der", "del", "di", "&"})
_MONTHS_AND_DAYS = frozenset(
    """
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday i ok
    """.split()
)
_NOUN_CAPITALS = 0.3
"""Above this share of capitals inside sentences a text follows German spelling, and single capitals mean nothing."""


@dataclass(frozen=True, slots=True)
class Name:
    """One name.

    Attributes:
        text: as written.
        parts: its folded words without connecting ones.
        opens: whether it is a single word at the start of the sentence, where any word has a capital.
    """

    text: str
    parts: tuple[str, ...]
    opens: bool = False


def _is_capital(token: str) -> bool:
    return token[:1].isupper() or (len(token) > 1 and any(c.isupper() for c in token[1:]))


def _may_name(text: str, token: re.Match[str]) -> bool:
    """Whether a word is written like a name, and is no unit of the number before it or currency of the one behind."""
    word = token.group()
    if not (_is_capital(word) or _marked(word)):
        return False
    if unit := unit_of(word):
        before, after = text[: token.start()].rstrip(), text[token.end() :].lstrip()
        return not (before[-1:].isdigit() or unit.startswith("°") or (unit in MONEY and after[:1].isdigit()))
    return True


def _marked(token: str) -> bool:
    """Written so that it is a name wherever it stands: acronym, inner capital, or letters with digits."""
    inner = any(c.isupper() for c in token[1:])
    return (inner and len(token) > 1) or bool(_CODE_LIKE.fullmatch(token) and any(c.isdigit() for c in token))


def names(text: str, recogniser: EntityRecogniser | None = None) -> list[Name]:
    """Names of one sentence.

    Args:
        text: plain text.
        recogniser: adds what a model finds; optional.
    """
    found: list[Name] = []
    run: list[re.Match[str]] = []
    tokens = list(_TOKEN.finditer(text))
    for place, token in enumerate([*tokens, None]):
        gap = text[run[-1].end() : token.start()] if run and token is not None else ""
        if token is not None and run and gap == " ":
            word = token.group()
            following = tokens[place + 1].group() if place + 1 < len(tokens) else ""
            if _is_capital(word) or (fold(word) in _CONNECTING and _is_capital(following)):
                run.append(token)
                continue
        found += _named(text, run)
        run = [token] if token is not None and _may_name(text, token) else []
    if recogniser is not None:
        known = {part for name in found for part in name.parts if not name.opens}
        for mention in recogniser.mentions([text])[0]:
            parts = _parts(mention.text)
            if all(unit_of(part) for part in parts):
                continue
            if mention.confidence >= 0.5 and mention.label != "MISC" and not known.issuperset(parts):
                found.append(Name(mention.text, parts))
    return [*found, *_identifiers(text)]


def _identifiers(text: str) -> list[Name]:
    found = [match.group().removesuffix("()") for match in _IDENTIFIER.finditer(text)]
    return [Name(word, tuple(fold(word).split("."))) for word in found if not _ABBREVIATED.fullmatch(word)]


def _named(text: str, run: Sequence[re.Match[str]]) -> list[Name]:
    while run and fold(run[-1].group()) in _CONNECTING:
        run = run[:-1]
    if not run:
        return []
    first = run[0].start() == _first_letter(text)
    if first and len(run) > 1 and (_opens(run[0].group())):
        run, first = run[1:], False
    words = text[run[0].start() : run[-1].end()]
    parts = _parts(words)
    if not parts or all(part in _MONTHS_AND_DAYS or is_stop(part) for part in parts):
        return []
    opens = first and len(run) == 1 and not _marked(run[0].group())
    if opens and load_gazetteer().label(words) is not None:
        opens = False
    return [Name(words, parts, opens)]


def _opens(word: str) -> bool:
    """Whether a word with a capital only opens the sentence."""
    return is_stop(fold(word)) or fold(word) in _OPENING or word.endswith(("ing", "ly"))


def _first_letter(text: str) -> int:
    return next((place for place, c in enumerate(text) if c.isalnum()), 0)


def _parts(words: str) -> tuple[str, ...]:
    folded = [fold(token.group()).removesuffix("'s").removesuffix("’s") for token in _TOKEN.finditer(words)]
    return tuple(part for part in folded if part not in _CONNECTING)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a text can vouch for.

    Attributes:
        words: folded words, and the pieces of those joined by hyphens, dots or slashes.
        stems: analysed terms.
        initials: initials of its capitalised runs ("who" for World Health Organization).
        keys: gazetteer keys of its names.
        nouns_have_capitals: follows German spelling.
    """

    words: frozenset[str]
    stems: frozenset[str]
    initials: frozenset[str]
    keys: frozenset[str]
    nouns_have_capitals: bool = False


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """The vocabulary of some texts together."""
    joined = "\n".join(texts)
    words: set[str] = set()
    capitals = inside = 0
    for token in _TOKEN.finditer(joined):
        word = fold(token.group()).removesuffix("'s").removesuffix("’s")
        words.add(word)
        words.update(re.split(r"[.'’&/+-]", word))
        if joined[max(0, token.start() - 2) : token.start()].strip()[-1:].isalnum() or (
            token.start()
            and joined[token.start() - 1] == " "
            and joined[token.start() - 2 : token.start() - 1].isalnum()
        ):
            inside += 1
            capitals += token.group()[0].isupper() and not token.group().isupper()
    words.update(fold(match.group()) for match in _WHOLE.finditer(joined))
    gazetteer = load_gazetteer()
    return Vocabulary(
        frozenset(words),
        frozenset(terms(joined)),
        _initials(joined),
        frozenset(mention.key for mention in gazetteer.mentions(joined, folded=True)),
        inside > 20 and capitals > _NOUN_CAPITALS * inside,
    )


def vocabulary_of(parts: Sequence[Vocabulary]) -> Vocabulary:
    """Several vocabularies as one."""
    if len(parts) == 1:
        return parts[0]
    return Vocabulary(
        frozenset().union(*(part.words for part in parts)),
        frozenset().union(*(part.stems for part in parts)),
        frozenset().union(*(part.initials for part in parts)),
        frozenset().union(*(part.keys for part in parts)),
        any(part.nouns_have_capitals for part in parts),
    )


def _initials(text: str) -> frozenset[str]:
    found: set[str] = set()
    for match in re.finditer(
        r"\b[A-Z][\w'’-]{0,100}+(?:\s++(?:(?:of|the|and|for|to)\s++)*+[A-Z][\w'’-]{0,100}+){1,6}", text
    ):
        every = match.group().split()
        found.add("".join(word[0] for word in every if word[0].isupper()).casefold())
        found.add("".join(word[0] for word in every).casefold())
    return frozenset(found)


def vouched(name: Name, given: Vocabulary) -> bool:
    """Whether the evidence knows a name: all its words, its acronym, or another spelling of it."""
    if all(_known(part, given) for part in name.parts):
        return True
    joined = "".join(name.parts)
    if name.text.isupper() and joined in given.initials:
        return True
    if len(name.parts) > 1 and "".join(part[0] for part in name.parts) in given.words:
        return True
    if load_gazetteer().key(name.text) in given.keys:
        return True
    # "Python's ElementTree" runs together what the evidence has apart.
    return joined in given.words


def _known(part: str, given: Vocabulary) -> bool:
    if part in given.words or part in _MONTHS_AND_DAYS:
        return True
    if any(c.isdigit() or c == "_" for c in part):
        return False
    pieces = [piece for piece in re.split(r"[.'’&/+-]", part) if piece]
    if len(pieces) > 1:
        return all(_known(piece, given) for piece in pieces)
    stemmed = terms(part)
    return not stemmed or all(stem in given.stems for stem in stemmed)


def missing(claim: Sequence[Name], given: Vocabulary) -> list[Name]:
    """Names of a claim that the evidence does not know; single words that open a sentence are left to `swapped`."""
    absent = [name for name in claim if not name.opens and not vouched(name, given)]
    if given.nouns_have_capitals:
        absent = [name for name in absent if len(name.parts) > 1 or _marked(name.text)]
    return absent


def swapped(claim: str, closest: str, given: Vocabulary) -> str:
    """The word that opens a claim where the closest sentence of the evidence has another subject, else empty.

    A capital says nothing at the start of a sentence. But where the second word is the same in both, the first word of
    the claim is in no evidence, and that of the evidence is not in the claim, somebody else is said to have done it.
    """
    mine, theirs = _TOKEN.findall(claim)[:2], _TOKEN.findall(closest)[:2]
    if len(mine) < 2 or len(theirs) < 2 or terms(mine[1]) != terms(theirs[1]) or fold(mine[0]) == fold(theirs[0]):
        return ""
    opening = Name(mine[0], _parts(mine[0]))
    said = {fold(token) for token in _TOKEN.findall(claim)}
    if is_stop(fold(mine[0])) or is_stop(fold(theirs[0])) or fold(theirs[0]) in said or vouched(opening, given):
        return ""
    return str(mine[0])
