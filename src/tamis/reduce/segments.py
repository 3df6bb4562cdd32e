"""From Markdown blocks to segments: sentences, list items, code and tables with exact spans and salience (K2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix, Vector
from tamis.schema.document import Chunk, Document, Span
from tamis.schema.evidence import Segment, SegmentKind
from tamis.text.markdown import Block, blocks, code_text, plain
from tamis.text.sentences import sentences
from tamis.text.tokens import is_stop, words

_STEP_CHARACTERS = 400
"""A longer list item is cut into its sentences."""
_WHOLE_CHARACTERS = 1200
"""A longer code block or table is cut between lines."""
_SHORT_CHARACTERS = 30
"""A shorter sentence joins the one before it in its paragraph."""
_FULL_WORDS = 14
"""Content words at which a sentence carries full weight."""
_LATE_PENALTY = 0.3
"""How much less the end of a document weighs than its beginning."""
_KIND_WEIGHT: dict[SegmentKind, float] = {"prose": 1.0, "step": 0.95, "code": 0.8, "table": 0.8}
_LETTERS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A segment before it has a chunk or a score.

    Attributes:
        span: in the document's text.
        text: without list markers and inline markup.
        kind: as its segment.
        headings: the heading path above it.
        block: ordinal of its block in the document.
        ordered: an item of a numbered list.
    """

    span: Span
    text: str
    kind: SegmentKind
    headings: tuple[str, ...]
    block: int
    ordered: bool = False


# Whole documents are kept: as many as one question reads.
@lru_cache(maxsize=16)
def _blocks(text: str) -> tuple[tuple[Block, ...], npt.NDArray[np.int64]]:
    found = tuple(blocks(text))
    return found, np.fromiter((block.start for block in found), dtype=np.int64, count=len(found))


def units(text: str, start: int, end: int) -> list[Unit]:
    """Cut a stretch of a text into the pieces that can be evidence: those that begin in it.

    A long block runs over several stretches: each has its own part of it.

    Args:
        text: Markdown, the whole document: headings above the stretch count.
        start: of the stretch.
        end: one past it.

    Returns:
        Units in order, never overlapping. Headings are no unit; they are every unit's path.
    """
    found, starts = _blocks(text)
    first, last = (int(place) for place in np.searchsorted(starts, [start, end]))
    if first and found[first - 1].end > start:
        first -= 1
    pieces = (unit for ordinal in range(first, last) for unit in _of_block(text, found[ordinal], ordinal))
    return [unit for unit in pieces if start <= unit.span[0] < end]


def _of_block(text: str, block: Block, ordinal: int) -> Iterator[Unit]:
    if block.kind == "heading":
        return
    if block.kind == "code":
        yield from _code(text, block, ordinal)
    elif block.kind == "table":
        yield from _table(text, block, ordinal)
    else:
        yield from _prose(text, block, ordinal)


def _prose(text: str, block: Block, ordinal: int) -> Iterator[Unit]:
    raw = text[block.start : block.end]
    kind: SegmentKind = "step" if block.kind == "item" else "prose"
    whole = block.kind == "item" and len(raw) <= _STEP_CHARACTERS
    for start, end in [(0, len(raw))] if whole else _sentence_spans(raw):
        body = plain(raw[start:end])
        if _LETTERS.search(body):
            span = (block.start + start, block.start + end)
            yield Unit(span, body, kind, block.headings, ordinal, kind == "step" and block.ordered)


def _code(text: str, block: Block, ordinal: int) -> Iterator[Unit]:
    raw = text[block.start : block.end]
    body = code_text(raw)
    if body.strip() and len(raw) <= _WHOLE_CHARACTERS:
        yield Unit((block.start, block.end), body, "code", block.headings, ordinal)
        return
    for start, end in _line_groups(raw):
        part = code_text(raw[start:end])
        if part.strip():
            yield Unit((block.start + start, block.start + end), part, "code", block.headings, ordinal)


