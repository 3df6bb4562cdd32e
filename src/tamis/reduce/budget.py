"""Sharing a budget fairly: what the short ones leave goes to the long ones (K4)."""

from __future__ import annotations

from collections.abc import Sequence


def shares(demands: Sequence[int], budget: int) -> list[int]:
    """Water-filling: nobody gets more than asked, nobody wanting more gets less than another.

    Args:
        demands: what each would use, ≥ 0.
        budget: what there is in all.

    Returns:
        One share a demand, summing to at most the budget; earlier ones take the remainder of a division.
    """
    out = [0] * len(demands)
    left = max(0, budget)
    waiting = sorted(range(len(demands)), key=lambda index: (demands[index], index))
    while waiting:
        level = left // len(waiting)
        index = waiting[0]
        if demands[index] <= level:
            out[index] = demands[index]
            left -= demands[index]
            waiting.pop(0)
            continue
        spare = left - level * len(waiting)
        for place, index in enumerate(sorted(waiting)):
            out[index] = level + (1 if place < spare else 0)
        break
    return out
