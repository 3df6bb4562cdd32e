import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.errors import UnknownNameError
from tamis.schema.document import Chunk
from tamis.settings_library import LayerCSettings
from tamis.summarize import METHODS, Summarizer, summarizer
from tamis.summarize.selection import best, chosen, pieces, select, theme_sentences
from tamis.summarize.terms import content_terms
from tamis.summarize.textrank import textrank

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
WORDS = "iron zinc milk bone kale salt fish rice bean corn oats figs plum lime mint sage dill leek beet pear".split()


@pytest.fixture(params=METHODS)
def method(request):
    return summarizer(request.param)


def made_up(count, seed=0):
    rng = np.random.default_rng(seed)
    return [
        " ".join(rng.choice(WORDS, rng.integers(4, 9))).capitalize() + f" near {'x' * (n % 7)}place."
        for n in range(count)
    ]


def chunk(number, text):
    return Chunk(f"d#c{number}", "d", number, 0, len(text), text)


def layer_c(**changes):
    return LayerCSettings(**changes)


def test_every_method_ranks_and_is_deterministic(method):
    assert isinstance(method, Summarizer)
    scores = method.rank(SENTENCES)
    assert scores.shape == (4,)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    assert (scores == method.rank(SENTENCES)).all()


@pytest.mark.parametrize(
    "sentences",
    [
        [],
        ["Alone."],
        ["", "...", "of the"],
        ["Iron is a metal."] * 30,
        ["东京是日本的首都。", "日本的首都很大。", "大阪也很大。"],
        ["Железо нужно крови.", "Крови нужно железо и кислород."],
        ["word " * 200_000],
    ],
    ids=["none", "one", "no words", "identical", "unspaced", "cyrillic", "a megabyte"],
)
def test_no_method_fails_on_the_unusual(method, sentences):
    scores = method.rank(sentences)
    assert scores.shape == (len(sentences),)
    assert np.isfinite(scores).all()
    assert len(set(scores.tolist())) == 1 or len(set(sentences)) > 1 or not sentences


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=12), st.sampled_from(METHODS))
def test_any_text_gets_finite_scores(sentences, name):
    scores = summarizer(name).rank(sentences)
    assert scores.shape == (len(sentences),)
    assert np.isfinite(scores).all()


def test_every_method_gives_prose_in_order_and_never_the_table(method):
    found = pieces(TEXT)
    for name in METHODS:
        picked = chosen([sentence for sentence, _ in found], layer_c(stage1_method=name, sentences=3))
        rows = [row for row, _ in picked]
        assert len(rows) == 3
        assert rows == sorted(rows)
    assert all(" ".join(TEXT[start:end].split()) == sentence for sentence, (start, end) in found)
    assert not any("|" in sentence for sentence, _ in found)


@pytest.mark.parametrize("name", ["luhn", "nltk_freq", "textrank"])
def test_the_odd_one_out_is_ranked_last(name):
    scores = summarizer(name).rank(SENTENCES)
    assert int(np.argmin(scores)) == 2


def test_lexrank_of_a_graph_worked_out_by_hand():
    # a-b and b-c are linked, d stands alone; a walk of three steps from even scores ends near these.
    said = ["red red apple", "red green", "green green pear", "blue sky"]
    scores = summarizer("lexrank").rank(said)
    assert scores[1] == max(scores)
    assert scores[0] == pytest.approx(scores[2], abs=2e-3)
    assert scores[3] < scores[1]


def test_textrank_equals_the_walk_over_the_written_out_graph():
    said = [content_terms(sentence) for sentence in made_up(40)]
    size = len(said)
    weight = np.zeros((size, size))
    for i, left in enumerate(said):
        for j, right in enumerate(said):
            if i != j:
                weight[i, j] = len(set(left) & set(right)) / (np.log(len(left)) + np.log(len(right)))
    flow = weight / weight.sum(axis=1, keepdims=True)
    score = np.full(size, 1 / size)
    for _ in range(100):
        score = 0.15 / size + 0.85 * (score @ flow)
    assert summarizer("textrank").rank(made_up(40)) == pytest.approx(score, abs=1e-5)


