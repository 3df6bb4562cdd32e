"""Ranking sentences by each method beside a library that offers the same methods, and large texts in groups."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from bench.material import Bench, timed
from bench.table import Row, median
from tamis.settings_library import LayerCSettings
from tamis.summarize import METHODS, summarizer
from tamis.summarize.selection import chosen
from tamis.text.sentences import sentences

_SENTENCES, _QUICK_SENTENCES = 1_600, 300
_LARGE, _QUICK_LARGE = 20_000, 4_000
_TIMES = 3
_AIMS = {"lexrank": 100.0, "textrank": 100.0, "lsa": 5.0, "luhn": 2.0}
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['-])*")
_PEERS = {
    "lexrank": ("lex_rank", "LexRankSummarizer"),
    "lsa": ("lsa", "LsaSummarizer"),
    "luhn": ("luhn", "LuhnSummarizer"),
    "textrank": ("text_rank", "TextRankSummarizer"),
    "nltk_freq": ("sum_basic", "SumBasicSummarizer"),
}


class _Words:
    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(_WORD.findall(sentence))


def _peer(name: str, said: list[str]) -> Callable[[], object]:
    """One call of the peer, from sentences as text: it stems with the same algorithm and drops stop words."""
    from importlib import import_module

    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.nlp.stemmers import Stemmer
    from sumy.utils import get_stop_words

    module, kind = _PEERS[name]
    method = getattr(import_module(f"sumy.summarizers.{module}"), kind)(Stemmer("english"))
    method.stop_words = get_stop_words("english")

    def run() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return method(ObjectDocumentModel([Paragraph([Sentence(one, _Words()) for one in said])]), 8)

    return run


def measure(bench: Bench) -> list[Row]:
    """Sentences a second of each method; then the time of a large text over that of a small one."""
    count, large = (_QUICK_SENTENCES, _QUICK_LARGE) if bench.quick else (_SENTENCES, _LARGE)
    pool = [text[a:b] for _, text in bench.texts for a, b in sentences(text)]
    pool = (pool * (large // len(pool) + 1))[:large]
    said = pool[:count]
    summarizer("lsa").rank(said)
    rows = []
    for name in METHODS:
        method = summarizer(name)
        ours = median([timed(method.rank, said).wall for _ in range(_TIMES)])
        bench.say(f"{name}: {ours:.3f} s")
        theirs = timed(_peer(name, said)).wall
        rows.append(
            Row(
                f"rank by {name}",
                count / ours,
                "sentences/s",
                peer=count / theirs,
                peer_name="sumy",
                ratio_at_least=None if bench.quick else _AIMS.get(name),
                note=f"{count:,} sentences; {ours:.2f} and {theirs:.2f} s",
            )
        )
    how = LayerCSettings()
    small = median([timed(chosen, said, how).wall for _ in range(_TIMES)])
    whole = timed(chosen, pool, how).wall
    rows.append(
        Row(
            f"summarise {large:,} sentences in groups",
            whole / small,
            f"× {count:,}",
            at_most=None if bench.quick else 10.0,
            note=f"{whole:.2f} and {small:.2f} s",
        )
    )
    return rows
