"""The guard in front of summarisers: prose only, without tables, code, labels, fragments or endless pseudo-sentences.

Tables reach a corpus as Markdown, as pipe-delimited lines without a head, or run together inside one line of prose.
A lone pipe in code or prose is none of these and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tamis.schema.document import Span
from tamis.text.sentences import sentences

_PIPE = re.compile(r"(?<![|\\])\|(?![|])")
_FENCE = re.compile(r"\A[ \t]*+(?:`{3,}+|~{3,}+)")
_RULE_CELL = re.compile(r"\A[ \t]*:?-{2,}:?[ \t]*")
_NUMBER_CELL = re.compile(
    r"\A[ \t]*[<>~≈±+−$€£-]?[ \t]?\d[\d.,  ]*+[ \t]?+(?:[%‰°]|[^\W\d_]{0,5}(?:/[^\W\d_]{1,4})?)[ \t]*"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_CLAUSE_END = re.compile(r"[;:,)–—](?=\s)")
_ITEM = re.compile(r"\A(?:[-*+•‣◦▪⁃]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_ENDED = re.compile(r"[.!?…。！？｡][\"'”’»)\]}`*_]{0,8}\Z")
_GOES_ON = re.compile(r"[;:][\"'”’»)\]}`*_]{0,8}\Z")
_UNDERLINED = re.compile(r"\n[ \t]*(?:=+|-{2,})[ \t]*\Z")
_STRONG = re.compile(r"\A(\*\*|__)(?=\S)[^*_\n]{1,120}\1[.:!?]?\Z")
_CELL_CHARACTERS = 80
_RUN_PIPES = 3
_EDGE_WORDS = 4
_MAX_CHARACTERS = 600
_LETTER_SHARE = 0.5
_NUMBER_SHARE = 0.4


def table_runs(text: str) -> list[Span]:
    """Where pipe-delimited table rows stand, whole lines or inside a line.

    Args:
        text: any string; cost grows linearly with its length.

    Returns:
        Spans, ascending, never overlapping. Fenced code and lone pipes are in none.
    """
    found: list[Span] = []
    fenced = False
    previous = (0, 0)
    for start, end in _lines(text):
        line = text[start:end]
        if _FENCE.match(line):
            fenced = not fenced
        pipes = [] if fenced else [pipe.start() for pipe in _PIPE.finditer(line)]
        if not pipes:
            previous = (0, 0)
            continue
        if _is_row(line, pipes):
            found.append((start, end))
        else:
            found += [(start + left, start + right) for left, right in _inner_runs(line, pipes)]
        # The head row is known only by the rule below it: a | b above ---|---.
        if _is_rule(line) and previous[1] > previous[0] and (not found or found[-1][0] != previous[0]):
            _insert_before_last(found, previous)
        previous = (start, end)
    return _with_bodies(text, found)


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _is_rule(line: str) -> bool:
    cells = [cell for cell in line.strip().strip("|").split("|") if cell.strip()]
    return bool(cells) and "|" in line and all(_RULE_CELL.fullmatch(cell) for cell in cells)


def _is_row(line: str, pipes: list[int]) -> bool:
    """A whole line that is a row: closed by pipes on both sides, a rule, or many short cells with numbers."""
    body = line.strip()
    if len(pipes) > 1 and body[0] == "|" and body[-1] == "|":
        return True
    cells = body.split("|")
    edges_short = max(len(cells[0].split()), len(cells[-1].split())) <= _EDGE_WORDS
    return _is_rule(line) or (len(pipes) >= _RUN_PIPES and edges_short and _tabular(cells, every=True))


def _tabular(cells: list[str], *, every: bool) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    if not filled or (every and max(map(len, filled)) > _CELL_CHARACTERS):
        return False
    numbers = sum(1 for cell in filled if _NUMBER_CELL.fullmatch(cell) or _RULE_CELL.fullmatch(cell))
    return numbers >= max(1, len(filled) / 4)


def _inner_runs(line: str, pipes: list[int]) -> Iterator[Span]:
    """Runs of close pipes inside a line of prose whose cells hold numbers or a rule."""
    run = [pipes[0]]
    for pipe in [*pipes[1:], len(line) + _CELL_CHARACTERS + 1]:
        if pipe - run[-1] <= _CELL_CHARACTERS:
            run.append(pipe)
            continue
        if len(run) > _RUN_PIPES and _tabular(line[run[0] + 1 : run[-1]].split("|"), every=False):
            yield run[0], run[-1] + 1
        run = [pipe]


def _insert_before_last(found: list[Span], head: Span) -> None:
    last = found.pop()
    while found and found[-1][0] >= head[0]:
        found.pop()
    found += [head, last]


def _with_bodies(text: str, found: list[Span]) -> list[Span]:
    """Lengthen tables without outer pipes by the rows that follow their rule."""
    out: list[Span] = []
    for start, end in found:
        if out and start < out[-1][1]:
            continue
        stop = end
        if _is_rule(text[start:end]):
            while (stop < len(text)) and text[stop] == "\n":
                after = text.find("\n", stop + 1)
                after = len(text) if after < 0 else after
                if not _PIPE.search(text, stop + 1, after):
                    break
                stop = after
        out.append((start, stop))
    return out


def prose_sentences(text: str, max_characters: int = _MAX_CHARACTERS) -> list[Span]:
    """The sentences of a text that a summary may quote.

    Args:
        text: Markdown or plain text.
        max_characters: a longer pseudo-sentence is cut at its last clause end, else word end, before this.

    Returns:
        Spans of prose, ascending, never overlapping: no table rows, code or headings, underlined ones and strong
        words that open a paragraph among them; no list items that are no sentences of their own; no fragments, which
        are pieces with fewer than two words, mostly signs, mostly numbers, or ended by a sign that goes on.
    """
    found: list[Span] = []
    start = 0
    for left, right in [*sorted([*table_runs(text), *_listings(text)]), (len(text), len(text))]:
        for first, last in sentences(text[start:left]):
            span = (start + first, start + last)
            if _is_prose(text[span[0] : span[1]]):
                found.append(_clamped(text, span, max_characters))
        start = max(start, right)
    return found


def _listings(text: str) -> Iterator[Span]:
    """Fenced code; a fence that is never closed hides nothing."""
    opened = -1
    for start, end in _lines(text):
        if not _FENCE.match(text[start:end]):
            continue
        if opened < 0:
            opened = start
        else:
            yield opened, end
            opened = -1


def _is_prose(sentence: str) -> bool:
    if sentence.startswith(("#", "```", "~~~")) or _is_label(sentence):
        return False
    tokens = sentence.split()
    words = sum(1 for token in tokens if _WORD.search(token))
    numbers = sum(1 for token in tokens if any(sign.isdigit() for sign in token) and not _WORD.search(token))
    signs = len(sentence) - sentence.count(" ")
    letters = sum(map(str.isalpha, sentence))
    enough = words >= 2 or (len(tokens) == 1 and letters > len(tokens[0]) / 2 and not sentence.isascii())
    return enough and letters >= _LETTER_SHARE * signs and numbers <= _NUMBER_SHARE * len(tokens)


def _is_label(sentence: str) -> bool:
    """A heading of another make, what leads to something else, or a list item that is only a part of a sentence."""
    item = _ITEM.match(sentence)
    body = sentence[item.end() :] if item else sentence
    if _GOES_ON.search(body[-10:]) or _UNDERLINED.search(sentence) or _STRONG.match(body):
        return True
    first = body.lstrip("\"'“‘«([*_`")[:1]
    return item is not None and (first.islower() or not _ENDED.search(body[-10:]))


def _clamped(text: str, span: Span, limit: int) -> Span:
    start, end = span
    if end - start <= limit:
        return span
    clause = [cut.end() for cut in _CLAUSE_END.finditer(text, start + limit // 2, start + limit)]
    word = text.rfind(" ", start + limit // 2, start + limit)
    stop = clause[-1] if clause else word if word > 0 else start + limit
    return start, start + len(text[start:stop].rstrip())
