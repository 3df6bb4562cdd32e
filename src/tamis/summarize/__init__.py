"""Extractive summaries: one protocol, one registry, five methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tamis.errors import UnknownNameError
from tamis.summarize.extract import best, summarize
from tamis.summarize.protocol import Summarizer

if TYPE_CHECKING:
    from tamis.models.protocols import Embedder

__all__ = ["METHODS", "Summarizer", "best", "summarize", "summarizer"]


def _lexrank(_: Embedder | None) -> Summarizer:
    from tamis.summarize.lexrank import LexRank

    return LexRank()


def _lsa(_: Embedder | None) -> Summarizer:
    from tamis.summarize.lsa import Lsa

    return Lsa()


def _luhn(_: Embedder | None) -> Summarizer:
    from tamis.summarize.luhn import Luhn

    return Luhn()


def _frequency(_: Embedder | None) -> Summarizer:
    from tamis.summarize.frequency import Frequency

    return Frequency()


def _textrank(embedder: Embedder | None) -> Summarizer:
    from tamis.models.embedder import load_embedder
    from tamis.settings import EmbeddingSettings
    from tamis.summarize.textrank import TextRank

    return TextRank((embedder or load_embedder(EmbeddingSettings())).passages)


_REGISTRY: dict[str, Callable[[Embedder | None], Summarizer]] = {
    "lexrank": _lexrank,
    "lsa": _lsa,
    "luhn": _luhn,
    "nltk_freq": _frequency,
    "textrank": _textrank,
}
METHODS = tuple(_REGISTRY)
"""The names `summarizer` knows."""


def summarizer(name: str, *, embedder: Embedder | None = None) -> Summarizer:
    """The summariser of a name.

    Args:
        name: one of `METHODS`.
        embedder: for ``textrank``; None loads the packaged one.

    Raises:
        UnknownNameError: no such method.
    """
    make = _REGISTRY.get(name)
    if make is None:
        raise UnknownNameError(f'no summariser is called "{name}"', fix=f"one of: {', '.join(METHODS)}")
    return make(embedder)
