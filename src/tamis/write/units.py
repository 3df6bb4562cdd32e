"""Evidence taken apart into the units an extractive answer is made of: sentences, steps, code blocks, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tamis.schema.evidence import Evidence
from tamis.schema.report import SentenceKind
from tamis.text.markdown import Block, blocks, plain
from tamis.text.sentences import sentences

_ITEM_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of an evidence block.

    Attributes:
        label: of the evidence.
        text: plain prose; the bare code of a code block; the Markdown of a table.
        kind: what it is.
        block: running number of its Markdown block within the evidence.
        order: running number within the evidence.
        ordered: whether a step comes from a numbered list.
        run: number of the list it belongs to within the evidence, -1 outside lists.
    """

    label: str
    text: str
    kind: SentenceKind
    block: int
    order: int
    ordered: bool = False
    run: int = -1


def _prose(block_text: str) -> list[str]:
    text = " ".join(plain(block_text).split())
    return [text[start:end].strip() for start, end in sentences(text) if text[start:end].strip()]


def _code(block_text: str) -> str:
    lines = [line for line in block_text.strip("\n").splitlines() if not _FENCE.match(line)]
    return "\n".join(lines).strip("\n")


def _pieces(block: Block, text: str) -> list[tuple[SentenceKind, str]]:
    raw = text[block.start : block.end]
    if block.kind == "code":
        return [("code", _code(raw))]
    if block.kind == "table":
        return [("table", raw.strip())]
    if block.kind == "item":
        found = " ".join(_prose(_ITEM_MARK.sub("", raw, count=1)))
        return [("step", found)] if found else []
    if block.kind == "heading":
        return []
    return [("claim", sentence) for sentence in _prose(raw.replace("\n>", "\n").removeprefix(">"))]


def _units_of(evidence: Evidence, raw: str) -> Iterator[Unit]:
    order = 0
    run = -1
    previous = ""
    for number, block in enumerate(blocks(raw)):
        if block.kind == "item" and previous != "item":
            run += 1
        previous = block.kind
        for kind, text in _pieces(block, raw):
            in_list = block.kind == "item"
            yield Unit(evidence.label, text, kind, number, order, block.ordered, run if in_list else -1)
            order += 1


def units(evidence: Sequence[Evidence], raw: Mapping[str, str]) -> list[Unit]:
    """Every unit of every evidence block, in label order then document order.

    Args:
        evidence: the blocks.
        raw: label → the Markdown under the evidence's span.
    """
    return [unit for item in evidence for unit in _units_of(item, raw[item.label])]
