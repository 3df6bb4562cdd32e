"""What it costs to read fetched text for orders to a model: beside asking, and beside an ingest."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from bench.material import Bench, timed
from bench.table import Row, median
from tamis.example import QUESTIONS
from tamis.reduce import reduce
from tamis.reduce.screening import probed, screened

_DOCUMENTS, _QUICK_DOCUMENTS = 200, 60
_ROUNDS, _QUICK_ROUNDS = 5, 2
_SHARE = 1.05
"""Most of the time without it that anything may take with it."""


def measure(bench: Bench) -> list[Row]:
    """Processor time with and without the quarantine; wall time says less on a busy machine."""
    return [_asking(bench), _reading(bench)]


def _asking(bench: Bench) -> Row:
    """A whole `Tamis.scroll` without a model, and the same less what was spent on reading passages for orders."""
    questions = QUESTIONS[:4] if bench.quick else QUESTIONS
    inside = 0.0

    def clocked(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            nonlocal inside
            started = time.process_time()
            found = function(*arguments)
            inside += time.process_time() - started
            return found

        return call

    def ask_all() -> None:
        for question in questions:
            bench.app.scroll(question, name=bench.kitchen, use_llm=False)

    ask_all()
    reduce.screened, reduce.probed = clocked(screened), clocked(probed)
    try:
        whole = timed(ask_all).cpu
    finally:
        reduce.screened, reduce.probed = screened, probed
    count = len(questions)
    return Row(
        "scroll with quarantine, cpu",
        whole / count,
        "s",
        peer=(whole - inside) / count,
        peer_name="without it",
        at_most=round(_SHARE * (whole - inside) / count, 4),
        note=f"{count} questions, everything embedded before; {1000 * inside / count:.1f} ms each",
    )


def _reading(bench: Bench) -> Row:
    """Reading every sentence of a collection for orders, added to the ingest that made it."""
    count = _QUICK_DOCUMENTS if bench.quick else _DOCUMENTS
    corpus = bench.work / "quarantine.jsonl"
    texts = [bench.texts[at % len(bench.texts)] for at in range(count)]
    rows = [{"_id": str(at), "title": title, "text": text} for at, (title, text) in enumerate(texts)]
    corpus.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    _ = bench.kitchen
    collection = bench.fresh_app("quarantine").collection("bench")
    ingested = timed(collection.ingest, [corpus]).cpu
    reading = median([timed(collection.quarantine).cpu for _ in range(_QUICK_ROUNDS if bench.quick else _ROUNDS)])
    return Row(
        "ingest and quarantine of all of it, cpu",
        ingested + reading,
        "s",
        peer=ingested,
        peer_name="without it",
        at_most=round(_SHARE * ingested, 2),
        note=f"{sum(len(text) for _, text in texts):,} characters of {count} documents",
    )
