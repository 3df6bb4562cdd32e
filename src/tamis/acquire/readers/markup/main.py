"""Where the main content of a page is.

Pages written as documentation mark where it is, or it is by far the largest part of them; they are taken whole, without
their furniture. Of all other pages trafilatura decides which text is content, and the blocks that hold this text are
kept: the choice is its, the form is ours. It tends to lose lists, code and tables, so those between kept blocks return.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, islice

from tamis.acquire.readers.markup.align import aligned
from tamis.acquire.readers.markup.elements import BLOCKS, HEADINGS, Element
from tamis.acquire.readers.markup.pieces import Piece
from tamis.acquire.readers.markup.writer import Writer

_MAIN = (".//*[@role='main']", ".//main", ".//article", ".//div[@class='body']", ".//div[@class='document']")
_GENERATORS = re.compile(
    r"sphinx|docutils|mkdocs|doxygen|docusaurus|asciidoctor|javadoc|rustdoc|pandoc|gitbook|texi2html|makeinfo|docbook",
    re.IGNORECASE,
)
_LEAST_ANCHORED = 3
_CHROME = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|mainmenu|submenu|searchmenu|sidebar|breadcrumbs?|toc|footer|pagination|"
    r"social|share|sharing|related|newsletter|subscribe|cookie|banner|advert|ads?|promo|comments?|sphinxsidebar|"
    r"prev-next|pager|fancy_toc|tagline|localtoc)(?:$|[\s_-])",
    re.IGNORECASE,
)
_DOMINANT = 0.85
_HOME = 0.8
_MOST_CHROME = 0.4
_MOST_HOPS = 60
_LINKED = 0.5
_DIRECTORY_ITEMS = 15
_DIRECTORY_LINKED = 0.7
_DEEPEST_ARTICLE = 400
_LARGEST_ARTICLE = 3_000_000
_MOST_BLOCKS = 7_000
"""Choosing among them takes time that grows with their square; hardly an article has half of them."""
_BREAKING = (*BLOCKS, *HEADINGS, "br")
_FILLED = frozenset({"code", "table", "item"})


def main_pieces(root: Element, decoded: str) -> list[Piece]:
    """The blocks of a page's main content.

    Args:
        root: the whole page.
        decoded: its source.
    """
    body = root.find("body")
    body = root if body is None else body
    declared = declared_main(root)
    generated = is_generated(root)
    if generated and declared is not None:
        return _without_chrome(Writer().write(declared))
    pieces = Writer().write(body)
    if generated or (not is_published(root) and _chrome_share(pieces) <= _MOST_CHROME):
        if declared is None:
            declared = _home(pieces, [True] * len(pieces), _DOMINANT)
        return _without_chrome(_inside(pieces, declared))
    kept = aligned(pieces, article_text(root, decoded))
    if not any(kept):
        return _without_chrome(_inside(pieces, declared))
    if has_sections(root):
        kept = _filled(pieces, kept)
    return _without_directories([piece for piece, keep in zip(pieces, kept, strict=True) if keep])


def declared_main(root: Element) -> Element | None:
    """The one element a page itself marks as its main content."""
    for path in _MAIN:
        found = list(islice(root.iterfind(path), 2))
        if len(found) == 1:
            return found[0]
    return None


def is_generated(root: Element) -> bool:
    """Whether a documentation generator made the page: it says so, or has API entries as only they write them."""
    for meta in root.iter("meta"):
        if (meta.get("name") or "").lower() == "generator" and _GENERATORS.search(meta.get("content") or ""):
            return True
    return any(_is_entry(term) for term in root.iter("dt"))


def _is_entry(term: Element) -> bool:
    """Whether a term is a signature as documentation generators write it."""
    around = term.getparent().get("class") or "" if term.getparent() is not None else ""
    listed = term.getparent() is not None and term.getparent().tag == "dl"
    named = term.get("id") is not None and listed and ("function" in around or "method" in around)
    return "sig" in (term.get("class") or "") or named


def has_sections(root: Element) -> bool:
    """Whether a page has sections one can link to, and code, tables or definitions in it."""
    anchored = sum(element.get("id") is not None for element in root.iter(*HEADINGS))
    return anchored >= _LEAST_ANCHORED and next(root.iter("pre", "table", "dl"), None) is not None


def is_published(root: Element) -> bool:
    """Whether a page is made for sharing, as news and blogs are: social cards, linked data, a feed, a publisher."""
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").lower()
        if name.startswith(("og:", "twitter:", "article:", "fb:", "dc.")) or name in {
            "generator",
            "keywords",
            "news_keywords",
        }:
            return True
    if any("ld+json" in (script.get("type") or "") for script in root.iter("script")):
        return True
    return any("rss" in (link.get("type") or "") or "atom" in (link.get("type") or "") for link in root.iter("link"))


def article_text(root: Element, decoded: str) -> str:
    """What trafilatura takes for the content of a page, one block a line; empty where the page is beyond it."""
    if len(decoded) > _LARGEST_ARTICLE or _deeper_than(root, _DEEPEST_ARTICLE) or _blocks(root) > _MOST_BLOCKS:
        return ""
    from trafilatura import bare_extraction

    found = bare_extraction(decoded, include_comments=False)
    return found.text or "" if found else ""


def _blocks(root: Element) -> int:
    """How many blocks and line breaks a page has, counted no further than matters."""
    return sum(1 for _ in islice(root.iter(*_BREAKING), _MOST_BLOCKS + 1))


def _deeper_than(root: Element, limit: int) -> bool:
    from lxml.etree import iterwalk

    depth = 0
    for event, _ in iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > limit:
            return True
    return False


def _ancestors(element: Element) -> list[Element]:
    """An element and what it is in, outermost last."""
    found: list[Element] = []
    while element is not None and len(found) < _MOST_HOPS:
        found.append(element)
        element = element.getparent()
    return found


def _words(piece: Piece) -> int:
    return len(piece.plain.split())


def _linked_words(piece: Piece) -> int:
    return sum(len(words.split()) for _, words in piece.links)


def _home(pieces: Sequence[Piece], kept: Sequence[bool], share: float) -> Element | None:
    """The innermost element that holds a share of the words of the kept blocks that are not links."""
    held: dict[Element, int] = {}
    depth: dict[Element, int] = {}
    total = 0
    for piece, keep in zip(pieces, kept, strict=True):
        if not keep:
            continue
        words = max(_words(piece) - _linked_words(piece), 0)
        total += words
        chain = _ancestors(piece.element)
        for above, element in enumerate(reversed(chain)):
            held[element] = held.get(element, 0) + words
            depth[element] = above
    best: Element | None = None
    for element, words in held.items():
        if words >= share * total and (best is None or depth[element] > depth[best]):
            best = element
    return best


def _inside(pieces: Sequence[Piece], element: Element | None) -> list[Piece]:
    if element is None:
        return list(pieces)
    return [piece for piece in pieces if element in _ancestors(piece.element)]


class _Chrome:
    """Which elements lie in navigation and the like, by the classes of what they are in; remembered per page."""

    def __init__(self, outside: Element | None = None) -> None:
        self._known: dict[Element, bool] = {} if outside is None else {outside: False}

    def holds(self, piece: Piece) -> bool:
        """Whether a block is chrome."""
        chain: list[Element] = []
        element = piece.element
        verdict = False
        while element is not None:
            known = self._known.get(element)
            if known is not None:
                verdict = known
                break
            chain.append(element)
            element = element.getparent()
        for element in reversed(chain):
            verdict = verdict or _names_chrome(element)
            self._known[element] = verdict
        return verdict


def _names_chrome(element: Element) -> bool:
    if element.tag in {"body", "html"} or element.tag in HEADINGS:
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return len(names) > 1 and _CHROME.search(names) is not None


def _chrome_share(pieces: Sequence[Piece]) -> float:
    """The share of a page's words that are links or lie in navigation."""
    total = chrome = 0
    navigation = _Chrome()
    for piece in pieces:
        words = _words(piece)
        total += words
        chrome += words if _linked_words(piece) > _LINKED * words or navigation.holds(piece) else 0
    return chrome / total if total else 1.0


