"""What the wording alone says."""

from __future__ import annotations

import pytest

from tamis.plan.traits import answer_shape, cues, query_type, ruled_intent, strong_intent, time_sensitivity, tone
from tamis.schema.question import AnswerShape, Intent, QueryType, TimeSensitivity


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("What is freezer burn?", "definition"),
        ("what does pH mean", "definition"),
        ("What's the two-hour rule?", "definition"),
        ("What are the symptoms of listeriosis?", "general"),
        ("How do I make sauerkraut?", "steps"),
        ("What's the best way to thaw a turkey?", "steps"),
        ("Hi, can you tell me how long rice keeps?", "quantity"),
        ("At what temperature does chicken have to be cooked?", "quantity"),
        ("how many minutes", "quantity"),
        ("When was canning invented?", "time"),
        ("How long ago was canning invented?", "time"),
        ("When should I use a generator instead of a list?", "general"),
        ("When should I plant garlic?", "time"),
        ("butter vs margarine", "comparison"),
        ("Is butter better than margarine?", "comparison"),
        ("Butter or margarine for pastry?", "comparison"),
        ("Is it safe to refreeze meat?", "yesno"),
        ("I left soup on the stove, can I still eat it?", "yesno"),
        ("When I thaw meat, can I refreeze it?", "yesno"),
        ("Who discovered penicillin?", "person"),
        ("Where do eggs belong?", "place"),
        ("rice refrigerator", "general"),
        ("Why does honey crystallise?", "general"),
    ],
)
def test_answer_shape(question: str, shape: AnswerShape) -> None:
    assert answer_shape(question) == shape


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How do I compare two lists?", "howto"),
        ("How do I write a research paper?", "howto"),
        ("SQLite vs Postgres", "comparison"),
        ("Timeline of the Apollo programme", "timeline"),
        ("latest news on batteries", "news"),
        ("a deep dive into yeast", "deep_dive"),
        ("what do studies say about fasting", "research"),
        ("top 10 cookbooks", "roundup"),
    ],
)
def test_wording_without_doubt(question: str, intent: Intent) -> None:
    assert strong_intent(question) == intent
    assert ruled_intent(question) == intent


def test_weak_wording_and_none() -> None:
    assert strong_intent("Is rice gluten free?") is None
    assert ruled_intent("Is rice gluten free?") == "qa"
    assert ruled_intent("fix a dripping tap") == "howto"
    assert ruled_intent("Butter or margarine?") == "comparison"


@pytest.mark.parametrize(
    ("question", "intent", "time"),
    [
        ("What is happening in the harbour right now?", "news", "breaking"),
        ("strikes today", "news", "today"),
        ("the latest on the recall", "news", "week"),
        ("salmon recall", "news", "week"),
        ("Why is the sky blue?", "qa", "any"),
    ],
)
def test_time_sensitivity(question: str, intent: Intent, time: TimeSensitivity) -> None:
    assert time_sensitivity(question, intent) == time


@pytest.mark.parametrize(
    ("question", "intent", "row"),
    [
        ("What is WAL mode?", "qa", "explainer"),
        ("Why does bread go stale?", "qa", "explainer"),
        ("What does the star in front of an argument do?", "qa", "explainer"),
        ("Who discovered penicillin?", "qa", "general"),
        ("How do I make jam?", "howto", "explainer"),
        ("jam vs jelly", "comparison", "comparison"),
        ("history of jam", "timeline", "timeline"),
        ("jam news", "news", "roundup"),
    ],
)
def test_row_of_weights(question: str, intent: Intent, row: QueryType) -> None:
    assert query_type(question, intent, answer_shape(question)) == row


def test_tone() -> None:
    assert tone("Explain mould in a funny way") == "funny"
    assert tone("ELI5: what is mould?") == "simple"
    assert tone("What is mould?") == ""


def test_cues_have_one_of_each_kind() -> None:
    short, other = cues("Why?"), cues("How do I make jam?")
    assert len(short) == len(other)
    assert sum(short) == sum(other) == 3.0
    assert short != other
