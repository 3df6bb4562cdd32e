"""Keeping orders to a model out of everything that is made of fetched text (K5).

A model sees more of a document than its sentences: titles and headings stand beside them. And an order may begin in a
passage that is read and end in the next one, which is not. So the screen reads each passage where it stands: below its
title and headings, between what precedes and what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from tamis.models.protocols import Matrix
from tamis.reduce.evidence import nearest
from tamis.reduce.segments import Unit
from tamis.schema.document import Anchor, Document
from tamis.schema.evidence import Quarantined, Segment

Screen = Callable[[Sequence[Segment]], tuple[Sequence[Segment], Sequence[Quarantined]]]
Probe = Callable[[Matrix], Sequence[str]]
"""(N, D) sentence vectors → (N,) why each is kept from models, empty where it is not."""
Pair = tuple[Segment, Unit]

_HEADING = "### "
"""Headings are read with a mark: some chat templates begin their turns like that."""
_WORDED = frozenset({"prose", "step"})
_JOINTS = re.compile(r"[-_+.]+")
_CONTEXT = 240
"""Characters in front of what is read, and behind it, that are read along."""


@dataclass(frozen=True, slots=True)
class Screened:
    """What may be shown.

    Attributes:
        pairs: the segments that passed, without the headings that did not.
        documents: of those segments, by id, without the titles that did not pass.
        quarantine: passages, titles and headings that did not, by document and position.
    """

    pairs: tuple[Pair, ...]
    documents: Mapping[str, Document]
    quarantine: tuple[Quarantined, ...]


def screened(pairs: Sequence[Pair], documents: Mapping[str, Document], screen: Screen) -> Screened:
    """Read segments, their titles and headings, and sort out what reads like an order to a model.

    Args:
        pairs: grouped by document, in document order within.
        documents: by id.
        screen: parts segments into those that may be shown and those that may not.
    """
    owners = {segment.document_id: documents[segment.document_id] for segment, _ in pairs}
    passages = [*_asides(pairs, owners), *(_as_written(segment, owners) for segment, _ in pairs)]
    kept, refused = screen(passages)
    passed = {(segment.document_id, segment.start) for segment in kept if segment.chunk_id}
    own = {(segment.document_id, segment.start, segment.end) for segment, _ in pairs}
    refused = [replace(entry, text=entry.text.removeprefix(_HEADING)) for entry in refused]
    aside = {(entry.document_id, entry.text) for entry in refused if (entry.document_id, *entry.span) not in own}
    names = {(identity, name) for identity, one in owners.items() for name in (one.title, *_headings(pairs, identity))}
    shown = tuple(
        (_without_headings(segment, aside), unit)
        for segment, unit in pairs
        if (segment.document_id, segment.start) in passed
    )
    return Screened(
        pairs=shown,
        documents={identity: _without_names(one, aside) for identity, one in owners.items()},
        # What surrounds the passages is only read along; it is not shown anyway.
        quarantine=tuple(
            entry
            for entry in refused
            if (entry.document_id, *entry.span) in own or (entry.document_id, entry.text) in names
        ),
    )


def probed(
    segments: Sequence[Segment], vectors: Matrix, probe: Probe | None
) -> tuple[list[int], tuple[Quarantined, ...]]:
    """What passed the screen may still be worded like an order; its vector tells.

    Args:
        segments: (N,) what is left.
        vectors: (N, D) of them.
        probe: reads vectors; None where there is none for these.

    Returns:
        Rows that may be shown, and what may not. Code and tables are no sentences: they pass.
    """
    if probe is None or not segments:
        return list(range(len(segments))), ()
    reasons = [why if one.kind in _WORDED else "" for one, why in zip(segments, probe(vectors), strict=True)]
    return [row for row, why in enumerate(reasons) if not why], tuple(
        Quarantined(one.document_id, (one.start, one.end), why, one.text)
        for one, why in zip(segments, reasons, strict=True)
        if why
    )


def _as_written(segment: Segment, documents: Mapping[str, Document]) -> Segment:
    """With the marks that plain text has lost, where they may be labels that take themselves for links."""
    written = documents[segment.document_id].text[segment.start : segment.end]
    return replace(segment, text=written) if "][" in written else segment


def _without_names(document: Document, refused: set[tuple[str, str]]) -> Document:
    """Without a title or anchors that were refused."""
    identity = document.document_id
    if (identity, document.title) in refused:
        document = replace(document, title="")
    if any((identity, _spelled(anchor)) in refused for anchor in document.anchors):
        kept = tuple(anchor for anchor in document.anchors if (identity, _spelled(anchor)) not in refused)
        document = replace(document, anchors=kept)
    return document


def _spelled(anchor: Anchor) -> str:
    """The words of a fragment: it often repeats a heading."""
    return _JOINTS.sub(" ", unquote(anchor.fragment))


def _headings(pairs: Sequence[Pair], document_id: str) -> Iterator[str]:
    for segment, _ in pairs:
        if segment.document_id == document_id:
            yield from segment.headings


def _without_headings(segment: Segment, refused: set[tuple[str, str]]) -> Segment:
    if not any((segment.document_id, heading) in refused for heading in segment.headings):
        return segment
    kept = tuple(heading for heading in segment.headings if (segment.document_id, heading) not in refused)
    return replace(segment, headings=kept)


def _asides(pairs: Sequence[Pair], documents: Mapping[str, Document]) -> Iterator[Segment]:
    """Titles, new headings and surroundings as segments of no chunk, each where it stands."""
    before: Segment | None = None
    for segment, _ in pairs:
        document = documents[segment.document_id]
        if before is not None and before.document_id != segment.document_id:
            yield from _behind(documents[before.document_id], before)
            before = None
        if before is None and document.title:
            yield Segment(segment.document_id, "", 0, 0, document.title)
        if before is None or segment.start - before.end > _CONTEXT:
            if before is not None:
                yield from _behind(document, before)
            yield from _in_front(document, segment)
        known = before.headings if before is not None else ()
        for depth, heading in enumerate(segment.headings):
            if segment.headings[: depth + 1] != known[: depth + 1]:
                start = max(document.text.rfind(heading, 0, segment.start), 0)
                end = start + len(heading) if document.text.startswith(heading, start) else start
                yield Segment(segment.document_id, "", start, end, _HEADING + heading)
        anchor = nearest(document, segment.start)
        if anchor is not None and (before is None or anchor != nearest(document, before.start)):
            yield Segment(segment.document_id, "", segment.start, segment.start, _spelled(anchor))
        before = segment
    if before is not None:
        yield from _behind(documents[before.document_id], before)


def _in_front(document: Document, segment: Segment) -> Iterator[Segment]:
    start = max(0, segment.start - _CONTEXT)
    if text := document.text[start : segment.start].strip():
        yield Segment(document.document_id, "", start, segment.start, text)


def _behind(document: Document, segment: Segment) -> Iterator[Segment]:
    if text := document.text[segment.end : segment.end + _CONTEXT].strip():
        yield Segment(document.document_id, "", segment.end, segment.end + len(text), text)
