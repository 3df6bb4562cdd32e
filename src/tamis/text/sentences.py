"""Where sentences begin and end: rules over the signs around a stop, linear in the text.

A stop is a candidate; what stands before it (abbreviation, initial, list number, ellipsis) and after it (small letter,
digit, opening bracket, a word that begins sentences) decides. Spans are exact, so everything said later about a
sentence can be traced to its characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tamis.schema.document import Span
from tamis.text.abbreviations import ALWAYS, BEFORE_DIGIT, SOMETIMES, STARTERS

_CLOSERS = r"(?:[\"'”’»)\]}`*_]|\]\([^()\s]{0,300}+\))"
_STOP = re.compile(
    r"(?P<stop>\.(?:[ \t\u00a0]\.)+|(?<![.!?…‼⁇⁈⁉])[.!?…‼⁇⁈⁉]++)"
    rf"(?P<closers>{_CLOSERS}{{0,8}}+)(?=\s|\Z)"
    r"|[。！？｡]+[」』”’）》]*"
)
_BREAK = re.compile(
    r"\n(?:[ \t]*+\n)++|\n(?=[ \t]*+(?:[-*+•‣◦▪⁃][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|>|\||```|~~~))|[\u2029\f]"
)
_ONE_LINER = re.compile(r"[ \t]{0,200}+(?:#{1,6}[ \t]|\||```|~~~)")
_BULLET = re.compile(r"[•‣◦▪●⁃](?<!\S[•‣◦▪●⁃])(?=\s?\S)")
_NUMBERED = re.compile(r"(?P<mark>\d(?<!\S\d)\d?)(?P<sign>\.\)|[.)])[ \t](?=[\"'“‘(]?[^\W\d_])")
_LETTERED = re.compile(r"(?<!\S)(?P<mark>[a-z])(?P<sign>\.\)|[.)])[ \t](?=[A-Z])")
_GLUED = re.compile(r"[.!?](?<=[a-z]{3}[.!?])(?P<word>[A-Z][a-z]{0,12}+)(?=[ ,])")
_ENUMERATOR = re.compile(r"[•‣◦▪●⁃*+-]?\s?\(?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[A-Za-z]|[ivxIVX]{1,4})[.)]{1,2}")
_WORD_BEFORE = re.compile(r"[^\s\"“”‘«»()\[\]{}<>*_`/,;:—–]{1,40}+\Z")
_ELLIPSIS = frozenset(". …\u00a0\t")
_SPACED = (". . .", ".\u00a0.\u00a0.")
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]{1,2})?")
_OPENERS = "\"'“‘«([{*_`¿¡<"
_LOOK_BACK = 40


def sentences(text: str) -> list[Span]:
    """Split a text into sentences.

    Blank lines, list items and headings end a sentence whatever its last sign; a single line break inside a
    paragraph does not.

    Args:
        text: any string; cost grows linearly with its length.

    Returns:
        Spans without surrounding white space, ascending, never overlapping, holding every other character.
    """
    found: list[Span] = []
    for start, end in _paragraphs(text):
        found += _split(text, start, end)
    return found


def _paragraphs(text: str) -> Iterator[Span]:
    """Runs of text that no sentence crosses."""
    start = 0
    for gap in _BREAK.finditer(text):
        yield from _headings(text, start, gap.start())
        start = gap.end()
    yield from _headings(text, start, len(text))


def _headings(text: str, start: int, end: int) -> Iterator[Span]:
    """Cut a heading, table row or fence from the lines that follow it."""
    while start < end and _ONE_LINER.match(text, start, end):
        stop = text.find("\n", start, end)
        if stop < 0:
            break
        yield start, stop
        start = stop + 1
    yield start, end


def _split(text: str, start: int, end: int) -> Iterator[Span]:
    items = sorted({*_enumerations(text, start, end), *_glued(text, start, end)})
    cuts = sorted({*items, *_stops(text, start, end, items), end})
    for cut in cuts:
        piece = text[start:cut]
        body = piece.strip()
        if body:
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(body)
        start = cut


def _enumerations(text: str, start: int, end: int) -> Iterator[int]:
    """Where the items of a list written in one line begin: "1) … 2) …", "a. … b. …", "• … • …"."""
    for bullet in _BULLET.finditer(text, start, end):
        yield bullet.start()
    for pattern, first in ((_NUMBERED, "1"), (_LETTERED, "a")):
        if all(text.find(first + sign, start, end) < 0 for sign in ".)"):
            continue
        run: list[re.Match[str]] = []
        for mark in pattern.finditer(text, start, end):
            if run and mark["sign"] == run[-1]["sign"] and _follows(run[-1]["mark"], mark["mark"]):
                run.append(mark)
                continue
            yield from _item_starts(run)
            run = [mark] if mark["mark"] == first else []
        yield from _item_starts(run)


def _glued(text: str, start: int, end: int) -> Iterator[int]:
    """Where the space behind a stop was lost, as in "with rest.For others": a word that begins sentences tells."""
    for stop in _GLUED.finditer(text, start, end):
        if stop["word"] in STARTERS:
            yield stop.start("word")


def _item_starts(run: list[re.Match[str]]) -> list[int]:
    return [mark.start() for mark in run] if len(run) > 1 else []


def _follows(left: str, right: str) -> bool:
    if left.isdigit():
        return right.isdigit() and int(right) == int(left) + 1
    return ord(right) == ord(left) + 1


def _stops(text: str, start: int, end: int, items: list[int]) -> Iterator[int]:
    """Ends of sentences inside one paragraph, beside the beginnings known already, ``items``."""
    begun, ahead = start, 0
    for stop in _STOP.finditer(text, start, end):
        while ahead < len(items) and items[ahead] <= stop.start():
            begun = max(begun, items[ahead])
            ahead += 1
        if stop.end() < end and (stop["stop"] is None or _ends(text, begun, stop, end)):
            yield stop.end()
            begun = stop.end()


def _ends(text: str, begun: int, stop: re.Match[str], end: int) -> bool:
    """Whether a stop followed by white space closes the sentence that began at ``begun``."""
    signs, closers = stop["stop"], stop["closers"]
    position = stop.end()
    while position < end and text[position].isspace():
        position += 1
    if position == end:
        return True
    following = text[position]
    if following in ",;:)]}":
        return False
    while position < end - 1 and text[position] in _OPENERS:
        position += 1
    first = text[position]
    small = first.islower()
    if small and (closers.strip("*_`") or signs != "."):
        # "…" she said; (like this!) and on; Yahoo! in the office; and then ... nothing.
        return signs[-1] in "!?" and not closers and signs != "!"
    if set(signs) <= _ELLIPSIS and len(signs) > 1:
        # Three dots leave something out of a sentence, a fourth ends it.
        return not small and following != "(" and signs not in _SPACED
    if signs != ".":
        return True
    return _full_stop(text, begun, stop.start(), first, position)


def _full_stop(text: str, begun: int, at: int, first: str, position: int) -> bool:
    """Whether the single full stop at ``at`` is more than the mark of an abbreviation, initial or number."""
    if at - begun < _LOOK_BACK and _ENUMERATOR.fullmatch(text[begun : at + 1].strip()):
        return False
    before = _WORD_BEFORE.search(text, max(begun, at - _LOOK_BACK), at)
    if before is None:
        return True
    word = before.group().strip("'’-")
    folded = word.lower().strip(".")
    if folded in ALWAYS or (first.isdigit() and folded in BEFORE_DIGIT):
        return False
    letters = word.split(".")
    initials = all(len(part) <= 2 for part in letters) and "".join(letters).isalpha()
    if folded in SOMETIMES or (initials and (len(word) == 1 or len(letters) > 1)):
        return _starts_sentence(text, position)
    return True


def _starts_sentence(text: str, position: int) -> bool:
    word = _WORD.match(text, position)
    return word is not None and word.group() in STARTERS
