"""Sentences as rows of counted terms, shared by the methods that count words.

A term is the stem of a word of letters. Numbers, web addresses and units glued to a slash are no terms, as in the
published experiments. Scripts written without spaces are cut into overlapping pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import Stemmer

from tamis.summarize.stopwords import STOP_WORDS
from tamis.text.remembered import remembered
from tamis.text.tokens import fold

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_APART = r"\s,;:!?(){}\[\]<>|\"*_`=…—–“”«»‹›„。、，！？；：（）「」『』【】《》〈〉・।॥،؛؟"
_WORD = re.compile(
    rf"(?<![^{_APART}])['.‘’-]*([^\W\d_](?:[^{_APART}\d./\\@#$%&+^~]*[^{_APART}\d./\\@#$%&+^~'‘’-])?)['.‘’-]*(?![^{_APART}])"
)
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_ENDINGS = frozenset({"s", "re", "ve", "ll", "d", "m"})
_STEMMER = Stemmer.Stemmer("english", 0)


@remembered(200_000)
def _term(word: str) -> str:
    """The stem of a folded word, empty for one that carries no topic."""
    return "" if word in STOP_WORDS else str(_STEMMER.stemWord(word))


def running_terms(sentence: str) -> list[str]:
    """The words of a sentence in order, each as its term, empty where it carries no topic.

    Contracted words are taken apart first, so that "doesn't" counts its negation and "the cat's" its cat.
    """
    found: list[str] = []
    for word in _WORD.findall(fold(sentence)):
        if word.isascii() and "'" not in word:
            found.append(_term(word))
        elif _UNSPACED.search(word):
            found.extend(_pairs(word))
        else:
            found.extend(_term(part) for part in _parts(word.replace("’", "'").replace("‘", "'")))
    return found


def _parts(word: str) -> Sequence[str]:
    if word.endswith("n't") and len(word) > 3:
        return word[:-3], "n't"
    stem, apostrophe, ending = word.rpartition("'")
    return (stem,) if apostrophe and stem and ending in _ENDINGS else (word,)


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(max(1, len(word) - 1))]


def content_terms(sentence: str) -> list[str]:
    """The terms of a sentence that carry a topic, in order, with repeats."""
    return [term for term in running_terms(sentence) if term]


def counts(sentences: Sequence[str]) -> csr_array:
    """Term counts, (S, T), columns in the order in which terms first occur."""
    return counted([content_terms(sentence) for sentence in sentences])


def counted(rows: Sequence[Sequence[str]]) -> csr_array:
    """Counts of the terms in each row, (S, T), columns in the order in which terms first occur."""
    from scipy.sparse import csr_array

    columns: dict[str, int] = {}
    places = np.array([columns.setdefault(term, len(columns)) for row in rows for term in row], dtype=np.int64)
    ends = np.cumsum([0, *map(len, rows)])
    matrix = csr_array((np.ones(len(places)), places, ends), shape=(len(rows), max(1, len(columns))))
    matrix.sum_duplicates()
    return matrix


def tf_idf(sentences: Sequence[str]) -> csr_array:
    """L2-normalised tf·idf rows, (S, T); idf = ln(S/df) + 1 over the sentences themselves."""
    from scipy.sparse import diags_array

    matrix = counts(sentences)
    if not matrix.nnz:
        return matrix
    df = np.bincount(matrix.indices, minlength=matrix.shape[1])
    idf = np.log(max(1, len(sentences)) / np.maximum(df, 1)) + 1.0
    return unit_rows(matrix @ diags_array(idf))


def unit_rows(matrix: csr_array) -> csr_array:
    """Rows divided by their Euclidean lengths; rows of zeros stay."""
    from scipy.sparse import diags_array

    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    rows: csr_array = (diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ matrix).tocsr()
    return rows
