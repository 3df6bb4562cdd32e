"""Markdown as blocks with exact spans: a line scanner, linear in the text, that never fails.

It knows what documents are made of here (ATX and underlined headings, nested lists, fenced and indented code, pipe
tables, quotes, paragraphs) and calls everything else a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tamis.text.inline import plain

__all__ = ["Block", "BlockKind", "blocks", "code_text", "plain"]

BlockKind = Literal["heading", "paragraph", "item", "code", "table", "quote"]

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_UNDERLINE = re.compile(r"\A {0,3}(?:=+|-{2,})\s*$")
_RULE = re.compile(r"\A(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_ITEM = re.compile(r"([-*+]|(\d{1,9})[.)])([ \t]+|$)")
_FENCE = re.compile(r"\A(`{3,}+|~{3,}+)([^`\n]*+)$")
_DELIMITER_ROW = re.compile(r"\A[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?)?[ \t]*+$")
_CODE_INDENT = 4
_LONGEST_TITLE = 1_000
"""Characters of a heading that go along with what stands below it."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a Markdown text.

    Attributes:
        kind: what it is.
        start: offset of its first character that is not white space; an item starts at its marker.
        end: one past its last character that is not white space; fences belong to the code.
        level: 1-6 for a heading; nesting depth from 1 for an item; for other blocks the depth of the list item they
            continue, 0 outside lists.
        headings: plain text of the headings above it, outermost first, without the block itself.
        ordered: whether an item is numbered.
    """

    kind: BlockKind
    start: int
    end: int
    level: int
    headings: tuple[str, ...] = ()
    ordered: bool = False


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    indent: int
    body: str


def _lines(text: str) -> Iterator[_Line]:
    """Lines with their columns of indentation; ``start`` and ``end`` enclose the text without white space."""
    position, size = 0, len(text)
    while position < size:
        stop = text.find("\n", position)
        stop = size if stop < 0 else stop
        if stop == position:
            # Runs of blank lines are one blank line to every rule.
            yield _Line(position, position, 0, "")
            while text.startswith("\n", position):
                position += 1
            continue
        raw = text[position:stop]
        body = raw.strip()
        lead = raw[: len(raw) - len(raw.lstrip())]
        indent = len(lead.expandtabs(_CODE_INDENT)) if "\t" in lead else len(lead)
        start = position + len(lead)
        yield _Line(start, start + len(body), indent, body)
        position = stop + 1


@dataclass(slots=True)
class _Scanner:
    """State of one pass: the open block, the list items around it, the headings above it."""

    text: str
    found: list[Block] = field(default_factory=list)
    path: list[tuple[int, str]] = field(default_factory=list)
    items: list[int] = field(default_factory=list)
    kind: BlockKind | None = None
    start: int = 0
    end: int = 0
    lines: int = 0
    ordered: bool = False
    level: int = 0
    fence: str = ""
    blank_before: bool = True

    def open(self, kind: BlockKind, line: _Line, *, ordered: bool = False) -> None:
        self.close()
        self.kind, self.start, self.end, self.lines, self.ordered = kind, line.start, line.end, 1, ordered
        self.level = len(self.items)

    def extend(self, line: _Line) -> None:
        self.end = max(self.end, line.end)
        self.lines += 1

    def close(self) -> None:
        if self.kind is not None and self.end > self.start:
            headings = tuple(title for _, title in self.path)
            self.found.append(Block(self.kind, self.start, self.end, self.level, headings, self.ordered))
        self.kind, self.ordered = None, False

    def heading(self, level: int, start: int, end: int) -> None:
        self.kind = None
        self.items.clear()
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        headings = tuple(title for _, title in self.path)
        self.found.append(Block("heading", start, end, level, headings))
        title = plain(self.text[start : min(end, start + _LONGEST_TITLE)].partition("\n")[0]).rstrip("¶ ")
        if title:
            self.path.append((level, title))

    def leave_items(self, indent: int) -> None:
        """Close list items whose content starts right of a line's indentation."""
        while self.items and indent < self.items[-1]:
            self.items.pop()

    def feed(self, line: _Line) -> None:
        """Take the next line."""
        if self.fence:
            self._in_fence(line)
        elif not line.body:
            # Indented code runs over blank lines; everything else ends there.
            if self.kind != "code":
                self.close()
        elif not self._continues_code(line):
            self._starts(line)
        self.blank_before = not line.body

    def _in_fence(self, line: _Line) -> None:
        self.extend(line)
        mark = self.fence
        if line.body.startswith(mark) and not line.body.strip(mark[0]):
            self.fence = ""
            self.close()

    def _continues_code(self, line: _Line) -> bool:
        if self.kind != "code":
            return False
        if line.indent >= _CODE_INDENT + (self.items[-1] if self.items else 0):
            self.extend(line)
            return True
        self.close()
        return False

    def _starts(self, line: _Line) -> None:
        if self.blank_before:
            self.leave_items(line.indent)
        body = line.body
        if fence := _FENCE.match(body):
            self.open("code", line)
            self.fence = fence.group(1)
        elif line.indent < _CODE_INDENT and (heading := _HEADING.match(body)):
            self.close()
            self.heading(len(heading.group(1)), line.start, line.end)
        elif self._underlines(line):
            self.heading(1 if body[0] == "=" else 2, self.start, line.end)
        elif _RULE.match(body):
            self.close()
        elif body[0] == ">":
            self._run("quote", line)
        elif self._table_row(line):
            self._run("table", line)
        elif (item := _ITEM.match(body)) and self._may_start_item(item):
            self._item(line, item)
        elif self.kind is None and self._indented_code(line):
            self.open("code", line)
        elif self.kind in ("paragraph", "item"):
            self.extend(line)
        else:
            self.open("paragraph", line)

    def _run(self, kind: BlockKind, line: _Line) -> None:
        if self.kind == kind:
            self.extend(line)
        else:
            self.open(kind, line)

    def _underlines(self, line: _Line) -> bool:
        return self.kind == "paragraph" and self.lines == 1 and self.level == 0 and bool(_UNDERLINE.match(line.body))

    def _indented_code(self, line: _Line) -> bool:
        return line.indent >= _CODE_INDENT + (self.items[-1] if self.items else 0)

    def _table_row(self, line: _Line) -> bool:
        if "|" not in line.body:
            return False
        if self.kind == "table" or (line.body[0] == "|" and line.body[-1] == "|" and len(line.body) > 1):
            return True
        # A row without outer pipes is one only above a delimiter row.
        start = self.text.find("\n", line.end) + 1
        if not start:
            return False
        stop = self.text.find("\n", start)
        return bool(_DELIMITER_ROW.match(self.text[start : stop if stop >= 0 else len(self.text)].rstrip()))

    def _may_start_item(self, item: re.Match[str]) -> bool:
        """A number may open a list inside a paragraph only as 1: a wrapped "in 1986. It" is prose."""
        if self.kind != "paragraph":
            return True
        return bool(item.group(3)) and (item.group(2) is None or int(item.group(2)) == 1)

    def _item(self, line: _Line, item: re.Match[str]) -> None:
        self.leave_items(line.indent)
        pad = len(item.group(3).expandtabs(_CODE_INDENT))
        self.items.append(line.indent + len(item.group(1)) + (pad if 0 < pad <= _CODE_INDENT else 1))
        self.open("item", line, ordered=item.group(2) is not None)


def blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text, in order.

    Spans never overlap and together hold every character that is not white space, except thematic breaks
    (``---``), which are no block. A nested item is a block of its own behind its parent's text.

    Args:
        text: any string.

    Returns:
        Blocks ascending by ``start``.
    """
    scanner = _Scanner(text)
    for line in _lines(text):
        scanner.feed(line)
    scanner.close()
    return scanner.found


def code_text(block: str) -> str:
    """The code inside a code block's text: fences gone, common indentation removed.

    Args:
        block: ``text[block.start:block.end]`` of a block of kind ``code``.
    """
    lines = block.split("\n")
    if fence := _FENCE.match(lines[0].strip()):
        lines = lines[1:]
        if lines and lines[-1].strip().startswith(fence.group(1)):
            lines = lines[:-1]
    elif len(lines) > 1:
        # The span starts behind the first line's indentation; the others still have theirs.
        rest = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
        lines[0] = " " * min(rest, default=0) + lines[0]
    filled = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    cut = min(filled, default=0)
    return "\n".join(line[cut:].rstrip() for line in lines).strip("\n")
