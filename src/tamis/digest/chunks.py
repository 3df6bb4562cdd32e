"""Cutting documents into passages along their own structure.

Blocks (paragraphs, list items, code, tables) are gathered under their headings until a passage has its size. Only a
block too large for a passage is cut itself: prose between sentences, code and tables between lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from tamis.schema.document import Chunk, Document, Span
from tamis.settings import ChunkSettings
from tamis.text.inline import plain
from tamis.text.markdown import Block, blocks
from tamis.text.sentences import sentences

_LONG_WORD = 10
"""Characters that count as one word at least, so that text without spaces has a size too."""
_NEAR_EMPTY = 0.25
"""Share of the target under which a passage would rather join its neighbour."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A stretch of text that stays together.

    ``opens`` is the level of a heading, 0 for anything else; ``leads`` says that what follows belongs to it.
    """

    start: int
    end: int
    size: int
    headings: tuple[str, ...]
    opens: int = 0
    leads: bool = False


def chunk(document: Document, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Cut a document into passages.

    Args:
        document: its text is Markdown.
        settings: target and greatest size, in words.

    Returns:
        Passages in order. They do not overlap and together hold every character that is not white space.
    """
    text = document.text
    units = _covering(text, blocks(text))
    pieces = [piece for unit in units for piece in _fitting(text, unit, settings)]
    groups = _joined_tails(_grouped(pieces, settings), settings)
    return tuple(
        Chunk(
            chunk_id=f"{document.document_id}#c{ordinal}",
            document_id=document.document_id,
            ordinal=ordinal,
            start=group[0].start,
            end=group[-1].end,
            text=text[group[0].start : group[-1].end],
            headings=_shared_path(group),
        )
        for ordinal, group in enumerate(groups)
    )


def embedding_text(document: Document, passage: Chunk) -> str:
    """What the embedder reads of a passage: title, heading path and the text without markup."""
    path = [heading for heading in passage.headings if heading != document.title]
    return "\n".join(part for part in (document.title, " > ".join(path), plain(passage.text)) if part)


