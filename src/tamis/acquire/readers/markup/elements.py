"""What HTML elements mean to a reader of text."""

from __future__ import annotations

import re
from typing import Any

Element = Any
"""An `lxml.html.HtmlElement`; lxml ships no types."""

SKIPPED = frozenset(
    "script style noscript template svg button select option input textarea datalist iframe frame object embed "
    "canvas audio video map nav head title meta link base progress meter rp dialog "
    # Struck out: its author took it back. As words of the page it would say the opposite, and turn 10 into 105.
    "del s strike".split()
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = frozenset(
    "p div section article main header footer aside address figure figcaption form fieldset details summary center "
    "legend hgroup body html dl ul ol menu dir tr td th tbody thead tfoot caption table blockquote li dt dd pre".split()
)
CODE = frozenset("code tt kbd samp".split())

_SKIPPED_ROLES = frozenset(
    "navigation search banner contentinfo menu menubar toolbar tooltip dialog alertdialog".split()
)
# Permalinks, copy buttons, line-number gutters, edit and source links: marks on the page, not words of it.
_FURNITURE = frozenset(
    "headerlink permalink header-anchor heading-anchor anchor-link anchorjs-link heading-link hash-link copybtn "
    "copybutton copy-button copy-btn clipboard-copy btn-clipboard "
    "linenos linenodiv lineno line-numbers-rows gutter viewcode-link "
    "viewcode-back mw-editsection noprint skip-link skiplink sr-only visually-hidden screen-reader-text "
    "cookie-banner cookie-consent toc-backref-hidden edit-this-page".split()
)
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:^|[;\s])opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)"
    r"|(?:text-indent|left|top|right|margin-left|margin-top)\s*:\s*-(?:\d{4,}(?:\.\d+)?px|\d{2,}(?:\.\d+)?r?em|\d{3,}(?:\.\d+)?(?:pt|v[wh]|%))"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?:^|[;\s])transform\s*:\s*scale\(\s*0\s*\)"
    r"|text-decoration(?:-line)?\s*:[^;]{0,100}line-through",
    re.IGNORECASE,
)
_ZERO_BOX = re.compile(r"(?:^|[;\s])(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:;|$)", re.IGNORECASE)
_CLIPPED = re.compile(r"overflow\s*:\s*hidden", re.IGNORECASE)
_COLOR = re.compile(r"(?:^|[;\s])color\s*:\s*+([^;!]++)", re.IGNORECASE)
_BACKGROUND = re.compile(r"(?:^|[;\s])background(?:-color)?\s*:\s*+([^;!]++)", re.IGNORECASE)
_WHITE = re.compile(
    r"#f{3}(?:f{3}|f{5})?$|white$|rgba?\(\s*255\s*,\s*255\s*,\s*255|hsl\(\s*\d+\s*,\s*\d+%\s*,\s*100%", re.IGNORECASE
)
_TRANSPARENT = re.compile(r"\A(?:transparent|rgba\([^)]*,\s*0(?:\.0+)?\s*\)|#[0-9a-f]{6}00$)", re.IGNORECASE)


def text_of(element: Element) -> str:
    """All text inside an element, shown or not."""
    return "".join(element.itertext())


def _same_colour(one: str, other: str) -> bool:
    one, other = one.strip().lower().replace(" ", ""), other.strip().lower().replace(" ", "")
    return one == other or bool(_WHITE.match(one) and _WHITE.match(other))


def _background(element: Element) -> str:
    """The nearest background declared on the element or around it, ``white`` where none is."""
    while element is not None:
        style = element.get("style")
        if style and (match := _BACKGROUND.search(style)):
            return str(match.group(1))
        colour = element.get("bgcolor")
        if colour:
            return str(colour)
        element = element.getparent()
    return "white"


def _invisible_ink(element: Element, style: str) -> bool:
    match = _COLOR.search(style)
    colour = match.group(1) if match else (element.get("color") or "")
    if not colour:
        return False
    return bool(_TRANSPARENT.match(colour.strip())) or _same_colour(colour, _background(element))


def hidden(element: Element) -> bool:
    """Whether a browser would not show the element, or would show it as page furniture rather than content."""
    attributes = element.attrib
    if not attributes:
        return False
    if "hidden" in attributes and attributes["hidden"].lower() != "until-found":
        return True
    if attributes.get("aria-hidden") == "true":
        return True
    if attributes.get("role") in _SKIPPED_ROLES:
        return True
    names = attributes.get("class")
    if names and not _FURNITURE.isdisjoint(names.lower().split()):
        return True
    style = attributes.get("style")
    if style:
        if _HIDING.search(style) or (_ZERO_BOX.search(style) and _CLIPPED.search(style)):
            return True
        return "color" in style.lower() and _invisible_ink(element, style)
    return "color" in attributes and _invisible_ink(element, "")
