"""How signals become one order, by name. A recipe says which layers it asks and how it weighs what they bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import numpy.typing as npt

from tamis.errors import UnknownNameError
from tamis.rank.fusion import Signals, convex, reciprocal
from tamis.schema.question import QueryType
from tamis.schema.ranking import Via
from tamis.settings import RankSettings, WeightRow

Scores = npt.NDArray[np.float64]
Contributions = Callable[[Signals, WeightRow, Mapping[str, float], RankSettings], dict[str, Scores]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to rank.

    Attributes:
        name: as printed.
        layers: the retrieval layers it asks.
        contributions: signals, weight row, floors and settings → each signal's part of the score.
        refines: whether the question is refined by the best documents of a first pass.
    """

    name: str
    layers: tuple[Via, ...]
    contributions: Contributions
    refines: bool = False


def _one(name: str) -> Contributions:
    def contributions(
        signals: Signals, row: WeightRow, floors: Mapping[str, float], settings: RankSettings
    ) -> dict[str, Scores]:
        del row, floors, settings
        return {name: np.nan_to_num(signals[name], nan=-1.0)}

    return contributions


def _by_rank(
    signals: Signals, row: WeightRow, floors: Mapping[str, float], settings: RankSettings
) -> dict[str, Scores]:
    del floors
    return reciprocal(signals, row.model_dump(), k=settings.rrf_k)


def _by_score(
    signals: Signals, row: WeightRow, floors: Mapping[str, float], settings: RankSettings
) -> dict[str, Scores]:
    return convex(signals, convex_weights(row, settings), floors=floors)


def convex_weights(row: WeightRow, settings: RankSettings) -> dict[str, float]:
    """Weights for scaled scores: BM25 against similarity as tuned, the vibe in its published proportion to them.

    Freshness, authority and quality are ranks' business: scaled by their extremes they would outweigh relevance.
    """
    relevance = row.bm25 + row.query or 1.0
    return {
        "bm25": settings.bm25_weight,
        "query": 1.0 - settings.bm25_weight,
        "vibe": row.vibe / relevance,
    }


_ALL: tuple[Via, ...] = ("text", "vector", "profile")
RECIPES: Mapping[str, Recipe] = {
    "bm25": Recipe("bm25", ("text",), _one("bm25")),
    "dense": Recipe("dense", ("vector",), _one("query")),
    "rrf": Recipe("rrf", _ALL, _by_rank),
    "convex": Recipe("convex", _ALL, _by_score),
    "auto": Recipe("convex+feedback", _ALL, _by_score, refines=True),
}
"""``auto`` is what the gates chose, see docs/ranking.md."""


def find_recipe(name: str) -> Recipe:
    """A recipe by name.

    Raises:
        UnknownNameError: no such recipe.
    """
    recipe = RECIPES.get(name)
    if recipe is None:
        near = get_close_matches(name, RECIPES, n=1)
        raise UnknownNameError(
            f"no recipe is called {name!r}",
            fix=f"did you mean {near[0]!r}?" if near else f"known recipes: {', '.join(RECIPES)}",
        )
    return recipe


def weight_row(query_type: QueryType, settings: RankSettings, *, collection: bool = True) -> WeightRow:
    """The weights of a query type (R3); a collection has rows of its own.

    Raises:
        UnknownNameError: the settings hold no such row.
    """
    name: str = query_type
    if collection:
        name = "collection roundup" if query_type == "roundup" else "collection"
    row = settings.weights.get(name)
    if row is None:
        raise UnknownNameError(f"no weights are set for {name!r}", fix=f"add rank.weights.{name!r} to your settings")
    return row
