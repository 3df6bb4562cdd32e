"""Themes against classes given by people, and paraphrases against their originals."""

import json
import random
from collections import Counter

import numpy as np
import pytest

from gates.judged import Memory, RememberingEmbedder, cache_folder
from tamis.library.duplicates import origins, restatements
from tamis.library.themes import make_themes
from tamis.settings_library import LayerBSettings
from tamis.text.fingerprints import jaccard, shingles

pytestmark = pytest.mark.gate
NEWS = 4000
NEAR_IDENTICAL = 0.5


@pytest.fixture(scope="module")
def remembering(embedder):
    return RememberingEmbedder(embedder, Memory(cache_folder() / "vectors.sqlite"))


def _rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _written(row):
    """As the product embeds it: the title in front."""
    return f"{row['title']}\n{row['text']}"


def _nmi(one, other):
    """Normalised mutual information, arithmetic mean of the entropies."""
    table = np.zeros((len(set(one)), len(set(other))))
    np.add.at(table, (np.unique(one, return_inverse=True)[1], np.unique(other, return_inverse=True)[1]), 1.0)
    joint = table / table.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    some = joint > 0
    shared = float((joint[some] * np.log(joint[some] / np.outer(rows, columns)[some])).sum())
    return 2 * shared / -float((rows * np.log(rows)).sum() + (columns * np.log(columns)).sum())


def _news_themes(data, embedder, method):
    rows = _rows(data / "ag_news" / "test.jsonl")
    random.Random(0).shuffle(rows)
    rows = rows[:NEWS]
    texts = [_written(row) for row in rows]
    ids = [row["id"] for row in rows]
    settings = LayerBSettings(method=method)
    themes = make_themes("news", "news/all", ids, embedder.passages(texts), [frozenset()] * NEWS, texts, settings)
    place = {member.chunk_id: theme.theme_id for theme in themes for member in theme.members if member.primary}
    return themes, [place[chunk_id] for chunk_id in ids], [row["label"] for row in rows]


def test_theme_purity(data, report, remembering):
    themes, places, labels = _news_themes(data, remembering, "communities")
    note = "; ".join(theme.label for theme in themes)
    report("theme purity, ag_news NMI", _nmi(places, labels), 0.57, note)
    report("themes of ag_news, at least 4", len(themes), 4)
    report("themes of ag_news, at most 40", -len(themes), -40)


def test_theme_purity_by_density(data, report, remembering):
    themes, places, labels = _news_themes(data, remembering, "density")
    outside = {theme.theme_id for theme in themes if theme.outlier}
    placed = [row for row, place in enumerate(places) if place not in outside]
    pure = _nmi([places[row] for row in placed], [labels[row] for row in placed])
    note = f"{len(themes)} themes; {1 - len(placed) / len(places):.0%} outliers; all chunks {_nmi(places, labels):.3f}"
    report("theme purity by density, placed chunks, ag_news NMI", pure, 0.70, note)


def test_paraphrases_are_found_and_origins_counted(data, report, remembering):
    """Lexical evidence without the titles, which the paraphrases share with their originals."""
    originals, paraphrases = _rows(data / "nfcorpus" / "corpus.jsonl"), _rows(data / "nfcorpus_llm" / "corpus.jsonl")
    rows = originals + paraphrases
    vectors = remembering.passages([_written(row) for row in rows])
    texts = [row["text"] for row in rows]
    own = [row["_id"] for row in rows]
    prints = {row["_id"]: shingles(row["text"]) for row in originals}
    found: Counter[str] = Counter()
    for one, other in restatements(vectors, texts):
        if own[one] == own[other]:
            found["right"] += 1
        elif jaccard(prints[own[one]], prints[own[other]]) < NEAR_IDENTICAL:
            found["wrong"] += 1
    recall, precision = found["right"] / len(paraphrases), found["right"] / (found["right"] + found["wrong"])
    report("near-duplicates, paraphrases of nfcorpus, recall", recall, 0.90)
    report("near-duplicates, paraphrases of nfcorpus, precision", precision, 0.985, f"{found['wrong']} wrong pairs")
    names = [f"{name} {number >= len(originals)}" for number, name in enumerate(own)]
    among_originals = set(origins(names[: len(originals)], vectors[: len(originals)], texts[: len(originals)]).values())
    everything = set(origins(names, vectors, texts).values())
    exact = 1 - abs(len(everything) - len(among_originals)) / len(among_originals)
    report("origins of abstracts with and without their paraphrases", exact, 0.98, f"{len(everything)} of {len(rows)}")
