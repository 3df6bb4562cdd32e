"""Tables: which ones hold data, their grid, and the grid as a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tamis.acquire.readers.markup.elements import Element, hidden, text_of

_MOST_SPAN = 60
_MOST_ROWS = 5_000
_MOST_SPREAD = 100_000
"""Cells of one table that spans may add."""
_MOST_CELLS = 1_000_000
"""A larger grid is left ragged."""
_LONG_CELL = 1_200
_PART_ROWS = 12
_PART_WORDS = 240
"""Of a part of a long table with its header: less than a passage may have at most."""
_MOST_REPEATED = 4
"""Times a table may grow by its repeated header: rows of nothing below a long one would fill the memory."""
_LONG_WORD = 10
_LAYOUT_ROLES = frozenset({"presentation", "none"})
_LAYOUT_CONTENT = frozenset("table h1 h2 h3 h4 h5 h6 form article section".split())
_NUMBER = re.compile(r"^[<>~≈±+\-−]?\s*[\d.,]+\s*%?$")


def rows_of(table: Element) -> list[Element]:
    """The visible rows of a table, not those of tables inside it."""
    rows: list[Element] = []
    for child in table:
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in {"thead", "tbody", "tfoot"}:
            rows.extend(child.iterchildren("tr"))
    return [row for row in rows if not hidden(row)]


def is_data_table(table: Element) -> bool:
    """Whether a table holds data; otherwise it only arranges the page, or a listing beside its line numbers."""
    if table.get("role") in _LAYOUT_ROLES:
        return False
    for node in table.iterdescendants():
        if node.tag in _LAYOUT_CONTENT:
            return False
        if node.tag == "pre" and "\n" in text_of(node).strip():
            return False
    rows = rows_of(table)
    widths = [len(row) for row in rows]
    if not rows or max(widths) < 2:
        return False
    if len(rows) == 1:
        return False
    cells = [cell for row in rows for cell in row]
    long_cells = sum(len(text_of(cell)) > _LONG_CELL for cell in cells)
    return long_cells * 4 <= len(cells)


def table_rows(table: Element, cell_text: Callable[[Element], str]) -> tuple[list[str], list[list[str]]]:
    """The grid of a table, spans repeated into every cell they cover.

    Args:
        table: a data table.
        cell_text: the one-line text of a cell.

    Returns:
        The header cells (empty strings where the table has no header row) and the body rows, all equally long.
    """
    rows = rows_of(table)[:_MOST_ROWS]
    grid: list[list[str]] = []
    spread = _Spread()
    headers = 0
    for index, row in enumerate(rows):
        cells = [cell for cell in row if cell.tag in {"td", "th"}]
        grid.append(spread.row(cells, cell_text))
        in_head = row.getparent().tag == "thead"
        all_heads = bool(cells) and all(cell.tag == "th" for cell in cells)
        if headers == index and (in_head or all_heads or (index == 0 and _bold_row(cells))):
            headers += 1
    width = max(map(len, grid), default=0)
    if width * len(grid) > _MOST_CELLS:
        return [""] * max(1, min(map(len, grid))), [line for line in grid if any(line)]
    for line in grid:
        line.extend([""] * (width - len(line)))
    if headers == len(grid):
        headers = min(1, len(grid))
    if not headers and _reads_as_header(grid):
        headers = 1
    head = [" ".join(dict.fromkeys(cell for cell in column if cell)) for column in zip(*grid[:headers], strict=True)]
    body = [line for line in grid[headers:] if any(line)]
    return (head or [""] * width), body


class _Spread:
    """Rows with column spans repeated and the row spans from above filled in, as far as the table may grow by them."""

    def __init__(self) -> None:
        self._below: dict[int, tuple[str, int]] = {}
        self._left = _MOST_SPREAD

    def row(self, cells: Sequence[Element], cell_text: Callable[[Element], str]) -> list[str]:
        """The next row."""
        line: list[str] = []
        for cell in cells:
            self._from_above(line)
            if hidden(cell):
                continue
            text = cell_text(cell)
            down = _span(cell.get("rowspan"))
            across = min(_span(cell.get("colspan")), self._left + 1)
            self._left -= across - 1
            for _ in range(across):
                if down > 1 and self._left > 0:
                    self._left -= 1
                    self._below[len(line)] = (text, down - 1)
                line.append(text)
        self._from_above(line)
        return line

    def _from_above(self, line: list[str]) -> None:
        while len(line) in self._below:
            column = len(line)
            text, left = self._below[column]
            line.append(text)
            if left > 1 and self._left > 0:
                self._left -= 1
                self._below[column] = (text, left - 1)
            else:
                del self._below[column]


def _span(value: str | None) -> int:
    return min(max(int(value), 1), _MOST_SPAN) if value and value.strip().isdecimal() and value.isascii() else 1


def _bold_row(cells: Sequence[Element]) -> bool:
    def bold(cell: Element) -> bool:
        children = list(cell)
        return len(children) == 1 and children[0].tag in {"b", "strong"} and not (cell.text or "").strip()

    return bool(cells) and all(cell.tag == "th" or bold(cell) for cell in cells)


def _reads_as_header(grid: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: no numbers in it, and numbers somewhere below."""
    if len(grid) < 2 or any(not cell or _NUMBER.match(cell) for cell in grid[0][1:]):
        return False
    return any(all(_NUMBER.match(line[column]) for line in grid[1:]) for column in range(len(grid[0])))


def escape_cell(text: str) -> str:
    """One line, pipes escaped."""
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def pipe_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table; cells are made one line and their pipes escaped."""
    lines = [_row(head), "| " + " | ".join("---" for _ in head) + " |"]
    lines.extend(_row(row) for row in body)
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escape_cell(cell) for cell in cells) + " |"


def in_parts(table: str) -> str:
    """A long Markdown table as several short ones that each repeat the header: a passage of it is understood alone.

    Args:
        table: header, rule and rows, one a line; whatever stands before the first pipe (indentation) is repeated, too.

    Returns:
        The table itself where it is short, or its header so long that repeating it would bury the rows.
    """
    head, rule, *rows = table.split("\n")
    repeated = _size(head) + _size(rule)
    if repeated > _PART_WORDS // 2:
        return table
    parts: list[list[str]] = [[]]
    size = repeated
    for row in rows:
        words = _size(row)
        if parts[-1] and (len(parts[-1]) == _PART_ROWS or size + words > _PART_WORDS):
            parts.append([])
            size = repeated
        parts[-1].append(row)
        size += words
    if len(parts) * (len(head) + len(rule)) > _MOST_REPEATED * len(table):
        return table
    return "\n\n".join("\n".join((head, rule, *part)) for part in parts)


def _size(line: str) -> int:
    """Words; long runs without spaces count by their characters."""
    return max(len(line.split()), len(line) // _LONG_WORD)
