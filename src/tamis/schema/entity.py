"""Named spans and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """One named span.

    Attributes:
        text: as written.
        key: the normal form that counts as "the same entity" (case-folded, whitespace and possessive removed).
        label: ORG, PER, LOC or MISC.
        start: character offset in the text that was read.
        end: one past the last character.
        confidence: 0.2 to 1.
    """

    text: str
    key: str
    label: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class EntityCount:
    """An entity as one document knows it.

    Attributes:
        key: see `Mention.key`.
        label: the label most mentions carry.
        mentions: how many.
        confidence: the highest of the mentions.
    """

    key: str
    label: str
    mentions: int
    confidence: float
