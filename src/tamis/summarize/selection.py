"""From sentences to an extract: the best that do not repeat each other, large themes in groups first (L5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tamis.schema.document import Chunk, Span
from tamis.settings_library import LayerCSettings
from tamis.summarize import summarizer
from tamis.summarize.protocol import Scores, Summarizer
from tamis.summarize.terms import tf_idf
from tamis.text.inline import plain
from tamis.text.tables import prose_sentences


@dataclass(frozen=True, slots=True)
class Material:
    """A sentence a summary may take.

    Attributes:
        text: plain, without line breaks.
        chunk_id: where it stands.
        start: first character in the text of the chunk.
        end: one past the last.
    """

    text: str
    chunk_id: str
    start: int
    end: int


def pieces(text: str) -> list[tuple[str, Span]]:
    """The prose of a text, sentence by sentence: plain text, and where it stands.

    Args:
        text: Markdown or plain text; tables, headings and fragments are left out.
    """
    found = [(" ".join(plain(text[start:end]).split()), (start, end)) for start, end in prose_sentences(text)]
    return [(sentence, span) for sentence, span in found if sentence]


def theme_sentences(chunks: Sequence[Chunk]) -> list[Material]:
    """All sentences of some chunks that a summary may take, in the order given."""
    return [
        Material(sentence, chunk.chunk_id, start, end)
        for chunk in chunks
        for sentence, (start, end) in pieces(chunk.text)
    ]


def select(sentences: Sequence[Material], settings: LayerCSettings) -> list[int]:
    """The extract of a theme.

    Args:
        sentences: (S,); all of them take part, whatever their number.
        settings: the method, how many to take, and when and how to group.

    Returns:
        Indices, ascending.
    """
    return [row for row, _ in chosen([sentence.text for sentence in sentences], settings)]


def chosen(texts: Sequence[str], settings: LayerCSettings) -> list[tuple[int, float]]:
    """The extract of a text given as sentences.

    Above ``map_reduce_threshold`` sentences, neighbours are grouped to ``group_characters``, each group gives its best,
    and what they give is summarised again, until it is few enough.

    Args:
        texts: (S,).
        settings: as for `select`.

    Returns:
        Indices, ascending, with the scores of the last step.
    """
    method = summarizer(settings.stage1_method)
    rows = list(range(len(texts)))
    while len(rows) > settings.map_reduce_threshold:
        kept = [
            row
            for group in _groups(texts, rows, settings.group_characters)
            for row in _best(texts, group, method, settings)
        ]
        if len(kept) == len(rows):
            break
        rows = kept
    last = [texts[row] for row in rows]
    scores = method.rank(last)
    return [(rows[at], float(scores[at])) for at in best(last, scores, settings.sentences, repeats=settings.redundancy)]


def _best(texts: Sequence[str], group: Sequence[int], method: Summarizer, settings: LayerCSettings) -> list[int]:
    inside = [texts[row] for row in group]
    taken = best(inside, method.rank(inside), settings.sentences, repeats=settings.redundancy)
    return [group[at] for at in taken]


def _groups(texts: Sequence[str], rows: Sequence[int], characters: int) -> Iterator[list[int]]:
    group: list[int] = []
    held = 0
    for row in rows:
        if group and held + len(texts[row]) > characters:
            yield group
            group, held = [], 0
        group.append(row)
        held += len(texts[row])
    if group:
        yield group


def best(sentences: Sequence[str], scores: Scores, limit: int, *, repeats: float) -> list[int]:
    """The highest scores whose sentences do not repeat each other.

    Args:
        sentences: (S,).
        scores: (S,); equal ones are taken in order.
        limit: most indices.
        repeats: tf·idf cosine above which a sentence repeats one already taken; such are taken only where nothing else
            is left, and the same words never twice.

    Returns:
        Indices, ascending.
    """
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    first: dict[str, int] = {}
    for row in order.tolist():
        first.setdefault(sentences[row].casefold(), row)
    order = np.array([row for row in order.tolist() if first[sentences[row].casefold()] == row], dtype=np.int64)
    rows = tf_idf(sentences)
    across = rows.tocsr()
    closest = np.zeros(len(sentences))
    free = np.ones(len(sentences), dtype=bool)
    taken: list[int] = []
    while len(taken) < min(limit, len(order)):
        left = order[free[order]]
        fresh = left[closest[left] <= repeats]
        row = int(fresh[0] if len(fresh) else left[0])
        taken.append(row)
        free[row] = False
        closest = np.maximum(closest, across @ rows[[row]].toarray().ravel())
    return sorted(taken)