def _without_chrome(pieces: list[Piece]) -> list[Piece]:
    chrome = _Chrome()
    kept = [piece for piece in pieces if not chrome.holds(piece)]
    return _without_directories(kept or pieces)


def _without_directories(pieces: list[Piece]) -> list[Piece]:
    """Leave out long lists of links: tables of contents and indexes lead to text, they are none."""
    kept: list[Piece] = []
    for is_list, run in groupby(pieces, key=lambda piece: piece.kind == "item"):
        items = list(run)
        words = sum(_words(item) for item in items)
        linked = sum(_linked_words(item) for item in items)
        if not is_list or len(items) < _DIRECTORY_ITEMS or linked < _DIRECTORY_LINKED * words:
            kept += items
    # A page that is nothing else keeps its first entries, so that it is known by something.
    return kept or pieces[:_DIRECTORY_ITEMS]


def _filled(pieces: Sequence[Piece], kept: list[bool]) -> list[bool]:
    """Bring back code, tables and list items between kept blocks of the same part of the page."""
    home = _home(pieces, kept, _HOME)
    first = kept.index(True)
    last = len(kept) - 1 - kept[::-1].index(True)
    result = list(kept)
    chrome = _Chrome(home)
    for at in range(first, last):
        piece = pieces[at]
        if kept[at] or piece.kind not in _FILLED or _linked_words(piece) > _LINKED * _words(piece):
            continue
        result[at] = home in _ancestors(piece.element) and not chrome.holds(piece)
    return result
