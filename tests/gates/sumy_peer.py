"""The peer that summaries are measured against, set up as its own documentation does: stems and stop words."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

_METHODS = {
    "lexrank": ("lex_rank", "LexRankSummarizer"),
    "lsa": ("lsa", "LsaSummarizer"),
    "luhn": ("luhn", "LuhnSummarizer"),
    "textrank": ("text_rank", "TextRankSummarizer"),
    "nltk_freq": ("sum_basic", "SumBasicSummarizer"),
}
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['-])*")


class _Words:
    """Treebank words of letters, as the peer's own tokenizer, which wants data from the network first."""

    def __init__(self) -> None:
        self._split = pytest.importorskip("nltk.tokenize").NLTKWordTokenizer().tokenize

    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(word for word in self._split(sentence) if _WORD.fullmatch(word))


class Peer:
    """One method of the peer.

    Args:
        name: as tamis calls it.
    """

    def __init__(self, name: str) -> None:
        module, kind = _METHODS[name]
        stemmers = pytest.importorskip("sumy.nlp.stemmers")
        self._method = getattr(pytest.importorskip(f"sumy.summarizers.{module}"), kind)(stemmers.Stemmer("english"))
        self._method.stop_words = pytest.importorskip("sumy.utils").get_stop_words("english")
        self._dom = pytest.importorskip("sumy.models.dom")
        self._words = _Words()

    def _document(self, sentences: Sequence[str]) -> object:
        said = [self._dom.Sentence(sentence, self._words) for sentence in sentences]
        return self._dom.ObjectDocumentModel([self._dom.Paragraph(said)])

    def best(self, sentences: Sequence[str], count: int) -> list[str]:
        return [str(sentence) for sentence in self._method(self._document(sentences), count)]

    def lexrank_scores(self, sentences: Sequence[str]) -> list[float]:
        method = self._method
        words = [method._to_words_set(sentence) for sentence in self._document(sentences).sentences]
        matrix = method._create_matrix(words, method.threshold, method._compute_tf(words), method._compute_idf(words))
        return list(method.power_method(matrix, method.epsilon))
