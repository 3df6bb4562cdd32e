"""The packaged cross-encoder."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.models.reranker import OnnxReranker, load_reranker

QUESTION = "How long does cooked rice keep?"
PASSAGES = ["Cooked rice keeps for one or two days.", "Rice grows in flooded fields.", "The bus leaves at nine."]


@pytest.fixture(scope="module")
def reranker() -> OnnxReranker:
    return load_reranker()


def test_an_answer_stands_above_its_neighbours(reranker: OnnxReranker) -> None:
    odds = reranker.score(QUESTION, PASSAGES)
    assert odds[0] > odds[1] > odds[2]
    assert odds[0] > 0 > odds[2]


def test_a_passage_scores_the_same_in_any_company(reranker: OnnxReranker) -> None:
    together = reranker.score(QUESTION, PASSAGES)
    alone = np.concatenate([reranker.score(QUESTION, [passage]) for passage in PASSAGES])
    assert np.array_equal(together, alone)


def test_no_passages_no_scores(reranker: OnnxReranker) -> None:
    assert reranker.score(QUESTION, []).shape == (0,)


def test_a_long_passage_is_cut_and_still_scored(reranker: OnnxReranker) -> None:
    (odds,) = reranker.score(QUESTION, [PASSAGES[0] + " More about rice." * 2000])
    assert np.isfinite(odds)
