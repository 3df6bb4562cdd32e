"""A question interpreted as a whole, with the real embedder and without any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.errors import UsageError
from tamis.models.embedder import OnnxEmbedder
from tamis.plan.interpret import interpret
from tamis.plan.traits import INTENTS
from tamis.schema.entity import Mention
from tamis.settings import InterpretSettings

SETTINGS = InterpretSettings()


class Names:
    """Finds the words it was given."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def mentions(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        return [
            tuple(
                Mention(name, name.lower(), "ORG", text.index(name), text.index(name) + len(name), 0.9)
                for name in self.names
                if name in text
            )
            for text in texts
        ]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("question", ["", "   \n\t", "???"])
def test_empty_question_is_refused_with_a_fix(question: str) -> None:
    with pytest.raises(UsageError, match="empty") as caught:
        interpret(question, settings=SETTINGS)
    assert caught.value.exit_code == 2 and caught.value.fix


def test_too_long_question_names_both_numbers() -> None:
    with pytest.raises(UsageError, match=r"4001 characters, more than 4000"):
        interpret("a" * 4001, settings=SETTINGS)
    assert interpret("a" * 4000, settings=SETTINGS).intent == "qa"


def test_rules_alone() -> None:
    found = interpret("  How do I   freeze\nbread? ", settings=SETTINGS)
    assert found.question == "How do I freeze bread?"
    assert (found.intent, found.query_type, found.shape, found.via) == ("howto", "explainer", "steps", "rules")
    assert found.categories == () and found.confidence == 0.0
    assert found.subqueries == ("How do I freeze bread?",)
    assert found.queries == ("How do I freeze bread", "freeze bread guide")


def test_a_near_example_decides(embedder: OnnxEmbedder, cache: Path) -> None:
    found = interpret(
        "How long can I keep cooked turkey in the fridge?", embedder=embedder, settings=SETTINGS, cache=cache
    )
    assert found.via == "exemplar"
    assert found.confidence >= 0.55
    assert found.intent == "qa"
    assert found.categories[0][0] == "food"
    assert all(0.0 <= weight <= 1.0 for _, weight in found.categories)


def test_below_the_floor_and_composite_go_by_rules(embedder: OnnxEmbedder, cache: Path) -> None:
    strict = SETTINGS.model_copy(update={"exemplar_floor": 0.999})
    assert interpret("Is cooked turkey safe?", embedder=embedder, settings=strict, cache=cache).via == "rules"
    both = interpret("What is kefir and how do I make it?", embedder=embedder, settings=SETTINGS, cache=cache)
    assert both.composite and both.via == "rules"
    assert both.subqueries == ("What is kefir?", "How do I make kefir?")
    assert both.queries == ("What is kefir", "How do I make kefir")


def test_same_question_same_answer(embedder: OnnxEmbedder, cache: Path) -> None:
    question = "Which is better for jam, pectin or apples?"
    found = interpret(question, embedder=embedder, settings=SETTINGS, cache=cache)
    assert found.intent == "comparison"
    assert found == interpret(question, embedder=embedder, settings=SETTINGS, cache=cache)


@pytest.mark.parametrize(
    ("question", "sources", "query"),
    [
        ("What's new in Zig from Hacker News?", ("hn",), "What's new in Zig"),
        ("What do people on r/Python think about uv?", ("reddit:python",), "What do people think about uv"),
        ("best pizza on reddit", ("reddit:all",), "best pizza"),
        ("What is kefir according to Wikipedia?", ("wikipedia:What is kefir",), "What is kefir"),
        ("papers on yeast from arXiv", ("arxiv:papers on yeast",), "papers on yeast"),
        ("strikes on BBC News and from the Guardian", ("bbc", "guardian"), None),
        ("Summarise https://example.org/a?b=c, please", ("https://example.org/a?b=c",), None),
        ("Is the guardian of a child liable?", (), "Is the guardian of a child liable"),
        ("Who founded Reddit?", (), "Who founded Reddit"),
    ],
)
def test_named_sources(question: str, sources: tuple[str, ...], query: str | None) -> None:
    found = interpret(question, settings=SETTINGS)
    assert found.sources == sources
    if query is not None:
        assert found.queries[0] == query


def test_entities_get_a_query_of_their_own() -> None:
    found = interpret(
        "Why did Larder Notes buy Acme last year?", recogniser=Names("Larder Notes", "Acme"), settings=SETTINGS
    )
    assert found.entities == ("Larder Notes", "Acme")
    assert found.queries[-1].startswith('"Larder Notes" Acme')
    assert 1 <= len(found.queries) <= 3


def test_other_languages_are_said() -> None:
    found = interpret("Wie lange kann man gekochten Reis im Kühlschrank aufbewahren?", settings=SETTINGS)
    assert found.language == "de"
    assert found.notes and "de" in found.notes[0]
    assert interpret("How long does cooked rice keep?", settings=SETTINGS).language == "en"


@given(st.text(min_size=1, max_size=300))
def test_any_text_is_interpreted_or_refused(text: str) -> None:
    try:
        found = interpret(text, settings=SETTINGS)
    except UsageError:
        return
    assert found.intent in INTENTS
    assert 1 <= len(found.queries) <= 3
    assert found.subqueries and found.composite == (len(found.subqueries) > 1)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("How long does rice keep?", True),
        ("how do i rotate the keys", True),
        ("Hi, can you tell me how long rice keeps?", True),
        ("is walking good", True),
        ("what is simple better than", True),
        ("And what of vitamin D?", True),
        ("Fighting the blues with greens?", False),
        ("How to live longer in four easy steps", False),
        ("Installing the test rig", False),
        ("cooked rice calories", False),
        ("Wie lange hält sich gekochter Reis im Kühlschrank?", False),
    ],
)
def test_questions_are_told_from_titles_and_keywords(text, asks):
    assert interpret(text, settings=InterpretSettings()).asks is asks
