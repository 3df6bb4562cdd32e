"""Results kept for short strings: a cache whose memory has a bound, whatever the texts are made of.

A cache counts its entries, not their bytes; a page of words a megabyte long would fill it for the life of the process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

LONGEST = 64
"""Characters of a string that is remembered: more than a pair of long words has."""


def remembered(maxsize: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Keep what a pure function of a string gives, for strings that are not too long.

    Args:
        maxsize: strings kept, the ones used last.
    """

    def wrapped(function: Callable[[str], T]) -> Callable[[str], T]:
        kept = lru_cache(maxsize)(function)

        @wraps(function)
        def run(text: str) -> T:
            return kept(text) if len(text) <= LONGEST else function(text)

        return run

    return wrapped
