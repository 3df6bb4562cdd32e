"""Endless sites: which form of address the visits of a crawl went to, so that its report can name the trap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tamis.text import urls

_DIGITS = re.compile(r"\d+")
_VALUE = re.compile(r"=[^&]*")
_LEAST = 20
_LEAST_SHARE = 0.5


def form(url: str) -> str:
    """The form of an address: its path with numbers as ``#`` and repeated stretches once, and its query's names."""
    path = _once(_DIGITS.sub("#", urls.path(url)).split("/"))
    query = url.partition("?")[2]
    return f"{path}?{_VALUE.sub('', query)}" if query else path


def _once(segments: list[str]) -> str:
    """A path of which each directly repeated segment, or pair of segments, is left once."""
    kept: list[str] = []
    for segment in segments:
        kept.append(segment)
        for width in (1, 2):
            if len(kept) > 2 * width and kept[-width:] == kept[-2 * width : -width]:
                del kept[-width:]
    return "/".join(kept)


class Visits:
    """The visits of a crawl: how many it may still make, and what form of address they went to.

    Args:
        limit: of all of them.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit
        self._forms: Counter[str] = Counter()

    def add(self, url: str) -> None:
        """Count one."""
        self.left -= 1
        self._forms[form(url)] += 1

    def notes(self, *, stored: int, turned_away: int) -> Iterator[str]:
        """What a crawl that left pages unvisited should say about it.

        Args:
            stored: pages it stored.
            turned_away: links it did not queue.
        """
        if self.left <= 0:
            yield (
                f"{self.limit:,} pages were asked for and {stored:,} stored; a crawl ends there (crawl.visits_per_page)"
            )
        if turned_away:
            yield f"{turned_away:,} links were not followed: more pages were waiting than may be visited"
        if self._trap():
            yield self._trap()

    def _trap(self) -> str:
        """What most visits went to, in a user's words; empty where no form stands out."""
        total = self.limit - self.left
        count, shape = max(((count, shape) for shape, count in self._forms.items()), default=(0, ""))
        if count < _LEAST or count < _LEAST_SHARE * total:
            return ""
        glob = shape.partition("?")[0].replace("#", "*")
        return f"{count:,} of {total:,} visits went to addresses like {shape}; --exclude '{glob}' leaves them out"
