"""Texts as arrays of words and two-word phrases that could name something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tamis.text import yamls
from tamis.text.markdown import plain
from tamis.text.tokens import fold, is_stop, terms

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ids = npt.NDArray[np.int64]

# A word, with the marks inside it that people write: low-fat, os.path, sqlite3_open, Crohn's.
_WORD = re.compile(r"[^\W_]\w*(?:[-.'’]\w*[^\W_])*")
_TOKEN = re.compile(rf"{_WORD.pattern}|[^\w\s]|\n[ \t]*\n")
_FENCED = re.compile(r"^[ \t>]*(```|~~~).*?(?:^[ \t>]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_ADDRESS = re.compile(r"\b(?:https?|ftp|file|mailto):\S+|\bwww\.\S+")
_COMPANION = re.compile(r"[A-Z]|[A-Z]{1,2}\d{1,3}|\d[A-Z]")
_FILE = re.compile(r"\A.+\.(?:html?|pdf|png|jpe?g|gif|svg|css)")
_LONGEST = 30
_LOWER_SHARE = 0.3
_BREAK = -1
_RARE_PHRASE = 3
_READ = 2_500


@lru_cache(maxsize=1)
def _empty_words() -> frozenset[str]:
    """Folded words that name nothing by themselves, and their stems."""
    lists = yamls.load(resources.files("tamis.library").joinpath("empty_words.yaml").read_text("utf-8"))
    words = [word for some in lists.values() for word in str(some).split()]
    return frozenset([*words, *(term for word in words for term in terms(word))])


def key_of(surface: str) -> str:
    """What stands for all forms of a word, empty for what cannot name anything.

    Empty are numbers, single letters, names of pages and pictures, stop words, and words that say nothing about a
    subject (``empty_words.yaml``).
    """
    folded = fold(surface).removesuffix("'s").removesuffix("’s")
    letters = sum(character.isalpha() for character in folded)
    if letters < 2 or 2 * letters <= len(folded) or len(folded) > _LONGEST or _FILE.fullmatch(folded):
        return ""
    if is_stop(folded) or folded in _empty_words():
        return ""
    stems = terms(folded)
    return "" if all(stem in _empty_words() for stem in stems) else " ".join(stems)


@dataclass(frozen=True)
class Vocabulary:
    """The words of N texts.

    A *term* is a word or a phrase of two neighbouring words; terms are numbered, words first, each kind in the order of
    their keys.

    Attributes:
        surfaces: words as written, by number.
        words: (T,) number of the surface of every token of all texts, -1 where a phrase cannot go on.
        owners: (T,) the text each token stands in.
        size: number of texts N.
        spelling: small letters → how the word is written elsewhere, for texts that are all titles.
    """

    surfaces: tuple[str, ...]
    words: Ids
    owners: Ids
    size: int
    spelling: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of words that can stand alone or, behind another, make a phrase; ascending."""
        return tuple(sorted({key for key in self._keys if key}))

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        return tuple(key_of(surface) or _companion(surface) for surface in self.surfaces)

    @cached_property
    def _tokens(self) -> Ids:
        """(T,) number of the key of every token, -1 where there is none."""
        numbers = {key: number for number, key in enumerate(self.keys)}
        by_surface = np.array([*(numbers.get(key, _BREAK) for key in self._keys), _BREAK], dtype=np.int64)
        return by_surface[self.words]

    @cached_property
    def _alone(self) -> npt.NDArray[np.bool_]:
        return np.array([not key.startswith("+") for key in self.keys], dtype=np.bool_)

    @cached_property
    def _phrases(self) -> tuple[Ids, Ids, Ids]:
        """Codes of phrases (first key x number of keys + second key), ascending; of each place its phrase; places."""
        first, second = self._tokens[:-1], self._tokens[1:]
        fits = (first >= 0) & (second >= 0) & (first != second) & (self.owners[:-1] == self.owners[1:])
        places = np.flatnonzero(fits)
        places = places[self._alone[first[places]]]
        codes, kinds, counts = np.unique(
            first[places] * len(self.keys) + second[places], return_inverse=True, return_counts=True
        )
        common = counts >= _RARE_PHRASE
        renumbered = np.cumsum(common) - 1
        kept = common[kinds]
        return codes[common], renumbered[kinds[kept]], places[kept]

    def parts(self, term: int) -> tuple[str, ...]:
        """The keys a term is made of, one or two."""
        if term < len(self.keys):
            return (self.keys[term],)
        first, second = divmod(int(self._phrases[0][term - len(self.keys)]), len(self.keys))
        return self.keys[first], self.keys[second]

    def phrase(self, term: int) -> tuple[int, int] | None:
        """The two words of a phrase as terms, None for a word."""
        if term < len(self.keys):
            return None
        first, second = divmod(int(self._phrases[0][term - len(self.keys)]), len(self.keys))
        return first, second

    @cached_property
    def counts(self) -> csr_array:
        """(N, M) how often each text has each term; words that cannot stand alone count 0."""
        from scipy.sparse import csr_array

        tokens = self._tokens
        alone = np.flatnonzero(tokens >= 0)
        alone = alone[self._alone[tokens[alone]]]
        codes, kinds, places = self._phrases
        rows = np.concatenate([self.owners[alone], self.owners[places]])
        columns = np.concatenate([tokens[alone], kinds + len(self.keys)])
        shape = (self.size, len(self.keys) + len(codes))
        matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        matrix.sum_duplicates()
        return matrix

    def shares(self) -> dict[tuple[str, ...], float]:
        """Keys of a term → the share of the texts that have it."""
        texts = np.bincount(self.counts.indices, minlength=self.counts.shape[1]) / max(1, self.size)
        return {self.parts(term): float(texts[term]) for term in np.flatnonzero(texts).tolist()}

    def written(self, term: int) -> str:
        """A term as people write it: its most frequent form, in the case it mostly has inside sentences."""
        if term < len(self.keys):
            return self._form(self.words[self._tokens == term]).removesuffix("'s").removesuffix("’s")
        _, kinds, places = self._phrases
        at = places[kinds == term - len(self.keys)]
        second = self._form(self.words[at + 1]).removesuffix("'s").removesuffix("’s")
        return f"{self._form(self.words[at])} {second}"

    def _form(self, words: Ids) -> str:
        numbers, counts = np.unique(words, return_counts=True)
        forms: Counter[str] = Counter()
        cased: dict[str, Counter[str]] = {}
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            surface = self.surfaces[number]
            forms[surface.lower()] += count
            cased.setdefault(surface.lower(), Counter())[surface] += count
        form = min(forms, key=lambda name: (-forms[name], name))
        return (self.spelling.get(form) if len(form) > 1 else "") or _spelled(form, cased[form])


