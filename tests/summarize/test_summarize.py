import numpy as np
import pytest

from tamis.errors import UnknownNameError
from tamis.summarize import METHODS, Summarizer, best, summarize, summarizer
from tamis.summarize.textrank import TextRank, textrank

TEXT = """# Wool

Wool keeps warm because wool fibres hold air. Sheep give wool once a year, in spring.
Warm wool fibres also hold water, so wet wool still keeps warm.

| breed | kg |
|---|---|
| merino | 4.5 |
| drysdale | 6.1 |

Cotton cools. Warm air held between wool fibres is what keeps a shepherd warm in winter.
Trains run on time here.
"""
SENTENCES = [
    "Wool keeps warm because wool fibres hold air.",
    "Warm wool fibres also hold water.",
    "Trains run on time here.",
    "Warm air held between wool fibres keeps a shepherd warm.",
]


class Letters:
    def passages(self, texts):
        out = np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])
        return (out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)).astype(np.float32)


@pytest.fixture(params=METHODS)
def method(request):
    return summarizer(request.param, embedder=Letters())


def test_every_method_ranks_and_is_deterministic(method):
    assert isinstance(method, Summarizer)
    scores = method.rank(SENTENCES)
    assert scores.shape == (4,)
    assert np.isfinite(scores).all()
    assert (scores == method.rank(SENTENCES)).all()


def test_no_method_fails_on_little(method):
    assert method.rank([]).shape == (0,)
    assert method.rank(["Alone."]).shape == (1,)
    assert method.rank(["", "...", "of the"]).shape == (3,)


def test_every_method_gives_prose_in_order_and_never_the_table(method):
    spans = summarize(TEXT, method, 3)
    assert len(spans) == 3
    assert spans == sorted(spans)
    assert not any("|" in TEXT[start:end] for start, end in spans)


@pytest.mark.parametrize("name", ["lexrank", "luhn", "nltk_freq"])
def test_the_odd_one_out_is_ranked_last(name):
    scores = summarizer(name).rank(SENTENCES)
    assert int(np.argmin(scores)) == 2


def test_lexrank_is_a_distribution_and_prefers_the_connected():
    scores = summarizer("lexrank").rank(SENTENCES)
    assert scores.sum() == pytest.approx(1.0, abs=1e-4)
    assert scores[0] > 2 * scores[2]


def test_textrank_follows_the_graph():
    vectors = np.array([[1, 0, 0], [0.9, 0.1, 0], [0.8, 0.2, 0], [0, 0, 1]], dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = TextRank(lambda _: vectors).rank(["a", "b", "c", "d"])
    assert scores.sum() == pytest.approx(1.0, abs=1e-4)
    assert int(np.argmin(scores)) == 3
    pulled = textrank(vectors, prior=np.array([0, 0, 0, 1], dtype=np.float32))
    assert int(np.argmax(pulled)) == 3


def test_repeats_are_taken_only_when_nothing_else_is_left():
    said = ["Rope is made of hemp fibre.", "Rope is made of hemp fibre!", "Steel wire is stronger."]
    scores = np.array([3.0, 2.0, 1.0], dtype=np.float32)
    assert best(said, scores, 2) == [0, 2]
    assert best(said, scores, 3) == [0, 1, 2]


def test_an_unknown_method_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="lexrnk") as caught:
        summarizer("lexrnk")
    assert "lexrank" in caught.value.fix
