"""Extractive summaries: one protocol, one registry, five methods."""

from __future__ import annotations

from collections.abc import Callable

from tamis.errors import UnknownNameError
from tamis.summarize.protocol import Summarizer

__all__ = ["METHODS", "Summarizer", "summarizer"]


def _lexrank() -> Summarizer:
    from tamis.summarize.lexrank import LexRank

    return LexRank()


def _lsa() -> Summarizer:
    from tamis.summarize.lsa import Lsa

    return Lsa()


def _luhn() -> Summarizer:
    from tamis.summarize.luhn import Luhn

    return Luhn()


def _frequency() -> Summarizer:
    from tamis.summarize.frequency import Frequency

    return Frequency()


def _textrank() -> Summarizer:
    from tamis.summarize.overlap import TextRank

    return TextRank()


_REGISTRY: dict[str, Callable[[], Summarizer]] = {
    "lexrank": _lexrank,
    "lsa": _lsa,
    "luhn": _luhn,
    "nltk_freq": _frequency,
    "textrank": _textrank,
}
METHODS = tuple(_REGISTRY)
"""The names `summarizer` knows."""


def summarizer(name: str) -> Summarizer:
    """The summariser of a name.

    Args:
        name: one of `METHODS`.

    Raises:
        UnknownNameError: no such method.
    """
    make = _REGISTRY.get(name)
    if make is None:
        raise UnknownNameError(f'no summariser is called "{name}"', fix=f"one of: {', '.join(METHODS)}")
    return make()