def _spelled(form: str, cased: Counter[str]) -> str:
    """A word in small letters if it is ever so written inside sentences: titles give capitals that it has not."""
    if cased[form] >= _LOWER_SHARE * cased.total():
        return form
    return min(cased, key=lambda name: (-cased[name], name))


def spellings(texts: Iterable[str]) -> dict[str, str]:
    """How words are written in running text: word in small letters → its usual form."""
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    cased: dict[str, Counter[str]] = {}
    for word, count in counts.items():
        cased.setdefault(word.lower(), Counter())[word] = count
    return {form: _spelled(form, cased[form]) for form in sorted(cased)}


@dataclass(frozen=True)
class Background:
    """How common words are in a whole library, against which the words of a part of it are held.

    Attributes:
        size: number of texts in the library.
        shares: keys of a term → share of the texts that have it.
    """

    size: int = 0
    shares: Mapping[tuple[str, ...], float] = field(default_factory=dict)


def background(texts: Sequence[str]) -> Background:
    """How common words are in some texts; of many texts so many are read, evenly spread, that shares are known."""
    step = max(1, len(texts) // _READ)
    return Background(len(texts), vocabulary(texts[::step]).shares())


def _companion(surface: str) -> str:
    """The key of what names something only behind another word, as the D of vitamin D; its mark keeps it apart."""
    return f"+{surface.lower()}" if _COMPANION.fullmatch(surface) else ""


def vocabulary(texts: Sequence[str], spelling: Mapping[str, str] | None = None) -> Vocabulary:
    """Read the words of texts; code blocks and addresses are left out.

    Args:
        texts: N Markdown texts.
        spelling: how words are written elsewhere, see `spellings`.
    """
    numbers: dict[str, int] = {}
    words: list[int] = []
    lengths = np.zeros(len(texts), dtype=np.int64)
    for row, text in enumerate(texts):
        found = _TOKEN.findall(_ADDRESS.sub(" . ", plain(_FENCED.sub("\n\n", text))))
        words += [numbers.setdefault(token, len(numbers)) if token[0].isalnum() else _BREAK for token in found]
        lengths[row] = len(found)
    owners = np.repeat(np.arange(len(texts)), lengths)
    return Vocabulary(tuple(numbers), np.array(words, dtype=np.int64), owners, len(texts), spelling or {})
