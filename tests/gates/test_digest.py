"""What is read off documents, on real data."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tamis.digest.anchors import anchors_for
from tamis.digest.duplicates import near_duplicates
from tamis.models.embedder import OnnxEmbedder
from tamis.settings import DigestSettings
from tamis.text.fingerprints import sha256_hex, simhash

pytestmark = pytest.mark.gate


def texts_of(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8") as lines:
        return {row["_id"]: row["text"] for row in map(json.loads, lines)}


def test_identical_abstracts_are_grouped_and_others_are_not(data: Path, report: Callable[..., None]) -> None:
    texts = texts_of(data / "nfcorpus" / "corpus.jsonl")
    same: defaultdict[str, list[str]] = defaultdict(list)
    for name, text in texts.items():
        same[text].append(name)
    groups = [sorted(names) for names in same.values() if len(names) > 1]
    prints = [(name, simhash(text), sha256_hex(text)) for name, text in texts.items()]
    found = near_duplicates(prints, lambda names: [texts[name] for name in names], DigestSettings())
    joined = sum(all(found.get(name) == names[0] for name in names[1:]) for names in groups)
    extra = len(found) - sum(len(names) - 1 for names in groups)
    report("identical abstracts grouped (NFCorpus)", joined / len(groups), 1.0, f"{len(groups)} groups, {extra} near")
    for name, original in found.items():
        assert original in texts and original < name


def test_clickbait_is_told_from_news(data: Path, embedder: OnnxEmbedder, report: Callable[..., None]) -> None:
    with (data / "clickbait" / "clickbait.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    random.Random(7).shuffle(rows)
    rows = rows[:300]
    anchors = anchors_for(embedder)
    vectors = embedder.passages([row["headline"] for row in rows])
    quality = vectors @ anchors.substantive - vectors @ anchors.clickbait
    bait = np.array([row["label"] == "1" for row in rows])
    auc = float((quality[~bait][:, None] > quality[bait][None, :]).mean())
    report("clickbait against news, AUC", auc, 0.95, f"{len(rows)} headlines")
