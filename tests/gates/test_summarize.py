"""Summaries beside the peer's: ROUGE of each method, and how far the LexRank orders agree.

The peer is slow where a text has hundreds of sentences; its longest texts are left out here and measured by
``python -m bench summaries``.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gates.sumy_peer import Peer
from tamis.schema.document import Chunk
from tamis.settings_library import LayerCSettings
from tamis.summarize import METHODS, summarizer
from tamis.summarize.selection import chosen, select, theme_sentences
from tamis.text.sentences import sentences

pytestmark = [pytest.mark.gate, pytest.mark.filterwarnings("ignore:Number of words:UserWarning")]

_SETS = {
    "scitldr": ("scitldr_a/dev.jsonl", 1, 200),
    "cnndm": ("cnndm_train100/all.jsonl", 3, 50),
    "opinosis": ("opinosis/test.jsonl", 1, 20),
    "mediqa": ("mediqa_mas/validation.jsonl", 8, 20),
}
"""File, sentences to take, texts measured."""
_LONGEST = 90
_CLEAN = re.compile(r"\S*\d\S*|\S*['’./-]\w\S*")


def _texts(data: Path, name: str) -> list[tuple[list[str], list[str]]]:
    file, _, most = _SETS[name]
    found = []
    for line in (data / file).read_text("utf-8").splitlines():
        row = json.loads(line)
        split = row.get("sentences") or [text[a:b] for text in row["documents"] for a, b in sentences(text)]
        if len(split) <= _LONGEST:
            found.append((split, row["references"]))
    return found[:most]


@cache
def _scorer():
    return pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge1", "rouge2"], use_stemmer=True)


def _rouge(picked: list[str], references: list[str]) -> tuple[float, float]:
    found = [_scorer().score(reference, " ".join(picked)) for reference in references]
    return max(each["rouge1"].fmeasure for each in found), max(each["rouge2"].fmeasure for each in found)


def _top(said: list[str], name: str, count: int) -> list[str]:
    order = np.argsort(-summarizer(name).rank(said), kind="stable")[:count]
    return [said[row] for row in sorted(order)]


@pytest.mark.parametrize("name", METHODS)
def test_rouge_of_each_method_is_no_less_than_the_peers(name, data, report):
    ours, theirs = [], []
    peer = Peer(name)
    for kind, (_, count, _) in _SETS.items():
        texts = _texts(data, kind)
        ours.append(np.mean([_rouge(_top(said, name, count), wanted) for said, wanted in texts], axis=0))
        theirs.append(np.mean([_rouge(peer.best(said, count), wanted) for said, wanted in texts], axis=0))
    mine, floor = 100 * np.mean(ours, axis=0), 100 * np.mean(theirs, axis=0)
    sets = ", ".join(
        f"{kind} {100 * x[0]:.1f}/{100 * y[0]:.1f}" for kind, x, y in zip(_SETS, ours, theirs, strict=True)
    )
    report(f"summaries, {name}: ROUGE-1, mean of four sets", mine[0], floor[0], f"floor: sumy; {sets}")
    report(f"summaries, {name}: ROUGE-2, mean of four sets", mine[1], floor[1], "floor: sumy")


def test_lexrank_orders_sentences_as_the_peer_does(data, report):
    from scipy.stats import spearmanr

    rows = [json.loads(line)["text"] for line in (data / "nfcorpus" / "corpus.jsonl").read_text("utf-8").splitlines()]
    peer, ours = Peer("lexrank"), summarizer("lexrank")
    agreement = []
    for start in range(0, 80, 10):
        split = [text[a:b] for text in rows[start : start + 10] for a, b in sentences(text)]
        said = [" ".join(re.findall(r"\b[a-z]+\b", _CLEAN.sub(" ", one.lower()))) + "." for one in split]
        agreement.append(float(spearmanr(ours.rank(said), peer.lexrank_scores(said))[0]))
    report(
        "summaries, lexrank: Spearman with sumy's order", float(np.mean(agreement)), 0.99, f"least {min(agreement):.4f}"
    )


def test_tables_among_abstracts_give_prose_from_every_method(data, report):
    tables = (data / "tables" / "usda_sr26_tables.md").read_text("utf-8")
    rows = [json.loads(line)["text"] for line in (data / "nfcorpus" / "corpus.jsonl").read_text("utf-8").splitlines()]
    parts = [tables[at : at + 1500] for at in range(0, len(tables), 1500)]
    texts = [text for pair in zip(rows, parts, strict=False) for text in pair]
    mixed = [Chunk(f"d#c{n}", "d", n, 0, len(text), text) for n, text in enumerate(texts)]
    material = theme_sentences(mixed)
    pipes = prose = 0
    for name in METHODS:
        picked = [material[row] for row in select(material, LayerCSettings(stage1_method=name))]
        pipes += sum("|" in sentence.text for sentence in picked)
        prose += sum(int(sentence.chunk_id[3:]) % 2 == 0 for sentence in picked)
    report(
        "summaries, tables among abstracts: sentences of prose",
        prose,
        8 * len(METHODS),
        f"{len(parts)} parts of tables",
    )
    report("summaries, tables among abstracts: sentences without a pipe", -pipes, 0)
    assert chosen([], LayerCSettings()) == []
