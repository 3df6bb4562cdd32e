"""From scores to a summary: the best sentences that do not repeat each other, in document order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.schema.document import Span
from tamis.summarize.protocol import Scores, Summarizer
from tamis.summarize.terms import tf_idf
from tamis.text.markdown import plain
from tamis.text.tables import prose_sentences

_REPEATS = 0.6
"""tf·idf cosine above which a sentence repeats one already taken."""


def best(sentences: Sequence[str], scores: Scores, limit: int) -> list[int]:
    """The highest scores whose sentences do not repeat each other.

    Args:
        sentences: (S,).
        scores: (S,).
        limit: most indices; repeats are taken only where nothing else is left.

    Returns:
        Indices, ascending.
    """
    order = sorted(range(len(sentences)), key=lambda row: (-float(scores[row]), row))
    rows = tf_idf(sentences)
    taken: list[int] = []
    spare: list[int] = []
    for row in order:
        if len(taken) == limit:
            break
        close = rows[taken] @ rows[[row]].T if taken else None
        (spare if close is not None and close.nnz and np.max(close.data) > _REPEATS else taken).append(row)
    return sorted([*taken, *spare[: limit - len(taken)]])


def summarize(text: str, method: Summarizer, sentences: int = 8) -> list[Span]:
    """The sentences of a text that stand for it.

    Args:
        text: Markdown or plain text; tables, headings and fragments are never chosen.
        method: ranks the sentences.
        sentences: most of them.

    Returns:
        Spans into ``text``, in order.
    """
    spans = prose_sentences(text)
    pieces = [plain(text[start:end]) for start, end in spans]
    if not pieces:
        return []
    return [spans[row] for row in best(pieces, method.rank(pieces), sentences)]
