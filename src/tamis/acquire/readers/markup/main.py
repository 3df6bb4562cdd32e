"""Where the main content of a page is.

Pages that mark their main content and are written as documentation are taken at their word. Of all others trafilatura
decides which text is content, and the blocks that hold this text are kept: the choice is its, the form is ours.
"""

from __future__ import annotations

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
    element = declared_main(root)
    if element is None:
        element = root.find("body") if root.find("body") is not None else root
    return Writer().write(element)
