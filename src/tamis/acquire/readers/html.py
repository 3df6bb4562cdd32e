"""HTML and XHTML pages."""

from __future__ import annotations

from tamis.acquire.readers.base import Body, make_document
from tamis.acquire.readers.markup.links import base_url, page_links
from tamis.acquire.readers.markup.main import main_pieces
from tamis.acquire.readers.markup.metadata import page_metadata
from tamis.acquire.readers.markup.pieces import join
from tamis.acquire.readers.markup.styles import mark_hidden
from tamis.acquire.readers.markup.tree import parse_html
from tamis.errors import UnreadableError
from tamis.schema.document import Page
from tamis.text.encoding import decode


class HtmlReader:
    """A web page: its main content as Markdown, all its links."""

    media_types = frozenset({"text/html", "application/xhtml+xml"})
    extensions = frozenset({".html", ".htm", ".xhtml", ".shtml"})

    def read(self, body: Body) -> Page:
        """Read a page."""
        decoded = decode(body.data, body.charset)
        root = parse_html(decoded)
        if root is None:
            raise UnreadableError(f"{body.url}: the page is empty")
        mark_hidden(root)
        pieces = main_pieces(root, decoded)
        text, anchors, starts = join(pieces)
        base = base_url(root, body.url)
        heading = next((piece.text.lstrip("# ") for piece in pieces if piece.level == 1), "")
        about = page_metadata(root, base, heading)
        links = page_links(root, base, pieces, starts, len(text))
        extra = {"description": about.description, "site": about.site, "generator": about.generator}
        documents = (
            make_document(
                body,
                text,
                title=about.title,
                media_type="text/html",
                language_code=about.language,
                published=about.published,
                author=about.author,
                keywords=about.keywords,
                anchors=anchors,
                metadata={name: value for name, value in extra.items() if value},
            ),
        )
        # A page without words of its own (a frame, an index of links) is still a way to others.
        return Page(documents if text.strip() else (), links, about.canonical_url, about.robots)


READER = HtmlReader()
