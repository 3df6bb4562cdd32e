"""Questions that ask several things are split into parts that stand alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.plan.composite import split


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is WAL mode and how do I turn it on?", ("What is WAL mode?", "How do I turn WAL mode on?")),
        ("How long does cooked rice keep and why?", ("How long does cooked rice keep?", "Why does cooked rice keep?")),
        ("Who invented the microwave and when?", ("Who invented the microwave?", "When was the microwave invented?")),
        (
            "Who wrote the first compiler and when?",
            ("Who wrote the first compiler?", "When was the first compiler written?"),
        ),
        ("When and where was Ada Lovelace born?", ("When was Ada Lovelace born?", "Where was Ada Lovelace born?")),
        (
            "What are the symptoms of listeriosis, and how is it treated?",
            ("What are the symptoms of listeriosis?", "How is listeriosis treated?"),
        ),
        (
            "Which bacteria cause botulism and how are they killed?",
            ("Which bacteria cause botulism?", "How are bacteria killed?"),
        ),
        (
            "How long does white rice keep, and what about brown rice?",
            ("How long does white rice keep?", "How long does brown rice keep?"),
        ),
        (
            "Should raw chicken be washed? And what about turkey?",
            ("Should raw chicken be washed?", "Should turkey be washed?"),
        ),
        (
            "Can you freeze cooked rice and is it safe to reheat?",
            ("Can you freeze cooked rice?", "Is it safe to reheat cooked rice?"),
        ),
        (
            "I have leftover rice. Can I freeze it? And how long does it keep?",
            ("Can I freeze leftover rice?", "How long does leftover rice keep?"),
        ),
        (
            "How do I renew my passport and how much does it cost?",
            ("How do I renew my passport?", "How much does it cost to renew my passport?"),
        ),
        (
            "Do I need a power adapter in Italy, and which type?",
            ("Do I need a power adapter in Italy?", "Which type of power adapter do I need in Italy?"),
        ),
        ("What is a firewall and do I need one?", ("What is a firewall?", "Do I need a firewall?")),
        ("How are models trained, and does it cost much?", ("How are models trained?", "Do models cost much?")),
        (
            "What is an ETF, how does it work and what does it cost?",
            ("What is an ETF?", "How does the ETF work?", "What does the ETF cost?"),
        ),
        (
            "Explain garbage collection and compare it with reference counting",
            ("Explain garbage collection", "Compare garbage collection with reference counting"),
        ),
    ],
)
def test_parts_stand_alone(question: str, parts: tuple[str, ...]) -> None:
    assert split(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "Compare SQLite and PostgreSQL",
        "What is the difference between best before and use by?",
        "What is the difference between what a psychologist does and what a psychiatrist does?",
        "Should I use a list or a tuple?",
        "When I thaw meat, can I refreeze it?",
        "When I boil pasta, how much salt and water do I need?",
        "Which bacterium lives in soil and is killed by boiling?",
        "How do I install and configure a web server?",
        "Is honey safe or not?",
        "salt and pepper",
        "I left soup out overnight, is it still safe?",
    ],
)
def test_one_question_stays_whole(question: str) -> None:
    assert split(question) == (question,)


@given(st.text(max_size=200).filter(lambda text: bool(text.strip())))
def test_any_text_gives_at_least_one_part(text: str) -> None:
    parts = split(text)
    assert parts
    assert len(parts) == len(set(parts))
    assert len(parts) == 1 or all(parts)


def test_what_is_quoted_is_not_cut():
    question = 'What does "read the file and how to close it" mean?'
    assert split(question) == (question,)
