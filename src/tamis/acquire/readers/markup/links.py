"""Outgoing links with the words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urldefrag, urljoin, urlsplit

from tamis.acquire.readers.markup.elements import Element, text_of
from tamis.acquire.readers.markup.pieces import Piece
from tamis.schema.document import Link
from tamis.text.encoding import clean

_CONTEXT_CHARACTERS = 300
_LINKING = frozenset({"a", "area"})
_BREAKS = re.compile(r"[\t\n\r]")


def absolute(base: str, href: str) -> str:
    """The absolute http, https or file URL of a reference, fragment removed; empty for anything else."""
    try:
        url = urldefrag(urljoin(base, _BREAKS.sub("", href).strip())).url
        scheme, host = urlsplit(url).scheme, urlsplit(url).netloc
    except ValueError:
        return ""
    if scheme in {"http", "https"}:
        return url if host else ""
    return url if scheme == "file" and base.startswith("file:") else ""


def base_url(root: Element, url: str) -> str:
    """What relative links of a page are resolved against: ``<base href>``, else its own URL."""
    for base in root.iter("base"):
        if base.get("href"):
            return absolute(url, base.get("href")) or url
    return url


def _context(text: str, words: str) -> str:
    """The part of a block around the link's words."""
    text = " ".join(text.split())
    at = text.find(words) if words else -1
    if len(text) <= _CONTEXT_CHARACTERS or at < 0:
        return text[:_CONTEXT_CHARACTERS]
    start = max(0, at - (_CONTEXT_CHARACTERS - min(len(words), _CONTEXT_CHARACTERS)) // 2)
    return text[start : start + _CONTEXT_CHARACTERS].strip()


def page_links(
    root: Element, base: str, pieces: Sequence[Piece], starts: Sequence[int], length: int
) -> tuple[Link, ...]:
    """All links of a page in document order, none twice.

    Args:
        root: the whole page; navigation is part of where one can go.
        base: what relative links are resolved against.
        pieces: the blocks of the main content.
        starts: their offsets in the text.
        length: of the text, > 0.

    Returns:
        Links; those outside the main content have no context and position 1.
    """
    inside = {
        element: (words, piece, start)
        for piece, start in zip(pieces, starts, strict=True)
        for element, words in piece.links
    }
    found: dict[str, Link] = {}
    resolved: dict[str, str] = {}
    for element in root.iter("a", "area"):
        href = (element.get("href") or "").partition("#")[0]
        if not href:
            continue
        url = resolved.get(href)
        if url is None:
            url = resolved[href] = absolute(base, href)
        place = inside.get(element)
        if not url or (url in found and (place is None or found[url].context)):
            continue
        if place is None:
            shown = text_of(element) if element.tag == "a" else element.get("alt")
            found[url] = Link(url, " ".join(clean(shown or "").split()), "", 1.0)
        else:
            words, piece, start = place
            found[url] = Link(url, words, _context(piece.text, words), round(min(start / max(length, 1), 1.0), 4))
    return tuple(found.values())
