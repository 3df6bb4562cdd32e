"""Evidence blocks: passages around the chosen segments, labelled and pinned to their source (K4)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from hashlib import sha256

from tamis.models.protocols import Reranker
from tamis.models.reranker import reading_odds
from tamis.reduce.budget import shares
from tamis.schema.document import Anchor, Document
from tamis.schema.evidence import Evidence, Segment
from tamis.settings import ReduceSettings
from tamis.text.inline import plain

_GAP = 12
"""Characters of markup that may stand between two segments of one passage."""


def located(document: Document, start: int) -> str:
    """The document's URL with the nearest section anchor at or above a place in its text."""
    anchor = nearest(document, start) if document.url else None
    return f"{document.url.partition('#')[0]}#{anchor.fragment}" if anchor else document.url


def nearest(document: Document, start: int) -> Anchor | None:
    """The section anchor at or above a place in a document's text."""
    at = bisect_right(document.anchors, start, key=lambda anchor: anchor.start) - 1
    return document.anchors[at] if at >= 0 else None


def passages(segments: Sequence[Segment], seeds: Sequence[int], *, budget: int) -> list[tuple[int, int]]:
    """Grow every seed to the passage its share of the budget allows.

    Args:
        segments: grouped by document, in document order.
        seeds: indices into ``segments``, best first.
        budget: characters in all.

    Returns:
        Ranges [first, last] of indices, in the order of their seeds, never overlapping. A seed inside an earlier
        seed's passage has none of its own.
    """
    runs = [_run(segments, seed) for seed in seeds]
    distinct = list(dict.fromkeys(runs))
    demands = [sum(_size(segments[index]) for index in range(first, last + 1)) for first, last in distinct]
    allowance = dict(zip(distinct, shares(demands, budget), strict=True))
    taken: set[int] = set()
    out: list[tuple[int, int]] = []
    left = budget
    for seed, run in zip(seeds, runs, strict=True):
        size = _size(segments[seed])
        if seed in taken or size > left:
            continue
        first, last, used = _grown(segments, seed, run, min(left, max(allowance[run], size)), taken)
        allowance[run] = max(0, allowance[run] - used)
        left -= used
        taken.update(range(first, last + 1))
        out.append((first, last))
    return out


def _size(segment: Segment) -> int:
    return segment.end - segment.start


def _run(segments: Sequence[Segment], seed: int) -> tuple[int, int]:
    """The stretch of neighbouring segments under the seed's heading."""
    first = last = seed
    while first > 0 and _adjacent(segments[first - 1], segments[first]):
        first -= 1
    while last + 1 < len(segments) and _adjacent(segments[last], segments[last + 1]):
        last += 1
    return first, last


def _adjacent(left: Segment, right: Segment) -> bool:
    return (
        left.document_id == right.document_id
        and left.headings == right.headings
        and 0 <= right.start - left.end <= _GAP
    )


def _grown(
    segments: Sequence[Segment], seed: int, run: tuple[int, int], room: int, taken: set[int]
) -> tuple[int, int, int]:
    """Take in what follows and what precedes the seed, in turn, while there is room."""
    first = last = seed
    used = _size(segments[seed])
    ahead = behind = True
    while ahead or behind:
        following = last + 1
        ahead = ahead and following <= run[1] and following not in taken and used + _size(segments[following]) <= room
        if ahead:
            last = following
            used += _size(segments[following])
        preceding = first - 1
        behind = behind and preceding >= run[0] and preceding not in taken and used + _size(segments[preceding]) <= room
        if behind:
            first = preceding
            used += _size(segments[preceding])
    return first, last, used


def shown(segments: Sequence[Segment]) -> str:
    """What a writer sees of a passage: sentences run on, steps as a list, code and tables as they are."""
    return "".join(_parts(segments)).strip()


def _parts(segments: Sequence[Segment]) -> list[str]:
    """What is shown of each segment, with what joins it to the one before."""
    parts: list[str] = []
    for before, segment in zip([None, *segments[:-1]], segments, strict=True):
        if segment.kind == "code":
            parts.append(f"\n```\n{segment.text}\n```\n")
        elif segment.kind == "table":
            parts.append(f"\n{_without_repeated_head(segment, before)}\n")
        elif segment.kind == "step":
            parts.append(f"\n- {segment.text}")
        else:
            parts.append(("\n" if before is not None and before.kind == "step" else " ") + segment.text)
    return parts


