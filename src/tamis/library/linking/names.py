"""The names of an ontology's terms, indexed for looking them up in running text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from tamis.library.linking.spelling import Token, keys_of, known_words, tokens
from tamis.schema.library import Ontology, Term

LABEL, SYNONYM, LOOSE, REORDERED = 1.0, 0.97, 0.95, 0.90
_INVERTED = frozenset({(1, ",")})
"""Sign of a name that may only be turned round as in an index: ``sugar, free``."""
LONGEST_REORDERED = 4
LINKING = frozenset({"of", "the", "in"})
"""Words that may stand between those of a name whose order is turned round."""
_LEAST_FUZZY, _LONGEST_FUZZY = 4, 40
_BRACKETED = re.compile(r"(?<!\s)\s++\([^()]*+\)$|\(\d*[+-]\)$")
_CHARGE = re.compile(r"(?<=[A-Za-z])\(\d*[+-]\)$")
_STEREO = re.compile(r"^(?:\([\dRSEZrsz,'’+±-]+\)-|(?:all-)?(?:trans|cis)-|myo-|[DL]{1,2}-)")
_LEAST_TURNED = 4
LEAST_PART = 3
_ENDING = 4
_VOWELS = frozenset("aeiouy")
_SYMBOL_LETTERS = 3
_ACRONYM_LETTERS = 6


@dataclass(frozen=True, slots=True)
class Reading:
    """One term that a name may stand for.

    Attributes:
        term_id: the term; empty for a decoy, which stands for nothing.
        quality: confidence of a mention spelled like this.
        signs: the name's own signs other than spaces and hyphens, each with the position of the token behind it.
        name: as the ontology writes it.
        symbol: one to three letters that mean something only in their own case, like ``Ca``.
        acronym: a name in capitals, that must be in capitals in the text too.
    """

    term_id: str
    quality: float
    signs: frozenset[tuple[int, str]] = frozenset()
    name: str = ""
    symbol: bool = False
    acronym: bool = False


@dataclass(slots=True)
class Node:
    """A place in the trie of names, token by token."""

    below: dict[str, Node] = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)


class Lexicon:
    """Everything that may be written for the terms of an ontology.

    Args:
        ontology: whose labels and synonyms are looked for.
        decoys: names that are found and then stand for nothing.
    """

    def __init__(self, ontology: Ontology, decoys: Iterable[str] = ()) -> None:
        self.root = Node()
        self.any_order: dict[tuple[str, ...], list[Reading]] = {}
        self.words: set[str] = set()
        self.orderly_words: set[str] = set()
        for term in ontology.terms.values():
            for name, quality in _names(term):
                self._add(term.term_id, name, quality)
        for name in decoys:
            self._add("", name, LABEL)
        self._near = _Nearness(word for word in self.words if _LEAST_FUZZY <= len(word) <= _LONGEST_FUZZY)

    def _add(self, term_id: str, name: str, quality: float) -> None:
        found = _without_article(tokens(name))
        key = tuple(token.key for token in found)
        letters = "".join(character for character in name if character.isalpha())
        if not key or len(letters) < 2:
            return
        plain = len(key) == 1 and letters == name
        symbol = len(letters) <= _SYMBOL_LETTERS and not _is_word(letters, quality)
        reading = Reading(
            term_id,
            quality,
            frozenset((place, token.sign) for place, token in enumerate(found) if token.hard and place),
            name,
            symbol=symbol,
            acronym=not symbol and plain and len(letters) <= _ACRONYM_LETTERS and _is_acronym(letters),
        )
        self._insert(key, reading)
        self.words.update(key)
        if len(key) > 1 and (len(key) == 2 or key[0] in keys_of("ordered")) and not found[1].hard:
            self._add_joined(key, reading)
        if term_id:
            self._add_any_order(
                Reading(term_id, quality * REORDERED, name=name), [word for word in key if word not in LINKING]
            )

    def _add_joined(self, key: tuple[str, ...], reading: Reading) -> None:
        """The same name with its first two words written as one: ``soymilk``, ``nonstarch polysaccharide``."""
        if min(len(key[0]), len(key[1])) >= LEAST_PART and "".join(key[:2]).isalpha():
            self._insert(
                (key[0] + key[1], *key[2:]), replace(reading, quality=min(reading.quality, LOOSE), symbol=False)
            )

    def _add_any_order(self, reading: Reading, words: Sequence[str]) -> None:
        if not 1 < len(words) <= LONGEST_REORDERED:
            return
        if keys_of("ordered") & {*words}:
            reading = replace(reading, signs=_INVERTED)
        if max(len(word) for word in words) >= _LEAST_TURNED:
            known = self.any_order.setdefault(tuple(sorted(words)), [])
            known += [reading] if all(each.term_id != reading.term_id for each in known) else []
            self.orderly_words.update(words)

    def _insert(self, key: Sequence[str], reading: Reading) -> None:
        node = self.root
        for token in key:
            node = node.below.setdefault(token, Node())
        for known in node.readings:
            if known.term_id == reading.term_id and known.signs <= reading.signs and known.quality >= reading.quality:
                return
        node.readings.append(reading)

    def get(self, key: Sequence[str]) -> list[Reading]:
        """Readings of a whole name, empty where nobody is called so."""
        node: Node | None = self.root
        for token in key:
            node = node.below.get(token) if node is not None else None
        return node.readings if node is not None else []

    def near(self, word: str) -> tuple[tuple[str, bool], ...]:
        """Words of names that are one edit from a word, each with whether that edit is more likely a slip than not."""
        return self._near.of(word) if _LEAST_FUZZY <= len(word) <= _LONGEST_FUZZY else ()


def _names(term: Term) -> Iterator[tuple[str, float]]:
    yield term.label, LABEL
    for name in term.synonyms:
        yield name, SYNONYM
    for looser in _looser(term.label):
        yield looser, LOOSE
    for name in term.synonyms:
        if _CHARGE.search(name):
            yield _CHARGE.sub("", name), LOOSE


def _looser(name: str) -> Iterator[str]:
    """Names without what only an ontology's author writes: a bracket, a stereo prefix, a qualifier."""
    bare = _STEREO.sub("", _BRACKETED.sub("", name))
    if bare != name:
        yield bare
    found = tokens(bare)
    kept = [token for token in found if token.key not in keys_of("qualifiers")]
    if kept and len(kept) < len(found):
        yield " ".join(bare[token.start : token.end] for token in kept)


