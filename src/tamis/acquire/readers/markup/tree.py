"""Text to an lxml tree that any page can be turned into."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tamis.acquire.readers.markup.elements import Element

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_TOO_DEEP = "Excessive depth"
_DEEPEST = 1_500
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
# Not text, and often by far the largest part of a page: dropped before parsing.
_DATA_URI = re.compile(r"data:[\w/+.-]+;base64,[A-Za-z0-9+/=]{200,}")


def parse_html(text: str) -> Element | None:
    """Parse HTML of any quality.

    Args:
        text: decoded, not necessarily clean.

    Returns:
        The root element, None where there is nothing to parse.
    """
    from lxml import etree

    text = _DATA_URI.sub("", _DECLARATION.sub("", text.replace("\x00", ""), count=1))
    if not text.strip():
        return None
    root: Element | None = None
    for flatten in (False, True):
        source = _shallow(text) if flatten else text
        parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
        try:
            root = etree.fromstring(source.encode("utf-8", errors="replace"), parser=parser)
        except etree.XMLSyntaxError:
            return None
        # libxml2 drops everything behind the point where elements nest too deeply.
        if not any(_TOO_DEEP in entry.message for entry in parser.error_log):
            break
    return root


class _Flattener(HTMLParser):
    """Copies a page without the tags that nest deeper than a limit; their text stays."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.parts.append(f"<{tag}>")
            return
        self._depth += 1
        if self._depth <= _DEEPEST:
            self.parts.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self._depth <= _DEEPEST:
            self.parts.append(f"</{tag}>")
        self._depth = max(self._depth - 1, 0)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_entityref(self, name: str) -> None:
        self.parts.append(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.parts.append(f"&#{name};")


def _shallow(text: str) -> str:
    flattener = _Flattener()
    flattener.feed(text)
    flattener.close()
    return "".join(flattener.parts)


def parse_xml(data: bytes) -> Element | None:
    """Parse a small XML file of an archive: no entities, no network, None where it is not XML."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True
    )
    try:
        return etree.fromstring(data, parser=parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
