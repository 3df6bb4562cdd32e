"""Asking the example collection, in one process that is already warm."""

from __future__ import annotations

from bench.material import Bench, timed
from bench.table import Row, median, percentile
from tamis.example import QUESTIONS

_QUICK_QUESTIONS = 4


def measure(bench: Bench) -> list[Row]:
    """Wall time of `Tamis.scroll` without a model: everything from the question to the checked answer."""
    questions = QUESTIONS[:_QUICK_QUESTIONS] if bench.quick else QUESTIONS

    def ask(question: str) -> None:
        answer = bench.app.scroll(question, name=bench.kitchen, use_llm=False)
        if answer.tier != "extractive":
            raise RuntimeError(f"{question!r} was not answered")

    ask(questions[0])
    spent = [timed(ask, question) for question in questions]
    walls = [one.wall for one in spent]
    cpu = median([one.cpu for one in spent])
    note = f"{len(walls)} questions; p95 {percentile(walls, 0.95):.2f} s, cpu {cpu:.2f} s"
    return [Row("scroll, warm, no model", median(walls), "s", note=note)]
