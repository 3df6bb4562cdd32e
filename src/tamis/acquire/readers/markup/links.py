"""Outgoing links with the words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urldefrag, urljoin, urlsplit

from tamis.acquire.readers.markup.elements import Element, text_of
from tamis.acquire.readers.markup.pieces import Piece
from tamis.schema.document import Link
from tamis.text.encoding import clean
from tamis.text.urls import without_credentials

_CONTEXT_CHARACTERS = 300
_LOOK_AHEAD = 20_000
"""Characters behind one link's words in which the next one's are looked for."""
MOST_LINKS = 50_000
"""Of one page; no crawl visits as many."""
_BREAKS = re.compile(r"[\t\n\r]")


def absolute(base: str, href: str) -> str:
    """The absolute http, https or file URL of a reference, without fragment or credentials; else empty."""
    try:
        url = urldefrag(urljoin(base, _BREAKS.sub("", href).strip())).url
        scheme, host = urlsplit(url).scheme, urlsplit(url).netloc
    except ValueError:
        return ""
    if scheme in {"http", "https"}:
        return without_credentials(url) if host else ""
    return url if scheme == "file" and base.startswith("file:") else ""


def base_url(root: Element, url: str) -> str:
    """What relative links of a page are resolved against: ``<base href>``, else its own URL."""
    for base in root.iter("base"):
        if base.get("href"):
            return absolute(url, base.get("href")) or url
    return url


class _Contexts:
    """Parts of a block around its links' words, the words looked for behind those of the link before."""

    def __init__(self, text: str) -> None:
        self._text = " ".join(text.split())
        self._from = 0

    def around(self, words: str) -> str:
        text = self._text
        at = text.find(words, self._from, self._from + _LOOK_AHEAD) if words else -1
        if at >= 0:
            self._from = at + len(words)
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
        Links, at most `MOST_LINKS`; those outside the main content have no context and position 1.
    """
    inside: dict[Element, tuple[str, str, int]] = {}
    for piece, start in zip(pieces, starts, strict=True):
        contexts = _Contexts(piece.text) if piece.links else None
        for element, words in piece.links:
            if contexts is not None and len(inside) < MOST_LINKS:
                inside[element] = (words, contexts.around(words), start)
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
        if len(found) >= MOST_LINKS:
            break
        if not url or (url in found and (place is None or found[url].context)):
            continue
        if place is None:
            shown = text_of(element) if element.tag == "a" else element.get("alt")
            found[url] = Link(url, " ".join(clean(shown or "").split()), "", 1.0)
        else:
            words, context, start = place
            found[url] = Link(url, words, context, round(min(start / max(length, 1), 1.0), 4))
    return tuple(found.values())
