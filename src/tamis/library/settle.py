"""Keeping themes as they are while little changes, so that one changed document touches its own themes alone (L1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tamis.models.protocols import Matrix
from tamis.schema.library import Member, Theme
from tamis.store.dense import nearest

MOST_CHANGED = 0.1
"""Share of the passages of a shelf that may change before its communities are looked for anew."""
_VOTERS = 5


def settle(
    previous: Sequence[Theme],
    then: Mapping[str, str],
    now: Mapping[str, str],
    ids: Sequence[str],
    vectors: Matrix,
) -> list[Theme] | None:
    """The themes of a shelf after a small change: what left is taken out, what came joins its nearest neighbours.

    Args:
        previous: the themes as they were.
        then: chunk id → hash of its text when they were made.
        now: chunk id → hash of its text, of every chunk on the shelf.
        ids: (N,) the keys of ``now`` in the order of ``vectors``.
        vectors: (N, D).

    Returns:
        The themes, in their order; None where there were none or too much has changed.
    """
    same = {name for name, text in now.items() if then.get(name) == text}
    changes = max(len(now), len(then)) - len(same)
    if not previous or not same or changes > max(1.0, MOST_CHANGED * len(now)):
        return None
    if not changes:
        return list(previous)
    home = {member.chunk_id: theme.theme_id for theme in previous for member in theme.members if member.primary}
    homes = {name: home[name] for name in ids if name in same and name in home}
    joined: dict[str, list[Member]] = {}
    for name, (theme_id, weight) in nearest_homes(homes, ids, vectors).items():
        joined.setdefault(theme_id, []).append(Member(name, weight))
    settled = []
    for theme in previous:
        kept = [member for member in theme.members if member.chunk_id in same]
        members = sorted([*kept, *joined.get(theme.theme_id, [])], key=lambda m: (-m.weight, m.chunk_id))
        if members:
            settled.append(replace(theme, members=tuple(members)))
    return settled


def nearest_homes(homes: Mapping[str, str], ids: Sequence[str], vectors: Matrix) -> dict[str, tuple[str, float]]:
    """Where the nearest neighbours of the homeless live.

    Args:
        homes: chunk id → its home.
        ids: (N,) all chunks.
        vectors: (N, D).

    Returns:
        Chunk id → home and mean cosine with the neighbours that voted, for every chunk without a home.
    """
    settled = [row for row, name in enumerate(ids) if name in homes]
    known = vectors[np.array(settled, dtype=np.int64)]
    found: dict[str, tuple[str, float]] = {}
    for row, name in enumerate(ids):
        if name in homes or not settled:
            continue
        rows, cosines = nearest(known, vectors[row], _VOTERS)
        votes: dict[str, float] = {}
        for at, cosine in zip(rows.tolist(), cosines.tolist(), strict=True):
            home = homes[ids[settled[at]]]
            votes[home] = votes.get(home, 0.0) + cosine
        winner = min(votes, key=lambda home: (-round(votes[home], 6), home))
        found[name] = winner, round(float(np.clip(cosines.mean(), 0.0, 1.0)), 4)
    return found
