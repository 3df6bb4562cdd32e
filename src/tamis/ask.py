"""The ask walk: question ─ plan ─ rank ─ reduce ─ write ─ check ─ render.

Everything up to the writing happens without a language model. Data only moves forward: each step takes what the one
before returned, and nothing is kept between two runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamis.app import Tamis
    from tamis.schema.ranking import Ranking
    from tamis.store.protocols import CollectionReader


@dataclass(frozen=True, slots=True)
class Request:
    """What `scroll` was asked to do; see `tamis.app.Tamis.scroll`."""

    question: str
    names: tuple[str, ...]
    vibe: str | None = None
    limit: int = 30
    use_llm: bool = True
    explain: bool = False
    max_cost: float | None = None
    max_tokens: int | None = None
    language: str | None = None


def search(
    query: str,
    *,
    reader: CollectionReader,
    app: Tamis,
    recipe: str = "auto",
    limit: int = 10,
    explain: bool = False,
) -> Ranking:
    """Rank a collection's documents for a query, interpreted by rules alone."""
    from tamis.plan.interpret import interpret
    from tamis.rank.retrieval import retrieve

    question = interpret(query, recogniser=app.recogniser, settings=app.settings.interpret)
    return retrieve(
        question,
        reader=reader,
        embedder=app.embedder,
        recogniser=app.recogniser,
        settings=app.settings,
        recipe=recipe,
        limit=limit,
        explain=explain,
    )
