"""What to call a group of texts: the words that set it apart from its siblings (L4).

Class-based TF-IDF (Grootendorst, 2022, section 3.3): all texts of a group are one document, a term weighs its frequency
in the group times ln(1 + A / f), where f is its frequency in all groups and A the mean number of words in a group.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tamis.library.longforms import long_forms
from tamis.library.vocabulary import Background, Vocabulary, key_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ids = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

KEYWORDS = 10
_NAMED = 3
_CANDIDATES = 80
# A phrase stands for a word when the word is mostly part of it; a keyword is no accident of one text; a label ends
# before words that say much less than its first.
_ABSORBS = 0.35
_SHARE_OF_TEXTS = 0.06
_FADED = 0.35
# A phrase says more than a word; outside its group a term that stands in this share of the texts is rare, one that is
# everywhere still weighs a little, so that every group gets a name; a label goes on with no two-letter word.
_PHRASE = 1.25
_RARE = 0.005
_LEAST = 0.02
_SHORTEST = 3
# Words of so many letters that begin alike are forms of one.
_STEM = 5
_MOSTLY = 0.75


@dataclass(frozen=True, slots=True)
class Name:
    """What a group is called.

    Attributes:
        label: its most telling keywords in one line.
        keywords: most telling first, no two with a word in common.
    """

    label: str
    keywords: tuple[str, ...]


def class_weights(counts: csr_array, classes: Ids, number: int) -> csr_array:
    """Class-based TF-IDF, held against the siblings.

    Frequencies are dampened within a text (ln(1 + n)), so that one table does not name a group. A term that is no more
    frequent in the group than in the others weighs nothing: it is the shelf's subject and not the group's.

    Args:
        counts: (N, M) of each text.
        classes: (N,) the group of each text, below ``number``.
        number: of groups C.

    Returns:
        (C, M).
    """
    from scipy.sparse import csr_array

    dampened, present = counts.copy(), counts.copy()
    dampened.data, present.data = np.log1p(dampened.data), np.ones_like(present.data)
    texts = len(classes)
    membership = csr_array((np.ones(texts), (classes, np.arange(texts))), shape=(number, texts))
    sums, texts_with = (membership @ dampened).tocsr(), (membership @ present).tocsr()
    sums.sort_indices()
    texts_with.sort_indices()
    found = sums.tocoo()
    sizes = np.maximum(np.bincount(found.row, found.data, number), 1e-12)
    overall = np.bincount(found.col, found.data, counts.shape[1])
    idf = np.log1p(sizes.mean() / overall[found.col])
    # Long texts have more of every word, short ones a larger share of theirs: only what exceeds in both ways tells.
    contrast = np.minimum(
        _contrast(found.row, found.col, found.data, sizes),
        _contrast(found.row, found.col, texts_with.data, np.bincount(classes, minlength=number).astype(np.float64)),
    )
    data = found.data / sizes[found.row] * idf * contrast
    weights: csr_array = csr_array((data, (found.row, found.col)), shape=sums.shape)
    return weights


def _contrast(groups: Ids, terms: Ids, values: Weights, sizes: Weights) -> Weights:
    """How much more frequent each term is in its group than elsewhere: 0 for no more, 1 for only there."""
    overall = np.bincount(terms, values)
    inside = values / sizes[groups]
    outside = (overall[terms] - values) / np.maximum(sizes.sum() - sizes[groups], 1e-12)
    result: Weights = np.maximum(inside - outside, 0.0) / (inside + outside)
    return result


def names(
    words: Vocabulary,
    classes: Ids,
    number: int,
    *,
    taken: Collection[str] = (),
    common: Background | None = None,
    texts: Sequence[str] = (),
) -> list[Name]:
    """Name groups of texts, no two alike.

    Args:
        words: of N texts.
        classes: (N,) the group of each text.
        number: of groups.
        taken: labels that are in use already.
        common: how common words are in the whole library: what every shelf speaks of names none of its groups.
        texts: N, the texts themselves, where abbreviations are to be spelled out as their group defines them.

    Returns:
        One a group; the label is empty where no text of the group has a word that can name anything.
    """
    weights = class_weights(words.counts, classes, number)
    found = []
    for group in range(number):
        rows = np.flatnonzero(classes == group)
        longer = long_forms(texts[row] for row in rows.tolist()) if texts else {}
        found.append(_keywords(words, weights, rows, group, common or Background(), longer))
    used = {label.casefold() for label in taken}
    named: list[Name] = []
    for keywords, scores in found:
        label = _label(keywords, scores, used)
        if label:
            used.add(label.casefold())
        named.append(Name(label, tuple(keywords)))
    return named


def _label(keywords: Sequence[str], scores: Sequence[float], used: Collection[str]) -> str:
    """The first few keywords; one more, as long as another group is called the same."""
    strong = sum(score >= _FADED * scores[0] for score in scores[:_NAMED])
    for length in range(max(1, strong), len(keywords) + 1):
        label = ", ".join(keywords[:length])
        if label.casefold() not in used:
            return label
    base = ", ".join(keywords[:strong]) if keywords else ""
    number = 2
    while base and f"{base} ({number})".casefold() in used:
        number += 1
    return f"{base} ({number})" if base else ""


def _keywords(
    words: Vocabulary, weights: csr_array, rows: Ids, group: int, common: Background, longer: Mapping[str, str]
) -> tuple[list[str], list[float]]:
    """The most telling terms of a group as written, and their weights."""
    start, stop = weights.indptr[group], weights.indptr[group + 1]
    terms, scores = weights.indices[start:stop].astype(np.int64), weights.data[start:stop]
    own = words.counts[rows]
    texts = np.bincount(own.indices, minlength=own.shape[1])
    least = min(len(rows), max(2, int(np.ceil(_SHARE_OF_TEXTS * len(rows)))))
    keep = (scores > 0) & (texts[terms] >= least)
    terms, scores = terms[keep], scores[keep]
    if not len(terms):
        # Nothing sets it apart; then at least what most of its texts are about.
        terms = np.flatnonzero(texts)
        scores = texts[terms].astype(np.float64)
    scores = scores * _telling(words, terms, texts[terms], len(rows), common)
    order = np.lexsort((terms, -scores))[:_CANDIDATES]
    terms, scores = terms[order], scores[order]
    phrases = [(int(term), pair) for term in terms if (pair := words.phrase(int(term)))]
    chosen: list[str] = []
    kept: list[float] = []
    used: set[str] = set()
    for term, score in zip(terms.tolist(), scores.tolist(), strict=True):
        for best in dict.fromkeys([_absorbed(term, phrases, texts), term]):
            written = _spelled_out(words.written(best), longer)
            parts = _parts(words, best, written)
            if not _repeats(parts, used):
                break
        else:
            continue
        if chosen and len(written) < _SHORTEST:
            continue
        used |= parts
        chosen.append(written)
        kept.append(score)
        if len(chosen) == KEYWORDS:
            break
    return chosen, kept


def _telling(words: Vocabulary, terms: Ids, having: Ids, size: int, common: Background) -> Weights:
    """(T,) how much a term says beyond its shelf: most where it is nowhere else, least where all have it.

    Args:
        words: of all texts.
        terms: (T,).
        having: (T,) texts of the group that have each.
        size: number of texts in the group.
        common: the whole library.
    """
    phrase = np.array([words.phrase(term) is not None for term in terms.tolist()], dtype=np.bool_)
    longer: Weights = np.where(phrase, _PHRASE, 1.0)
    if common.size <= size:
        return longer
    shares = np.array([common.shares.get(words.parts(term), 0.0) for term in terms.tolist()])
    inside = having / size
    outside = np.maximum(shares * common.size - having, 0.0) / (common.size - size)
    contrast = np.maximum(inside - outside, 0.0) / np.maximum(inside + outside, 1e-12)
    rarity = np.clip(np.log(np.maximum(outside, _RARE)) / np.log(_RARE), 0.0, 1.0)
    weights: Weights = longer * np.maximum(contrast * rarity, _LEAST)
    return weights


def _spelled_out(written: str, longer: Mapping[str, str]) -> str:
    """A term with its abbreviations spelled out, and with the rest of the name that it is the beginning of."""
    spelled = " ".join(longer.get(word.lower(), word) if not word.islower() else word for word in written.split(" "))
    said = " ".join(dict.fromkeys(spelled.split(" ")))
    whole = [long for long in longer.values() if f"{long.lower()} ".startswith(f"{said.lower()} ")]
    return min(whole, key=lambda long: (len(long), long)) if " " in said and whole else said


def _parts(words: Vocabulary, term: int, written: str) -> set[str]:
    """The stems of the words of a term, of what it stands for too."""
    said = [*words.parts(term), *(key_of(word) for word in written.split(" "))]
    return {part for key in said for part in key.split(" ") if part}


def _repeats(parts: Collection[str], used: Collection[str]) -> bool:
    """Whether words say again what others said: the same, one inside the other, or forms of one: allergy, allergic."""
    return any(_same(one, other) for one in parts for other in used)


def _same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < _STEM:
        return short == long
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(short, long, strict=False)))
    return short in long or shared >= max(_STEM, _MOSTLY * len(short))


def _absorbed(term: int, phrases: Sequence[tuple[int, tuple[int, int]]], texts: Ids) -> int:
    """The phrase that a word mostly stands in, or the term itself."""
    having = [phrase for phrase, pair in phrases if term in pair and texts[phrase] >= _ABSORBS * texts[term]]
    return max(having, key=lambda phrase: (texts[phrase], -phrase), default=term)
