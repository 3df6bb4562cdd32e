"""Extracts against references: ROUGE F-measure × 100, Porter-stemmed, mean over the questions or articles."""

import json

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from tamis.reduce.compress import compress
from tamis.reduce.segments import content_weight
from tamis.reduce.select import mmr, question_similarity, select
from tamis.settings import ReduceSettings
from tamis.text.tables import prose_sentences

pytestmark = pytest.mark.gate
SETTINGS = ReduceSettings()
SCORER = RougeScorer(["rouge1", "rouge2"], use_stemmer=True)


def _rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _prose(text):
    return [" ".join(text[start:end].split()) for start, end in prose_sentences(text)]


def _content(sentences):
    return np.array([content_weight(sentence, "prose") for sentence in sentences], dtype=np.float32)


def _rouge(pairs):
    scores = [SCORER.score(reference, extract) for reference, extract in pairs]
    return tuple(100 * float(np.mean([score[name].fmeasure for score in scores])) for name in ("rouge1", "rouge2"))


def test_question_focused_extract(data, report, embedder):
    ours, plain = [], []
    for row in _rows(data / "mediqa_mas" / "validation.jsonl"):
        pieces = [(place, sentence) for place, text in enumerate(row["documents"]) for sentence in _prose(text)]
        owners, sentences = [place for place, _ in pieces], [sentence for _, sentence in pieces]
        vectors, query = embedder.passages(sentences), embedder.queries([row["question"]])
        chosen = select(query, vectors, groups=owners, content=_content(sentences), trade=SETTINGS.mmr_lambda, limit=8)
        simple = mmr(question_similarity(query, vectors), vectors, trade=SETTINGS.mmr_lambda, limit=8)
        ours.append((row["extractive_ref"], " ".join(sentences[index] for index in sorted(chosen))))
        plain.append((row["extractive_ref"], " ".join(sentences[index] for index in sorted(simple))))
    score = _rouge(ours)
    note = f"R2 {score[1]:.1f}; question cosine + MMR on the same sentences {_rouge(plain)[0]:.1f}"
    report("extract for a question, mediqa_mas R1", score[0], 57.5, note)


def test_compression(data, report, embedder):
    ours, lead = [], []
    for row in _rows(data / "cnndm_train100" / "all.jsonl"):
        sentences = _prose("\n\n".join(row["documents"]))
        vectors = embedder.passages(sentences)
        chosen = compress(vectors, _content(sentences), limit=3, settings=SETTINGS, lead=True)
        ours.append((row["references"][0], " ".join(sentences[index] for index in chosen)))
        lead.append((row["references"][0], " ".join(sentences[:3])))
    r1, r2 = _rouge(ours)
    base = _rouge(lead)
    report("compression, cnndm_train100 R1", r1, 34.5, f"first three sentences {base[0]:.1f}")
    report("compression, cnndm_train100 R2", r2, 14.2, f"first three sentences {base[1]:.1f}")
