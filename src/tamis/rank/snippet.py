"""The passage of a chunk that shows best why it was found."""

from __future__ import annotations

from collections.abc import Mapping

from tamis.text.inline import plain
from tamis.text.sentences import sentences
from tamis.text.tokens import terms


def snippet(text: str, wanted: Mapping[str, float], *, characters: int = 240) -> str:
    """The sentence that holds most of the question's terms, with the following ones while they fit.

    Args:
        text: the chunk, Markdown.
        wanted: analysed term → weight.
        characters: most characters, cut at a word with an ellipsis.

    Returns:
        Plain text on one line.
    """
    flat = " ".join(plain(text).split())
    spans = sentences(flat)
    if not spans:
        return _cut(flat, characters)
    weights = [sum(wanted.get(term, 0.0) for term in set(terms(flat[start:end]))) for start, end in spans]
    at = max(range(len(spans)), key=lambda index: (weights[index], -index))
    end = at
    while end + 1 < len(spans) and spans[end + 1][1] - spans[at][0] <= characters:
        end += 1
    return _cut(flat[spans[at][0] : spans[end][1]].strip(), characters)


def _cut(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    head = text[: characters - 1]
    return (head.rsplit(" ", 1)[0] if " " in head else head).rstrip(",;: ") + "…"
