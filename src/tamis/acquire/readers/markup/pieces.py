"""The blocks a tree is written as, and how they become one text with anchors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from tamis.acquire.readers.markup.elements import Element
from tamis.schema.document import Anchor

Kind = Literal["heading", "paragraph", "item", "code", "table", "quote"]


@dataclass(slots=True)
class Piece:
    """One block of Markdown.

    Attributes:
        text: without line end, prefixes of lists and quotes included.
        plain: the same without prefixes and fences.
        kind: what it is.
        tight: joined to the block before by one line end, as list items are.
        level: of a heading, 1-6; else 0.
        ids: element ids that point to its start.
        links: link elements inside it with their text.
        element: the element it was written from.
    """

    text: str
    plain: str
    kind: Kind
    tight: bool = False
    level: int = 0
    ids: list[str] = field(default_factory=list)
    links: list[tuple[Element, str]] = field(default_factory=list)
    element: Element = None


def join(pieces: Iterable[Piece]) -> tuple[str, tuple[Anchor, ...], list[int]]:
    """Put blocks together.

    Returns:
        The text, its anchors ascending, and the offset of every block.
    """
    parts: list[str] = []
    anchors: list[Anchor] = []
    starts: list[int] = []
    seen: set[str] = set()
    offset = 0
    for piece in pieces:
        gap = "" if not parts else ("\n" if piece.tight else "\n\n")
        parts.append(gap + piece.text)
        start = offset + len(gap)
        starts.append(start)
        offset = start + len(piece.text)
        for name in piece.ids:
            if name not in seen:
                seen.add(name)
                anchors.append(Anchor(start, name))
    return "".join(parts), tuple(anchors), starts
