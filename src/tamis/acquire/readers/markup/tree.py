"""Text to an lxml tree that any page can be turned into."""

from __future__ import annotations

import re

from tamis.acquire.readers.markup.elements import Element

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
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
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return etree.fromstring(text.encode("utf-8", errors="replace"), parser=parser)
    except etree.XMLSyntaxError:
        return None


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