def _without_article(found: list[Token]) -> list[Token]:
    return found[1:] if len(found) > 1 and found[0].key in {"a", "an", "the"} and not found[1].hard else found


def _is_word(letters: str, quality: float) -> bool:
    """Whether a short name is a word, ``egg``, and not a symbol, ``Ca``: labels in small letters are."""
    return quality == LABEL and len(letters) == _SYMBOL_LETTERS and letters[1:].islower()


def _is_acronym(letters: str) -> bool:
    return letters.rstrip("s").isupper()


class _Nearness:
    """Words within one slip of another, by the words that one deletion makes of both (Garbe's symmetric deletes)."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_deletion: dict[str, list[str]] = {}
        for word in sorted(words):
            for shorter in sorted({word, *_deletions(word)}):
                self._by_deletion.setdefault(shorter, []).append(word)
        self.of = lru_cache(maxsize=200_000)(self._of)

    def _of(self, word: str) -> tuple[tuple[str, bool], ...]:
        from rapidfuzz.distance import OSA

        if not word.isalpha() or word in known_words():
            return ()
        found = {near for shorter in (word, *_deletions(word)) for near in self._by_deletion.get(shorter, ())}
        return tuple(sorted((near, _is_slip(word, near)) for near in found if OSA.distance(word, near) == 1))


def _deletions(word: str) -> list[str]:
    return [word[:place] + word[place + 1 :] for place in range(len(word))]


def _is_slip(word: str, meant: str) -> bool:
    """Whether one edit is more likely a slip than another word.

    Substances differ by the letters that end their names, ``lactase`` and ``lactose``, and words by the first,
    ``valine`` and ``saline``: there another letter is another word, and only a turned or doubled one and an ``e`` too
    many or too few count as a slip. A letter too many or too few elsewhere seldom makes another word, and nor does a
    consonant for a vowel: ``rhamnpse``.
    """
    if sorted(word) == sorted(meant) or word.rstrip("e") == meant.rstrip("e"):
        return True
    if _without_doubles(word) == _without_doubles(meant):
        return True
    swapped = [(one, other) for one, other in zip(word, meant, strict=False) if one != other]
    is_other_kind = len(word) == len(meant) and (swapped[0][0] in _VOWELS) != (swapped[0][1] in _VOWELS)
    ending = 1 if len(word) != len(meant) or is_other_kind else _ENDING
    return word[0] == meant[0] and word[-ending:] == meant[-ending:] and min(len(word), len(meant)) > ending


def _without_doubles(word: str) -> str:
    return "".join(letter for place, letter in enumerate(word) if not place or letter != word[place - 1])