def anchors_inside(document: Document, segments: Sequence[Segment]) -> tuple[Anchor, ...]:
    """The anchors that begin behind the start of a passage, at their offsets in what is shown of it.

    Args:
        document: of the passage.
        segments: the passage.
    """
    if not document.url:
        return ()
    parts = _parts(segments)
    at = len(parts[0].lstrip()) - len(parts[0])
    found: list[Anchor] = []
    for segment, part in zip(segments, parts, strict=True):
        bare = len(part.rstrip())
        # Several may hold from one place: the last of them, as for the start of a passage.
        inside = {anchor.start: anchor for anchor in _between(document.anchors, segment)}
        if segment is not segments[0] and segment.start not in inside and (held := nearest(document, segment.start)):
            inside[segment.start] = held
        for start in sorted(inside):
            if segment.kind in {"code", "table"}:
                offset = bare - (segment.end - start)
            else:
                offset = bare - len(segment.text) + len(plain(document.text[segment.start : start]))
            found.append(Anchor(at + max(offset, 0), inside[start].fragment))
        at += len(part)
    held = nearest(document, segments[0].start)
    return tuple(
        anchor
        for anchor, before in zip(found, [held, *found], strict=False)
        if before is None or anchor.fragment != before.fragment
    )


def _between(anchors: Sequence[Anchor], segment: Segment) -> Sequence[Anchor]:
    """The anchors that begin in a segment."""
    first = bisect_left(anchors, segment.start, key=lambda anchor: anchor.start)
    return anchors[first : bisect_left(anchors, segment.end, key=lambda anchor: anchor.start)]


def _without_repeated_head(segment: Segment, before: Segment | None) -> str:
    """The rows of a table's later part, whose text repeats the head, right behind an earlier part."""
    head, _, rows = segment.text.partition("\n")
    if before is None or before.kind != "table" or not rows or not before.text.startswith(f"{head}\n"):
        return segment.text
    return rows.partition("\n")[2] or segment.text


def answering(
    segments: Sequence[Segment],
    ranges: Sequence[tuple[int, int]],
    documents: Mapping[str, Document],
    *,
    questions: Sequence[str],
    reranker: Reranker | None,
    settings: ReduceSettings,
) -> tuple[list[tuple[int, int]], list[float], float]:
    """Keep the passages that answer about as well as the best one.

    Args:
        segments: all candidates.
        ranges: passages as index ranges into them.
        documents: by id.
        questions: the subqueries in words; the one a passage answers best counts.
        reranker: None keeps every passage.
        settings: margin and floor.

    Returns:
        The passages kept, in their order, for each its log-odds below the best for the same subquery, and the log-odds
        of the best one; 0 without a reranker.
    """
    if reranker is None or not questions or not ranges:
        return list(ranges), [0.0] * len(ranges), 0.0
    read = [
        (
            documents[segments[first].document_id].title,
            segments[first].headings,
            shown(segments[first : last + 1]),
        )
        for first, last in ranges
    ]
    by_question = reading_odds(reranker, questions, read)
    odds = by_question.max(axis=0)
    below = (by_question - by_question.max(axis=1, keepdims=True)).max(axis=0)
    likely = (below >= -settings.answer_margin) & (odds >= settings.answer_floor)
    kept = [place for place in range(len(ranges)) if likely[place] or below[place] == 0.0]
    return [ranges[place] for place in kept], [float(below[place]) for place in kept], float(odds.max())


def labelled(
    segments: Sequence[Segment],
    ranges: Sequence[tuple[int, int]],
    answers: Sequence[float],
    documents: Mapping[str, Document],
    *,
    topics: Mapping[str, str],
    via: Mapping[str, tuple[str, ...]],
) -> tuple[tuple[Evidence, ...], tuple[str, ...], tuple[float, ...]]:
    """Label passages E1, E2 … by falling similarity with the question.

    Args:
        segments: all candidates.
        ranges: passages as index ranges into them.
        answers: of each passage.
        documents: by id.
        topics: document id → topic; where there is none the innermost heading stands for it.
        via: document id → retrieval layers.

    Returns:
        The evidence in label order, for every segment its label, empty outside the evidence, and ``answers`` in label
        order.
    """
    relevance = [max(segments[index].similarity for index in range(first, last + 1)) for first, last in ranges]
    order = sorted(range(len(ranges)), key=lambda place: (-relevance[place], place))
    labels = [""] * len(segments)
    out: list[Evidence] = []
    for number, place in enumerate(order, start=1):
        first, last = ranges[place]
        inside = segments[first : last + 1]
        document = documents[inside[0].document_id]
        span = (inside[0].start, inside[-1].end)
        headings = inside[0].headings
        kinds = {segment.kind for segment in inside}
        labels[first : last + 1] = [f"E{number}"] * len(inside)
        out.append(
            Evidence(
                label=f"E{number}",
                title=document.title,
                url=located(document, span[0]),
                document_id=document.document_id,
                chunk_id=inside[0].chunk_id,
                span=span,
                sha256=sha256(document.text[span[0] : span[1]].encode()).hexdigest(),
                text=shown(inside),
                relevance=relevance[place],
                topic=topics.get(document.document_id) or (headings[-1] if headings else ""),
                via=via.get(document.document_id, ()),
                kind=kinds.pop() if len(kinds) == 1 else "prose",
                headings=headings,
                anchors=anchors_inside(document, inside),
            )
        )
    return tuple(out), tuple(labels), tuple(answers[place] for place in order)
