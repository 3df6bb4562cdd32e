"""The wording lists of `phrases.yaml`, compiled once."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

from tamis.text.yamls import load


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    loaded: dict[str, list[str]] = load(files("tamis.write").joinpath("phrases.yaml").read_text("utf-8"))
    return loaded


def _alternatives(name: str) -> str:
    # Longest first, so that "do not" is tried before "do".
    return "|".join(sorted(_lists()[name], key=lambda entry: (-len(entry), entry)))


@lru_cache(maxsize=64)
def anywhere(name: str) -> re.Pattern[str]:
    """Matches any entry of a list as whole words."""
    return re.compile(rf"(?<!\w)(?:{_alternatives(name)})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=64)
def opening(name: str) -> re.Pattern[str]:
    """Matches any entry of a list at the start of a text."""
    return re.compile(rf"(?:{_alternatives(name)})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=1)
def measure() -> re.Pattern[str]:
    """Matches a number followed by a unit."""
    amount = rf"(?:\d[\d.,]{{0,40}}+|(?<!\w)(?:{_alternatives('number')}|few)(?!\w))"
    return re.compile(rf"{amount}[\s–-]*+(?:to\s++{amount}\s++)?(?:{_alternatives('unit')})(?!\w)", re.IGNORECASE)
