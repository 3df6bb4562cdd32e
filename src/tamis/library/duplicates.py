"""Texts that say the same in other words, and how many independent origins there are (L8).

Copies word for word are found when documents are digested (S5). A paraphrase shares few runs of words with its
original, but its meaning, most of the rarer words, and the numbers. Two texts say the same when

    cosine + 0.2 · (shared words / words of the shorter) + 0.05 · (shared numbers / numbers of the one with fewer)

reaches 1.115, where a text without numbers counts as sharing half of them. The weights are those of a logistic
regression on abstracts and their machine paraphrases, rounded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from tamis.library.neighbours import nearest_by_vector
from tamis.models.protocols import Matrix
from tamis.text.tokens import terms

_NEIGHBOURS = 20
_LEAST_COSINE = 0.92
_WORDS = 0.2
_NUMBERS = 0.05
_NO_NUMBERS = 0.5
_SAME = 1.115
_MOSTLY = 0.5
_NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")

Content = tuple[frozenset[str], frozenset[str]]


def sameness(cosine: float, one: Content, other: Content) -> float:
    """How likely two texts say the same.

    Args:
        cosine: of their vectors.
        one: words and numbers of the one, as `content` gives them.
        other: of the other.
    """
    words = len(one[0] & other[0]) / max(1, min(len(one[0]), len(other[0])))
    fewer = min(len(one[1]), len(other[1]))
    numbers = len(one[1] & other[1]) / fewer if fewer else _NO_NUMBERS
    return cosine + _WORDS * words + _NUMBERS * numbers


def content(text: str) -> Content:
    """The stems and the numbers of a text."""
    words = frozenset(term for term in terms(text) if not term[0].isdigit())
    return words, frozenset(_NUMBER.findall(text))


def restatements(vectors: Matrix, texts: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of texts that say the same.

    Of more than twenty texts that say the same, not every pair is found, but they hang together.

    Args:
        vectors: (N, D) unit rows.
        texts: N.

    Returns:
        Rows, the lower first, ascending.
    """
    first: dict[str, int] = {}
    pairs = [(first[text], row) for row, text in enumerate(texts) if first.setdefault(text, row) != row]
    rows = np.array(sorted(first.values()), dtype=np.int64)
    near = nearest_by_vector(vectors[rows], _NEIGHBOURS)
    close = near.weights >= _LEAST_COSINE
    found: dict[int, Content] = {}
    sources, targets = rows[near.sources[close]].tolist(), rows[near.targets[close]].tolist()
    for source, target, cosine in zip(sources, targets, near.weights[close].tolist(), strict=True):
        for row in (source, target):
            if row not in found:
                found[row] = content(texts[row])
        if sameness(cosine, found[source], found[target]) >= _SAME:
            pairs.append((min(source, target), max(source, target)))
    return sorted(set(pairs))


def origins(
    owners: Sequence[str], vectors: Matrix, texts: Sequence[str], copies: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Which documents have one origin.

    Two documents do when at least half of the chunks of the one say the same as chunks of the other; so a short one
    that is taken from a long one has none of its own.

    Args:
        owners: the document of each of N chunks.
        vectors: (N, D) unit rows.
        texts: N.
        copies: document → the one it copies (S5).

    Returns:
        Document → the smallest id of those of its origin, which may be its own.
    """
    root = {name: name for name in sorted({*owners, *(copies or {}), *(copies or {}).values()})}

    def found(name: str) -> str:
        while root[name] != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    def join(one: str, other: str) -> None:
        low, high = sorted((found(one), found(other)))
        root[high] = low

    for name, copied in (copies or {}).items():
        join(name, copied)
    for one, other in _copied(owners, restatements(vectors, texts)):
        join(one, other)
    return {name: found(name) for name in sorted(set(owners))}


def _copied(owners: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[tuple[str, str]]:
    sizes: defaultdict[str, int] = defaultdict(int)
    for owner in owners:
        sizes[owner] += 1
    twins: defaultdict[tuple[str, str], tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for one, other in pairs:
        left, right = sorted((one, other), key=lambda row: owners[row])
        if owners[left] != owners[right]:
            for place, row in enumerate((left, right)):
                twins[owners[left], owners[right]][place].add(row)
    return [
        names
        for names, rows in sorted(twins.items())
        if any(len(some) >= _MOSTLY * sizes[name] for name, some in zip(names, rows, strict=True))
    ]
