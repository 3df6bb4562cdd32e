"""An HTML tree written as Markdown blocks.

The tree is walked with lxml's event iterator, never by recursion: a page nested fifty thousand deep is read like any
other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from tamis.acquire.readers.markup.code import code_text, fence_language, fenced
from tamis.acquire.readers.markup.elements import BLOCKS, CODE, HEADINGS, SKIPPED, Element, hidden, text_of
from tamis.acquire.readers.markup.pieces import Kind, Piece
from tamis.acquire.readers.markup.tables import in_parts, is_data_table, pipe_table, table_rows
from tamis.text.encoding import clean

_BREAK = "\x00"
"""Stands for ``<br>`` until the block is finished; a parsed tree cannot hold it."""
_BACKTICKS = re.compile(r"`+")
_API_CLASSES = frozenset(
    "function class method classmethod staticmethod attribute data exception property py c cpp js rst std".split()
)
_DEEPEST_HEADING = 6
_DEEPEST_PREFIX = 12
_LONGEST_LABEL = 300
_LONGEST_TOGGLE = 80
_INDENTED = frozenset("div pre table ul ol dl".split())
_DEEPEST_INNER = 3
"""Terms within terms, cells within cells: beyond this their text is taken without form."""


class _Container:
    """An open list item or quote: its marker on the first line, its indentation on the others."""

    __slots__ = ("element", "marker", "rest", "used")

    def __init__(self, element: Element, marker: str, rest: str) -> None:
        self.element = element
        self.marker = marker
        self.rest = rest
        self.used = False


class Writer:
    """Writes one element as blocks. Use an instance once.

    Attributes:
        pieces: the blocks so far.
    """

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth
        self.pieces: list[Piece] = []
        self._inline: list[str] = []
        self._ids: list[str] = []
        self._links: list[tuple[Element, str]] = []
        self._open: list[tuple[Element, int]] = []
        self._containers: list[_Container] = []
        self._lists: list[tuple[Element, int | None]] = []
        self._level = 0
        self._signature = False
        self._label = ""
        self._section_level = 1
        self._api: list[Element] = []
        self._last_list: Element = None

    def write(self, root: Element) -> list[Piece]:
        """Write an element and everything below it, its tail excluded."""
        from lxml.etree import iterwalk

        walk = iterwalk(root, events=("start", "end"))
        skipped: Element = None
        for event, element in walk:
            if element is root:
                if event == "start" and root.text:
                    self._inline.append(root.text)
                continue
            if event == "start":
                if element.tag in SKIPPED or hidden(element) or self._start(element, element.tag):
                    walk.skip_subtree()
                    skipped = element
                continue
            if element is skipped:
                skipped = None
            else:
                self._end(element, element.tag)
            if element.tail:
                self._inline.append(element.tail)
        self._flush(root)
        if self._label:
            self._emit("", "paragraph", root)
        return self.pieces

    def _start(self, element: Element, tag: str) -> bool:
        """Enter an element; True where it has been written whole."""
        if tag in BLOCKS or tag in HEADINGS:
            self._flush(element)
        name = element.get("id") or (element.get("name") if tag == "a" else None)
        if name and not name.isspace():
            self._ids.append(name)
        handler = self._STARTS.get(tag)
        if handler is not None and handler(self, element):
            return True
        if element.text:
            self._inline.append(element.text)
        return False

    def _end(self, element: Element, tag: str) -> None:
        if tag in BLOCKS or tag in HEADINGS:
            self._flush(element)
        handler = self._ENDS.get(tag)
        if handler is not None:
            handler(self, element)

    # Inline content

    def _open_span(self, element: Element) -> bool:
        self._open.append((element, len(self._inline)))
        return False

    def _close_span(self, element: Element) -> str | None:
        """Take back what an inline element wrote; None where a block ended inside it."""
        if not self._open or self._open[-1][0] is not element:
            return None
        _, start = self._open.pop()
        text = "".join(self._inline[start:])
        del self._inline[start:]
        return text

    def _end_code(self, element: Element) -> None:
        text = self._close_span(element)
        if text is None:
            return
        nested = any(outer.tag in CODE for outer, _ in self._open)
        words = " ".join(text.replace(_BREAK, " ").split())
        if not words or nested or self._level or self._signature:
            self._inline.append(text)
            return
        ticks = "`" * (max((len(run) for run in _BACKTICKS.findall(words)), default=0) + 1)
        pad = " " if words.startswith("`") or words.endswith("`") else ""
        before = " " if text[:1].isspace() else ""
        after = " " if text[-1:].isspace() else ""
        self._inline.append(f"{before}{ticks}{pad}{words}{pad}{ticks}{after}")

    def _end_link(self, element: Element) -> None:
        text = self._close_span(element)
        if text is not None:
            self._inline.append(text)
        if element.get("href"):
            shown = text if text is not None else text_of(element)
            self._links.append((element, " ".join(clean(shown).replace(_BREAK, " ").split())))

    def _start_break(self, _element: Element) -> bool:
        self._inline.append(_BREAK)
        return False

    def _start_superscript(self, element: Element) -> bool:
        """Footnote marks vanish, exponents get a caret, anything else stays as written."""
        shown = text_of(element).strip()
        if "reference" in (element.get("class") or "") or (shown.startswith("[") and shown.endswith("]")):
            return True
        before = "".join(self._inline[-1:]).rstrip()[-1:]
        number = shown.lstrip("+-−").isdecimal()
        if number and len(element) == 0 and (before.isdigit() or (before.isalpha() and not shown.isdecimal())):
            self._inline.append("^")
        return False

    # Blocks

    def _start_heading(self, element: Element) -> bool:
        self._level = HEADINGS[element.tag]
        return False

    def _end_heading(self, element: Element) -> None:
        self._section_level = HEADINGS[element.tag]
        self._level = 0

    def _start_pre(self, element: Element) -> bool:
        code = clean(code_text(element))
        if code.strip():
            self._emit(fenced(code, fence_language(element)), "code", element, plain=code)
        return True

    def _start_table(self, element: Element) -> bool:
        if not is_data_table(element):
            return False
        for caption in element.iterchildren("caption"):
            self._inline.append(self._inner(caption))
            self._flush(caption)
        head, body = table_rows(element, self._inner)
        if any(head) or body:
            whole = pipe_table(head, body)
            self._emit(in_parts(whole), "table", element, plain=whole)
        return True

    def _inner(self, element: Element) -> str:
        """One line with what an element shows; its ids and links count as the current block's."""
        if len(element) == 0:
            return " ".join(clean(element.text or "").split())
        if self._depth >= _DEEPEST_INNER:
            return " ".join(clean(text_of(element)).split())
        inner = Writer(self._depth + 1)
        parts: list[str] = []
        for piece in inner.write(element):
            self._ids.extend(piece.ids)
            self._links.extend(piece.links)
            text = piece.text
            if piece.kind == "code":
                text = "`" + " ".join(text.split("\n")[1:-1]).strip() + "`"
            parts.append(text.removeprefix("- "))
        self._ids.extend(inner._ids)
        return " ".join(" ".join(parts).split())

    def _start_list(self, element: Element) -> bool:
        if self._label:
            self._emit("", "paragraph", element)
        start = element.get("start") or ""
        number = (
            (int(start) if start.isascii() and start.isdecimal() and len(start) < 9 else 1)
            if element.tag == "ol"
            else None
        )
        self._lists.append((element, number))
        return False

    def _end_list(self, element: Element) -> None:
        if self._lists and self._lists[-1][0] is element:
            self._lists.pop()

    def _start_item(self, element: Element) -> bool:
        marker = "- "
        if self._lists and self._lists[-1][1] is not None:
            owner, number = self._lists.pop()
            self._lists.append((owner, (number or 0) + 1))
            marker = f"{number}. "
        self._containers.append(_Container(element, marker, " " * len(marker)))
        return False

    def _start_quote(self, element: Element) -> bool:
        """A quote, unless it only indents: a division, a listing, a table or a list without words of its own."""
        if (
            len(element)
            and not (element.text or "").strip()
            and all(child.tag in _INDENTED and not (child.tail or "").strip() for child in element)
        ):
            return False
        self._containers.append(_Container(element, "> ", "> "))
        return False

    def _end_container(self, element: Element) -> None:
        if self._label:
            self._emit("", "paragraph", element)
        if self._containers and self._containers[-1].element is element:
            self._containers.pop()

    def _start_definitions(self, element: Element) -> bool:
        names = (element.get("class") or "").split()
        if names and (names[0] in _API_CLASSES) and element.find("dt") is not None:
            self._api.append(element)
        else:
            self._lists.append((element, None))
        return False

    def _end_definitions(self, element: Element) -> None:
        if self._api and self._api[-1] is element:
            self._api.pop()
        self._end_list(element)

    def _is_api(self, element: Element) -> bool:
        return bool(self._api) and element.getparent() is self._api[-1]

    def _start_term(self, element: Element) -> bool:
        """A signature is a heading, further ones of the same entry code; other terms wait for their definition."""
        if self._is_api(element):
            previous = element.getprevious()
            if previous is None or previous.tag != "dt":
                self._level = min(self._section_level + len(self._api), _DEEPEST_HEADING)
            else:
                self._signature = True
            return False
        term = self._inner(element).rstrip(": ")
        if not term:
            return True
        self._label = f"{self._label}, {term}" if self._label else term
        return True

    def _end_term(self, _element: Element) -> None:
        self._level, self._signature = 0, False

    def _start_definition(self, element: Element) -> bool:
        names = element.getparent().get("class") or "" if element.getparent() is not None else ""
        if not self._is_api(element) and "field-list" not in names:
            self._containers.append(_Container(element, "- ", "  "))
        return False

    def _start_paragraph(self, element: Element) -> bool:
        """An admonition's title becomes the first word of its text (``Note: …``); a toggle button's label vanishes."""
        if element.find("button") is not None and len(text_of(element)) < _LONGEST_TOGGLE:
            return True
        if "admonition-title" in (element.get("class") or ""):
            self._label = self._inner(element).rstrip(": ")
            return True
        return False

    def _flush(self, element: Element) -> None:
        """End the current block, if it holds anything."""
        self._open.clear()
        if not self._inline:
            return
        raw = "".join(self._inline)
        self._inline.clear()
        lines = [" ".join(line.split()) for line in clean_inline(raw).split(_BREAK)]
        if self._level:
            heading = " ".join(" ".join(lines).split())
            if heading:
                self._emit("#" * self._level + " " + heading, "heading", element, self._level)
            return
        if self._signature:
            lines = [f"`{line}`" if line and "`" not in line else line for line in lines]
        paragraph: list[str] = []
        for line in [*lines, ""]:
            if line:
                paragraph.append(line)
            elif paragraph:
                self._emit("\n".join(paragraph), "paragraph", element)
                paragraph = []

    def _emit(self, text: str, kind: Kind, element: Element, level: int = 0, plain: str = "") -> None:
        """Add a block below the open containers."""
        if self._label:
            label, self._label = self._label, ""
            if kind == "paragraph" and len(label) <= _LONGEST_LABEL:
                text = f"{label}: {text}" if text else f"{label}:"
            else:
                self._emit(label + ":", "paragraph", element)
                if not text:
                    return
        plain = plain or text
        first, rest, opens = "", "", False
        for container in self._containers[:_DEEPEST_PREFIX]:
            first += container.rest if container.used else container.marker
            rest += container.rest
            opens = opens or not (container.used or container.marker == "> ")
            container.used = True
        if rest:
            text = first + text.replace("\n", "\n" + rest)
            text = "\n".join(line.rstrip() for line in text.split("\n"))
        outer = self._lists[0][0] if self._lists else None
        tight = opens and outer is not None and outer is self._last_list and self.pieces[-1].kind == "item"
        self._last_list = outer
        shown: Kind = "item" if opens and kind == "paragraph" else kind
        self.pieces.append(Piece(text, plain, shown, tight, level, self._ids, self._links, element))
        self._ids, self._links = [], []

    _STARTS: ClassVar[dict[str, Callable[[Writer, Element], bool]]] = {
        **dict.fromkeys(CODE, _open_span),
        **dict.fromkeys(HEADINGS, _start_heading),
        **dict.fromkeys(("pre", "xmp", "listing"), _start_pre),
        **dict.fromkeys(("ul", "ol", "menu", "dir"), _start_list),
        "a": _open_span,
        "br": _start_break,
        "sup": _start_superscript,
        "table": _start_table,
        "li": _start_item,
        "blockquote": _start_quote,
        "dl": _start_definitions,
        "dt": _start_term,
        "dd": _start_definition,
        "p": _start_paragraph,
    }
    _ENDS: ClassVar[dict[str, Callable[[Writer, Element], None]]] = {
        **dict.fromkeys(CODE, _end_code),
        **dict.fromkeys(HEADINGS, _end_heading),
        **dict.fromkeys(("ul", "ol", "menu", "dir"), _end_list),
        "a": _end_link,
        "li": _end_container,
        "blockquote": _end_container,
        "dl": _end_definitions,
        "dt": _end_term,
        "dd": _end_container,
    }


def clean_inline(raw: str) -> str:
    """Clean block text but keep the marks of its line breaks."""
    if _BREAK not in raw:
        return clean(raw)
    return _BREAK.join(clean(part) for part in raw.split(_BREAK))
