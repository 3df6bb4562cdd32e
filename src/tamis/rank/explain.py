"""Why an item stands where it stands (R4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tamis.rank.fusion import Fused, Signals, fuse, ranks
from tamis.schema.ranking import SignalShare

Scores = npt.NDArray[np.float64]


def places_without(contributions: Mapping[str, Scores], size: int) -> dict[str, npt.NDArray[np.int64]]:
    """Signal name → (N,) 1-based place of every candidate had the signal been left out."""
    places = {}
    for name in contributions:
        order = fuse(contributions, size, without=name).order
        place = np.empty(size, dtype=np.int64)
        place[order] = np.arange(1, size + 1)
        places[name] = place
    return places


def shares(signals: Signals, fused: Fused, rows: Sequence[int], *, explain: bool) -> list[dict[str, SignalShare]]:
    """The signals' parts in some items' places.

    Args:
        signals: all values.
        fused: the order they led to.
        rows: candidate positions of the items.
        explain: whether to compute where each would stand without a signal.

    Returns:
        Signal name → share for each row, in the order of ``signals``; signals that know no candidate are left out.
    """
    size = len(fused.scores)
    at = np.array(rows, dtype=np.int64)
    without = places_without(fused.contributions, size) if explain else {}
    place = np.empty(size, dtype=np.int64)
    place[fused.order] = np.arange(1, size + 1)
    nothing = np.zeros(size)
    columns: dict[str, list[SignalShare]] = {}
    for name, values in signals.items():
        if np.isnan(values).all():
            continue
        columns[name] = [
            SignalShare(value, rank, contribution, elsewhere)
            for value, rank, contribution, elsewhere in zip(
                np.round(np.nan_to_num(values[at]), 6).tolist(),
                ranks(values)[at].tolist(),
                np.round(fused.contributions.get(name, nothing)[at], 6).tolist(),
                without.get(name, place)[at].tolist() if explain else [0] * len(at),
                strict=True,
            )
        ]
    return [{name: column[row] for name, column in columns.items()} for row in range(len(at))]
