"""Which blocks of a page hold a given text: the best chain of blocks that follow each other in both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tamis.acquire.readers.markup.pieces import Piece

_WORD = re.compile(r"\w+")
_SHINGLE = 4
_COVERED = 0.5
"""Share of a block's shingles that must occur in the text."""
_MOST_PLACES = 4
"""Occurrences of a repeated passage that are tried, first ones first."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a block may stand in the text, in words, and how many of its words the text holds."""

    block: int
    start: int
    end: int
    weight: int


def _index(words: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    found: dict[tuple[str, ...], list[int]] = {}
    for at in range(len(words) - _SHINGLE + 1):
        found.setdefault(tuple(words[at : at + _SHINGLE]), []).append(at)
    return found


def _lines(text: str) -> dict[tuple[str, ...], list[int]]:
    """Where lines shorter than a shingle begin."""
    found: dict[tuple[str, ...], list[int]] = {}
    at = 0
    for line in text.split("\n"):
        words = tuple(_WORD.findall(line))
        if 0 < len(words) < _SHINGLE:
            found.setdefault(words, []).append(at)
        at += len(words)
    return found


def _places(
    block: int, own: list[str], index: dict[tuple[str, ...], list[int]], lines: dict[tuple[str, ...], list[int]]
) -> list[_Place]:
    count = len(own)
    if count < _SHINGLE:
        return [_Place(block, at, at + count, count) for at in lines.get(tuple(own), ())[:_MOST_PLACES]]
    hits = [at for at in range(count - _SHINGLE + 1) if tuple(own[at : at + _SHINGLE]) in index]
    if len(hits) < _COVERED * (count - _SHINGLE + 1):
        return []
    first, last = hits[0], hits[-1]
    starts = index[tuple(own[first : first + _SHINGLE])][:_MOST_PLACES]
    return [_Place(block, at, at + (last - first) + 1, len(hits) + _SHINGLE - 1) for at in starts]


def aligned(pieces: Sequence[Piece], text: str) -> list[bool]:
    """Which blocks hold the text, each passage of it claimed by one block.

    A page repeats its content (teasers, captions, lists of related items); the order tells the true place from its
    echoes. Weighted chain of non-crossing matches, found with a prefix-maximum tree in O(n log n).

    Args:
        pieces: the blocks of a page in document order.
        text: the text to find, one block a line.

    Returns:
        One flag a block.
    """
    words = _WORD.findall(text)
    index, lines = _index(words), _lines(text)
    size = len(words) + 1
    tree: list[tuple[int, int]] = [(0, -1)] * (size + 1)
    chain: list[tuple[_Place, int]] = []
    for block, piece in enumerate(pieces):
        fresh: list[tuple[int, tuple[int, int]]] = []
        for place in _places(block, _WORD.findall(piece.plain), index, lines):
            best = _prefix_maximum(tree, place.start + 1)
            chain.append((place, best[1]))
            fresh.append((place.end + 1, (best[0] + place.weight, len(chain) - 1)))
        for at, value in fresh:
            _raise(tree, min(at, size), value)
    kept = [False] * len(pieces)
    link = _prefix_maximum(tree, size)[1]
    while link >= 0:
        place, link = chain[link]
        kept[place.block] = True
    return kept


def _prefix_maximum(tree: list[tuple[int, int]], at: int) -> tuple[int, int]:
    best = (0, -1)
    while at > 0:
        if tree[at][0] > best[0]:
            best = tree[at]
        at -= at & -at
    return best


def _raise(tree: list[tuple[int, int]], at: int, value: tuple[int, int]) -> None:
    while at < len(tree):
        if value[0] > tree[at][0]:
            tree[at] = value
        at += at & -at
