"""What is put on shelves as a whole: documents, or chunks where there are few of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tamis.library.paths import Passage, chapters, folders, is_index, own_titles
from tamis.library.vocabulary import Background, background, spellings
from tamis.models.protocols import Matrix

Rows = npt.NDArray[np.int64]

FEWEST = 30
"""With fewer documents chunks are the units; fewer units are not divided."""
_OPENING = 1500


@dataclass(frozen=True, slots=True)
class Units:
    """What is put on shelves as a whole: U documents or chunks.

    Attributes:
        vectors: (U, D).
        weights: (U,) chunks in each.
        paths: where the source puts each.
        titles: as the source writes them.
        texts: what each is named by.
        indexes: folder → the title of its index page.
        spelling: how words are written in running text.
        common: how common words are in all of them.
        members: the chunks of each.
    """

    vectors: Matrix
    weights: Rows
    paths: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    texts: tuple[str, ...]
    indexes: Mapping[tuple[str, ...], str]
    spelling: Mapping[str, str]
    common: Background
    members: tuple[tuple[str, ...], ...]


def units_of(passages: Sequence[Passage], vectors: Matrix) -> Units:
    """Group passages into what stands on a shelf as a whole.

    Args:
        passages: N, in ascending order of their ids.
        vectors: (N, D).
    """
    groups: dict[str, list[int]] = {}
    by_document = len({passage.document_id for passage in passages}) >= FEWEST
    for row, passage in enumerate(passages):
        groups.setdefault(passage.document_id if by_document else passage.chunk_id, []).append(row)
    heads = [passages[rows[0]] for rows in groups.values()]
    titles = own_titles([head.title for head in heads])
    parts = [[passages[row] for row in rows] for rows in groups.values()]
    told = tuple(_telling(part, title) for part, title in zip(parts, titles, strict=True))
    return Units(
        vectors=np.stack([mean(vectors[rows]) for rows in groups.values()]),
        weights=np.array([len(rows) for rows in groups.values()], dtype=np.int64),
        paths=tuple(folders(head.url) if by_document else chapters(head) for head in heads),
        titles=tuple(head.title for head in heads),
        texts=told,
        indexes={folders(head.url): title for head, title in zip(heads, titles, strict=True) if is_index(head.url)},
        spelling=spellings(passage.text[:_OPENING] for passage in passages),
        common=background(told),
        members=tuple(tuple(passage.chunk_id for passage in part) for part in parts),
    )


def mean(vectors: Matrix) -> Matrix:
    """The direction of the mean of some rows, (D,); zeros where they cancel each other."""
    total = vectors.sum(axis=0, dtype=np.float64)
    length = float(np.sqrt((total * total).sum()))
    direction: Matrix = (total / length if length else total).astype(np.float32)
    return direction


def _telling(passages: Sequence[Passage], title: str) -> str:
    """Title, headings and opening, which say what a page is about; the text where there are no headings."""
    headings = dict.fromkeys(heading for passage in passages for heading in passage.headings[1:])
    opening = passages[0].text[:_OPENING]
    return "\n\n".join([title, *headings, opening] if title or headings else [passage.text for passage in passages])
