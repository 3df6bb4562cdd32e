"""What survives the reduce phase and may be shown to a writer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tamis.schema.document import Anchor, Span

SegmentKind = Literal["prose", "step", "code", "table"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence-to-paragraph unit scored for salience (K2).

    Attributes:
        document_id: the owner.
        chunk_id: the chunk it starts in.
        start: character offset in the document's text.
        end: one past the last character.
        text: ``Document.text[start:end]`` without list markers and inline markup.
        kind: prose, a list step, a code block or a table.
        headings: the heading path above it, outermost first.
        position: 0 at the top of the document, 1 at its end.
        salience: [0, 1], see `tamis.reduce.segments`.
        similarity: cosine with the question (best subquery), [-1, 1].
        ordered: a step of a numbered list.
    """

    document_id: str
    chunk_id: str
    start: int
    end: int
    text: str
    kind: SegmentKind = "prose"
    headings: tuple[str, ...] = ()
    position: float = 0.0
    salience: float = 0.0
    similarity: float = 0.0
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage with a label, pinned to its source span (K4).

    Attributes:
        label: ``E1``, ``E2`` … in the order shown to the writer.
        title: of the document.
        url: with the nearest section anchor where there is one, without text fragment.
        document_id: the owner.
        chunk_id: the chunk it starts in.
        span: in the document's text.
        sha256: of the UTF-8 bytes of ``Document.text[span]``; what `verify` checks.
        text: what the writer sees.
        relevance: cosine with the question, rounded to 4 places.
        topic: the document's topic by embedding anchors, or its innermost heading.
        via: the retrieval layers that found the document.
        kind: as its segment.
        headings: the heading path above it.
        anchors: further section anchors that hold from inside the passage; ``start`` is an offset in ``text``.
    """

    label: str
    title: str
    url: str
    document_id: str
    chunk_id: str
    span: Span
    sha256: str
    text: str
    relevance: float
    topic: str = ""
    via: tuple[str, ...] = ()
    kind: SegmentKind = "prose"
    headings: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A passage that reads like an instruction to a model and is kept out of every prompt (K5).

    Attributes:
        document_id: where it stood.
        span: in the document's text.
        reason: the family of pattern it matched.
        text: the passage, for a person to read; never for a prompt.
    """

    document_id: str
    span: Span
    reason: str
    text: str = ""