def _table(text: str, block: Block, ordinal: int) -> Iterator[Unit]:
    """A small table whole, a large one in groups of rows that each repeat the head in their text."""
    raw = text[block.start : block.end]
    lines = raw.split("\n", 2)
    head = "\n".join(lines[:2]) if len(lines) > 2 and not lines[1].strip("|:- \t") else ""
    for number, (start, end) in enumerate(_line_groups(raw)):
        body = raw[start:end]
        shown = f"{head}\n{body}" if number and head else body
        yield Unit((block.start + start, block.start + end), shown, "table", block.headings, ordinal)


def _line_groups(raw: str) -> list[Span]:
    """Whole lines, as many together as fit `_WHOLE_CHARACTERS`."""
    groups: list[Span] = []
    start = position = 0
    for line in raw.splitlines(keepends=True):
        if position > start and position + len(line) - start > _WHOLE_CHARACTERS:
            groups.append((start, start + len(raw[start:position].rstrip())))
            start = position
        position += len(line)
    groups.append((start, start + len(raw[start:position].rstrip())))
    return [(first, last) for first, last in groups if last > first]


def _sentence_spans(raw: str) -> list[Span]:
    """Sentences of a block, very short ones joined to the one before them."""
    spans: list[Span] = []
    for start, end in sentences(raw):
        if spans and end - start < _SHORT_CHARACTERS:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def segments_of(document: Document, chunks: Sequence[Chunk]) -> list[tuple[Segment, Unit]]:
    """The segments of a document that begin in some of its chunks.

    Args:
        document: the owner.
        chunks: those to look in, ascending by ``start``.

    Returns:
        Segments in document order with the unit each was made of; similarity and salience are still 0.
    """
    out: list[tuple[Segment, Unit]] = []
    length = max(1, len(document.text))
    for chunk in chunks:
        for piece in units(document.text, chunk.start, chunk.end):
            start, end = piece.span
            segment = Segment(
                document_id=document.document_id,
                chunk_id=chunk.chunk_id,
                start=start,
                end=end,
                text=piece.text,
                kind=piece.kind,
                headings=piece.headings,
                position=start / length,
                ordered=piece.ordered,
            )
            out.append((segment, piece))
    return out


def content_weight(text: str, kind: SegmentKind) -> float:
    """How much a segment says, in (0, 1]: content words up to a full sentence's worth, times its kind."""
    if kind in ("code", "table"):
        return _KIND_WEIGHT[kind]
    content = sum(1 for word in words(text) if not is_stop(word))
    return _KIND_WEIGHT[kind] * min(1.0, 0.25 + 0.75 * content / _FULL_WORDS)


def salience(segments: Sequence[Segment], vectors: Matrix, centroids: Sequence[Vector]) -> npt.NDArray[np.float32]:
    """Similarity to the document's centroid × position × content weight (K2), each in [0, 1].

    Args:
        segments: (N,).
        vectors: (N, D) of the segments.
        centroids: (N,) of (D,), the centroid of each segment's document.

    Returns:
        (N,) in [0, 1].
    """
    if not segments:
        return np.zeros(0, dtype=np.float32)
    central = np.einsum("nd,nd->n", vectors, np.stack(list(centroids)))
    position = np.array([1.0 - _LATE_PENALTY * segment.position for segment in segments])
    content = np.array([content_weight(segment.text, segment.kind) for segment in segments])
    product: npt.NDArray[np.float32] = (np.clip(central, 0.0, 1.0) * position * content).astype(np.float32)
    return product


def with_scores(
    segments: Sequence[Segment], similarity: npt.NDArray[np.float32], importance: npt.NDArray[np.float32]
) -> tuple[Segment, ...]:
    """The segments with their scores filled in, rounded so that they print the same everywhere."""
    return tuple(
        replace(segment, similarity=round(float(near), 4), salience=round(float(weight), 4))
        for segment, near, weight in zip(segments, similarity, importance, strict=True)
    )
