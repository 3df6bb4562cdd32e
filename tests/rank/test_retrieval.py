from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tamis.errors import UnknownNameError
from tamis.rank.recipes import RECIPES
from tamis.rank.retrieval import retrieve


@pytest.fixture
def rank(reader, embedder, recogniser, settings):
    def run(question, **options):
        return retrieve(question, reader=reader, embedder=embedder, recogniser=recogniser, settings=settings, **options)

    return run


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_every_recipe_puts_the_answer_first(rank, asked, recipe):
    ranking = rank(asked("How long does cooked rice keep in the refrigerator?"), recipe=recipe)
    assert ranking.items[0].document_id == "rice"
    assert [item.rank for item in ranking.items] == list(range(1, len(ranking.items) + 1))
    scores = [item.score for item in ranking.items]
    assert scores == sorted(scores, reverse=True)
    assert "four days" in ranking.items[0].snippet


def test_an_unknown_recipe_names_the_nearest(rank, asked):
    with pytest.raises(UnknownNameError, match="did you mean 'convex'"):
        rank(asked("rice"), recipe="convexx")


def test_one_half_answered_perfectly_outranks_both_halves_half_answered(rank, asked):
    question = asked(
        "How long does cooked rice keep, and how does a vaccine work?",
        "How long does cooked rice keep?",
        "How does a vaccine work?",
    )
    for recipe in RECIPES:
        if recipe == "bm25":
            continue
        found = [item.document_id for item in rank(question, recipe=recipe).items]
        assert {"rice", "vaccine"} == set(found[:2]), recipe
        assert found.index("both") > 1


def test_layers_are_named(rank, asked):
    ranking = rank(asked("What did Microsoft say in Dublin?", entities=("Microsoft", "Dublin")))
    assert ranking.layers["vector"] == 8
    assert ranking.layers["profile"] >= 3
    assert {"text", "vector", "profile"} == set(ranking.items[0].via)
    assert rank(asked("What did Microsoft say?", entities=("Microsoft",))).layers["profile"] == 0


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_what_is_quoted_must_stand_there_word_for_word(rank, asked, recipe):
    names = lambda question: {item.document_id for item in rank(asked(question), recipe=recipe).items}  # noqa: E731
    assert names('Who is "satya nadella" of Microsoft?') == {"microsoft", "nadella"}
    assert names("Who is “Satya Nadella”, who spoke about „cloud computing“?") == {"nadella"}
    assert {"rice", "both"} < names("How long does cooked rice keep?")


def test_a_quote_that_stands_nowhere_is_said_and_its_words_are_looked_for(rank, asked):
    ranking = rank(asked('How long does "rice cooked" keep?'))
    assert ranking.items[0].document_id == "rice"
    assert ranking.notes == ('no passage holds "rice cooked" word for word; looked for the words',)
    assert rank(asked('How long does "cooked rice" keep?')).notes == ()
    assert rank(asked('How long does "" or " ." keep?')).notes == ()


def test_one_quoted_word_and_a_long_text_insist_on_nothing(rank, asked):
    assert len(rank(asked('How long does "rice" keep?')).items) > 1
    assert rank(asked('What is "rice cooked" ' + "and so on " * 20)).notes == ()


def test_a_query_whose_words_stand_nowhere_says_so(rank, asked):
    assert "nearest in meaning" in rank(asked("zzyzx qwrk")).notes[0]
    assert rank(asked("cooked rice zzyzx")).notes == ()


def test_relatives_stand_below_the_last_at_nine_tenths(rank, asked):
    ranking = rank(asked("Microsoft opened an office in Ireland"), recipe="auto", limit=1)
    assert [item.document_id for item in ranking.items[:1]] == ["microsoft"]
    related = [item for item in ranking.items if item.via == ("entities",)]
    assert ranking.related == len(related) > 0
    assert {"nadella", "dublin"} & {item.document_id for item in related}
    assert related[0].score == pytest.approx(ranking.items[0].score * 0.9, abs=1e-5)
    assert all(item.snippet and item.chunk_id for item in related)
    assert rank(asked("Microsoft opened an office in Ireland"), limit=1, enrich=False).related == 0


def test_explaining_changes_nothing_and_says_where_an_item_would_stand(rank, asked):
    question = asked("How long does cooked rice keep?")
    plain, explained = rank(question, recipe="rrf"), rank(question, recipe="rrf", explain=True)
    assert [i.document_id for i in plain.items] == [i.document_id for i in explained.items]
    for item in explained.items:
        if item.via == ("entities",):
            continue
        assert item.signals["query"].rank >= 1
        assert item.score == pytest.approx(sum(share.contribution for share in item.signals.values()), abs=1e-5)
        assert all(share.rank_without >= 1 for share in item.signals.values())
    assert all(share.rank_without == 0 for share in plain.items[0].signals.values())


def test_a_vibe_is_a_signal(rank, asked, embedder):
    question = asked("How is it made?")
    vibe = embedder.passages(["sweet summer fruit, sugar, strawberries"])[0]
    without = [item.document_id for item in rank(question, recipe="convex").items]
    leaning = rank(question, recipe="convex", vibe=vibe)
    assert "vibe" in leaning.items[0].signals
    assert [i.document_id for i in leaning.items].index("jam") <= without.index("jam")


def test_the_clock_only_matters_when_it_is_given(rank, asked):
    question = asked("How long does cooked rice keep?")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert rank(question) == rank(question)
    assert rank(question, now=now).items[0].document_id == "rice"
