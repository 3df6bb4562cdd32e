"""Which theme of a rebuild is which theme of before, and which shelf (L3, L4).

A theme keeps its id while most of its members stay. The overlap of a new theme with a former one is the number of
chunks they share, divided by the size of the former one, or by how many chunks of the new one existed before, whichever
is larger: chunks that vanished or left count against it, chunks that are new to the collection do not. Pairs are taken
by falling overlap, each theme once, down to ``stable_overlap``:

- *split*: the part that kept at least ``stable_overlap`` of the former theme has its id (of two equal halves, the one
  whose theme comes first); the other parts are new themes;
- *merge*: the former theme that makes up the most of the new one gives its id, if that is at least ``stable_overlap``
  of it; the other ids end;
- an id that has ended is not given to another theme in the same rebuild.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from tamis.schema.library import Theme


def kept_ids(new: Sequence[AbstractSet[str]], former: Sequence[Theme], overlap: float) -> dict[int, Theme]:
    """Pair the themes of a rebuild with those of before.

    Args:
        new: the primary members of each new theme.
        former: the themes of the same shelf before.
        overlap: least overlap, 0 to 1.

    Returns:
        Position in ``new`` → the theme it continues.
    """
    by_id = {theme.theme_id: theme for theme in former}
    found = paired(new, {theme_id: primary_members(theme) for theme_id, theme in by_id.items()}, overlap)
    return {position: by_id[theme_id] for position, theme_id in found.items()}


def paired(new: Sequence[AbstractSet[str]], former: Mapping[str, AbstractSet[str]], overlap: float) -> dict[int, str]:
    """Pair groups of chunks with those of before, by the rule above.

    Args:
        new: the chunks of each new group.
        former: id → the chunks it had.
        overlap: least overlap, 0 to 1.

    Returns:
        Position in ``new`` → the id it continues.
    """
    known: AbstractSet[str] = frozenset().union(*former.values())
    pairs = sorted(
        (-shared / max(len(members), len(chunks & known)), -shared, name, position)
        for position, chunks in enumerate(new)
        for name, members in former.items()
        if (shared := len(chunks & members))
    )
    kept: dict[int, str] = {}
    gone: set[str] = set()
    for negative, _, name, position in pairs:
        if -negative >= overlap and position not in kept and name not in gone:
            kept[position] = name
            gone.add(name)
    return kept


def primary_members(theme: Theme) -> frozenset[str]:
    """The chunks that belong to a theme more than to any other."""
    return frozenset(member.chunk_id for member in theme.members if member.primary)


def former_places(former: Sequence[Theme], chunk_ids: Sequence[str]) -> Mapping[str, int]:
    """Chunk → the position of the theme it belonged to, -1 for the outliers; new chunks are missing."""
    wanted = frozenset(chunk_ids)
    return {
        chunk_id: -1 if theme.outlier else position
        for position, theme in enumerate(former)
        for chunk_id in primary_members(theme) & wanted
    }