def size_of(text: str) -> int:
    """Words of a text; long runs without spaces count by their characters."""
    return max(len(text.split()), len(text) // _LONG_WORD)


def _unit(text: str, start: int, end: int, block: Block | None, headings: tuple[str, ...]) -> _Unit:
    kind = block.kind if block else "paragraph"
    leads = kind == "heading" or (kind in {"paragraph", "item"} and text[start:end].endswith(":"))
    level = block.level if block and kind == "heading" else 0
    return _Unit(start, end, size_of(text[start:end]), headings, level, leads)


def _covering(text: str, found: list[Block]) -> Iterator[_Unit]:
    """Units from blocks, each from the start of its line, and from whatever no block holds."""
    done = 0
    headings: tuple[str, ...] = ()
    for block in found:
        yield from _between(text, done, block.start, headings)
        line = text.rfind("\n", done, block.start) + 1 or done
        start = line if not text[line : block.start].strip() else block.start
        headings = block.headings
        yield _unit(text, start, block.end, block, headings)
        done = block.end
    yield from _between(text, done, len(text), headings)


def _between(text: str, start: int, end: int, headings: tuple[str, ...]) -> Iterator[_Unit]:
    gap = text[start:end]
    if gap.strip():
        lead = len(gap) - len(gap.lstrip())
        yield _unit(text, start + lead, start + len(gap.rstrip()), None, headings)


def _fitting(text: str, unit: _Unit, settings: ChunkSettings) -> Iterator[_Unit]:
    """The unit itself, or its parts where it is larger than a passage may be."""
    if unit.size <= settings.max_words:
        yield unit
        return
    body = text[unit.start : unit.end]
    by_line = body.lstrip().startswith(("```", "~~~", "|")) or body.count("\n") * settings.max_words > unit.size * 20
    spans = _lines(body) if by_line else sentences(body)
    for start, end in _packed(body, _cut_to_size(body, spans, settings.max_words), settings.target_words):
        yield replace(
            unit,
            start=unit.start + start,
            end=unit.start + end,
            size=size_of(body[start:end]),
            leads=unit.leads and end == len(body),
        )


def _lines(text: str) -> list[Span]:
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            spans.append((start, start + len(line.rstrip())))
        start += len(line)
    return spans


def _cut_to_size(text: str, spans: list[Span], limit: int) -> Iterator[Span]:
    """Spans no larger than the limit; cut at spaces, or anywhere where there are none."""
    for start, end in spans:
        # Only ever a window is looked at: one line may hold megabytes.
        while end - start > limit * _LONG_WORD or size_of(text[start:end]) > limit:
            piece = text[start : min(end, start + limit * _LONG_WORD)]
            words = piece.split(maxsplit=limit)
            room = len(piece) - (len(words[limit]) if len(words) > limit else 0)
            cut = room if room < len(piece) else (max(map(piece.rstrip().rfind, " \n")) + 1 or len(piece))
            yield start, start + len(piece[:cut].rstrip())
            start += cut
            while start < end and text[start].isspace():
                start += 1
        if start < end:
            yield start, end


def _packed(text: str, spans: Iterator[Span], target: int) -> Iterator[Span]:
    """Neighbouring spans joined up to the target, covering whatever lies between them."""
    begin = stop = size = 0
    for start, end in spans:
        words = size_of(text[start:end])
        if size and size + words > target:
            yield begin, stop
            begin, size = stop + len(text[stop:start]) - len(text[stop:start].lstrip()), 0
        stop, size = end, size + words
    if text[begin:].strip():
        yield begin, len(text)


def _grouped(units: list[_Unit], settings: ChunkSettings) -> list[list[_Unit]]:
    groups: list[list[_Unit]] = []
    size = 0
    for unit in units:
        if groups and not _starts_anew(groups[-1], size, unit, settings):
            groups[-1].append(unit)
            size += unit.size
        else:
            held = _held_back(groups, unit, settings)
            groups.append([*held, unit])
            size = sum(part.size for part in groups[-1])
    return groups


def _starts_anew(group: list[_Unit], size: int, unit: _Unit, settings: ChunkSettings) -> bool:
    if size + unit.size > settings.max_words:
        return True
    if group[-1].leads:
        return False
    if unit.opens:
        # A section of its own, unless what stands before is too little to be found by; leaving the section of that
        # for a higher one is the stronger reason.
        higher = unit.opens < group[0].opens
        return size >= settings.target_words * (_NEAR_EMPTY if higher else 2 * _NEAR_EMPTY)
    return size + unit.size / 2 > settings.target_words


def _held_back(groups: list[list[_Unit]], unit: _Unit, settings: ChunkSettings) -> list[_Unit]:
    """Headings and lead-ins at the end of the last group: they move along with what they introduce."""
    if not groups:
        return []
    held = list(takewhile(lambda part: part.leads, reversed(groups[-1])))
    if len(held) == len(groups[-1]) or sum(part.size for part in held) + unit.size > settings.max_words:
        return []
    del groups[-1][len(groups[-1]) - len(held) :]
    return held[::-1]


def _joined_tails(groups: list[list[_Unit]], settings: ChunkSettings) -> list[list[_Unit]]:
    """Tiny groups joined to the one before where both stand under the same heading."""
    kept: list[list[_Unit]] = []
    for group in groups:
        size = sum(part.size for part in group)
        if kept and size < settings.target_words * _NEAR_EMPTY and not group[0].opens:
            before = sum(part.size for part in kept[-1])
            if before + size <= settings.max_words and kept[-1][-1].headings == group[0].headings:
                kept[-1].extend(group)
                continue
        kept.append(list(group))
    return kept


def _shared_path(group: list[_Unit]) -> tuple[str, ...]:
    """The headings that all of a passage stands under."""
    paths = [part.headings for part in group if not part.opens] or [part.headings for part in group]
    levels = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in levels)
