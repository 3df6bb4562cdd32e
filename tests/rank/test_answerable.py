from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tamis.digest.calibration import calibrate, coherence, foreign_questions
from tamis.rank.answerable import Verdict, judge, reread
from tamis.rank.retrieval import retrieve


@pytest.fixture
def verdict(reader, embedder, recogniser, settings):
    def run(question):
        ranking = retrieve(question, reader=reader, embedder=embedder, recogniser=recogniser, settings=settings)
        return judge(question, ranking, reader=reader, settings=settings)

    return run


@pytest.mark.parametrize("question", ["How long does cooked rice keep?", "how do vaccines protect people?"])
def test_its_own_questions_are_answered(verdict, asked, question):
    found = verdict(asked(question))
    assert found.answered
    assert found.score > 0
    assert found.similarity >= found.threshold


@pytest.mark.parametrize("question", ["what does the new treaty say?", "which gearbox oil fits a tractor?"])
def test_foreign_questions_are_refused_and_the_missing_words_named(verdict, asked, question):
    found = verdict(asked(question))
    assert not found.answered
    assert found.similarity < found.threshold
    assert {"treaty", "tractor"} & set(found.missing_terms)


def test_reading_has_the_last_word_on_a_question(asked, settings):
    near, far = (Verdict(score >= 0, score, 0.6, 0.5, compared=score) for score in (3.0, -3.0))
    question = replace(asked("How many calories does cooked rice have?"), asks=True)
    assert not reread(near, question, -6.0, settings.answer).answered
    assert reread(far, question, 3.0, settings.answer).answered
    assert reread(replace(far, odds=3.0), question, -9.0, settings.answer).answered


def test_a_word_that_stands_nowhere_counts_against_an_answer(verdict, asked, settings):
    assert verdict(asked("How long does cooked rice from Patagonia keep?")).unknown == ("Patagonia",)
    known = Verdict(True, 3.0, 0.6, 0.5, compared=3.0)
    question = replace(asked("How long does almond milk keep?"), asks=True)
    assert reread(known, question, -2.0, settings.answer).answered
    assert not reread(replace(known, unknown=("almond",)), question, -2.0, settings.answer).answered


def test_what_does_not_ask_is_not_refused_for_not_being_answered(asked, settings):
    near, far = (Verdict(score >= 0, score, 0.6, 0.5, compared=score) for score in (3.0, -3.0))
    keywords = asked("cooked rice calories")
    assert reread(near, keywords, -9.0, settings.answer).answered
    assert reread(far, keywords, 4.0, settings.answer).answered
    long = replace(asked("why " * (settings.answer.read_words + 1)), asks=True)
    assert reread(near, long, -9.0, settings.answer).answered
    assert not reread(far, long, 9.0, settings.answer).answered


def test_calibration_does_not_depend_on_what_stands_beside(embedder):
    assert len(set(foreign_questions())) == len(foreign_questions()) >= 100
    vectors = embedder.passages(["Cooked rice keeps four days.", "Jam keeps a year.", "A vaccine trains the body."])
    found = calibrate(["a", "b", "c"], vectors, embedder=embedder)
    assert 0.0 < found.parameters["foreign_similarity"] < 0.5
    assert 0.0 < found.parameters["foreign_coherence"] < 1.0
    assert len(found.background) == vectors.shape[1]
    assert list(found.own) == sorted(found.own)
    assert len(found.own) == found.sample == 3
    assert calibrate([], vectors[:0], embedder=embedder).parameters == {}
    assert calibrate(["a", "a"], vectors[:2], embedder=embedder).own == ()


def test_coherence_is_the_mean_cosine_of_pairs():
    rows = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    assert coherence(rows) == pytest.approx((0.6 + 0.0 + 0.8) / 3, abs=1e-6)
    assert coherence(rows[:1]) == 1.0