def test_luhn_counts_the_distinct_words_of_the_densest_cluster():
    scores = summarizer("luhn").rank(
        ["iron zinc iron", "iron zinc milk", "iron plum plum corn sage mint dill zinc", "milk"]
    )
    assert int(np.argmax(scores)) == 1
    assert scores[3] == 0


def test_textrank_over_vectors_follows_the_graph():
    vectors = np.array([[1, 0, 0], [0.9, 0.1, 0], [0.8, 0.2, 0], [0, 0, 1]], dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = textrank(vectors)
    assert scores.sum() == pytest.approx(1.0, abs=1e-4)
    assert int(np.argmin(scores)) == 3
    pulled = textrank(vectors, prior=np.array([0, 0, 0, 1], dtype=np.float32))
    assert int(np.argmax(pulled)) == 3


def test_repeats_are_taken_only_when_nothing_else_is_left_and_the_same_words_never():
    said = [
        "Rope is made of hemp fibre.",
        "Rope is made of hemp fibre!",
        "Steel wire is stronger.",
        "ROPE is made of hemp fibre.",
    ]
    scores = np.array([3.0, 2.0, 1.0, 0.5], dtype=np.float32)
    assert best(said, scores, 2, repeats=0.6) == [0, 2]
    assert best(said, scores, 3, repeats=0.6) == [0, 1, 2]
    assert best(said, scores, 9, repeats=0.6) == [0, 1, 2]


def test_words_are_told_from_numbers_units_and_clitics():
    assert content_terms("The cat's 12 low-fat meals (5 mmol/l) don't help; e.g. Dr. Li's.") == [
        "cat",
        "low-fat",
        "meal",
        "n't",
        "dr",
        "li",
    ]
    assert content_terms("首都东京") == ["首都", "都东", "东京"]


def test_a_selected_sentence_keeps_its_chunk_and_span():
    chunks = [chunk(0, "Kale has\n**calcium**. | a | 1 | b | 2 | c | 3 | Milk has it too."), chunk(1, TEXT)]
    sentences = theme_sentences(chunks)
    for row in select(sentences, layer_c(sentences=4)):
        one = sentences[row]
        assert "|" not in one.text
        source = chunks[int(one.chunk_id[-1])].text[one.start : one.end]
        assert " ".join(source.replace("*", "").split()) == one.text


def test_a_large_theme_is_summarised_in_groups_and_nothing_is_left_out_before(monkeypatch):
    texts = made_up(1000)
    seen = []

    class Watching:
        def rank(self, sentences):
            seen.append(list(sentences))
            return np.arange(len(sentences), dtype=np.float32)

    monkeypatch.setattr("tamis.summarize.selection.summarizer", lambda _: Watching())
    how = layer_c(map_reduce_threshold=100, group_characters=2000, sentences=4)
    picked = chosen(texts, how)
    groups = [group for group in seen if sum(map(len, group)) <= 2000]
    assert [text for group in groups for text in group][:1000] == texts
    assert len(seen[-1]) <= 100
    assert len(picked) == 4
    assert len(seen) > 20


@pytest.mark.parametrize("characters", [1, 60, 20_000])
def test_groups_too_small_to_shorten_end_all_the_same(characters):
    picked = chosen(made_up(30), layer_c(map_reduce_threshold=10, group_characters=characters, sentences=8))
    assert len(picked) == 8


def test_below_the_threshold_nothing_is_grouped():
    texts = made_up(100)
    whole = chosen(texts, layer_c())
    assert whole == chosen(texts, layer_c(group_characters=50))


@pytest.mark.parametrize("chunks", [[], [chunk(0, "| a | b |\n|---|---|\n| 1 | 2 |\n")], [chunk(0, "")]])
def test_a_theme_without_prose_has_an_empty_extract(chunks):
    assert select(theme_sentences(chunks), layer_c()) == []


def test_identical_chunks_say_it_once():
    sentences = theme_sentences([chunk(n, "Iron is needed for blood.") for n in range(500)])
    assert select(sentences, layer_c()) == [0]


def test_an_unknown_method_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="lexrnk") as caught:
        summarizer("lexrnk")
    assert "lexrank" in caught.value.fix
