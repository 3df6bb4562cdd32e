"""Where the main content of a page is.

Pages that mark their main content and are written as documentation are taken at their word. Of all others trafilatura
decides which text is content, and the blocks that hold this text are kept: the choice is its, the form is ours.
"""

from __future__ import annotations

from tamis.acquire.readers.markup.align import aligned
from tamis.acquire.readers.markup.elements import Element
from tamis.acquire.readers.markup.pieces import Piece
from tamis.acquire.readers.markup.writer import Writer


def declared_main(root: Element) -> Element | None:
    """The element a page itself marks as its main content."""
    for path in ("//*[@role='main']", "//main", "//div[@class='body']", "//article"):
        found = root.xpath(path)
        if len(found) == 1:
            return found[0]
    return None


def main_pieces(root: Element, decoded: str) -> list[Piece]:
    """The blocks of a page's main content."""
    body = root.find("body") if root.find("body") is not None else root
    pieces = Writer().write(body)
    content = article_text(decoded)
    kept = aligned(pieces, content)
    return [piece for piece, keep in zip(pieces, kept, strict=True) if keep]


def article_text(decoded: str) -> str:
    """What trafilatura takes for the content of a page, one block a line."""
    from trafilatura import bare_extraction

    found = bare_extraction(decoded, include_comments=False)
    return found.text or "" if found else ""
