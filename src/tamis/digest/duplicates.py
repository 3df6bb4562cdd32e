"""Finding documents that repeat one another (S5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from tamis.settings import DigestSettings
from tamis.text.fingerprints import jaccard, shingles

_BITS = 64


def near_duplicates(
    prints: Sequence[tuple[str, int, str]], texts: Callable[[Sequence[str]], list[str]], settings: DigestSettings
) -> dict[str, str]:
    """Which document repeats which.

    Equal text is a repeat; nearly equal fingerprints are candidates, and a repeat if their word runs agree too.

    Args:
        prints: (document id, SimHash, SHA-256) of every document.
        texts: gives the text of documents by id.
        settings: how near is near.

    Returns:
        Document id → the smallest id of its group, without those smallest ids themselves.
    """
    parent = {document_id: document_id for document_id, _, _ in prints}

    def root(document_id: str) -> str:
        while parent[document_id] != document_id:
            parent[document_id] = parent[parent[document_id]]
            document_id = parent[document_id]
        return document_id

    def join(left: str, right: str) -> None:
        first, second = sorted((root(left), root(right)))
        parent[second] = first

    representatives: dict[str, tuple[str, int]] = {}
    for document_id, fingerprint, sha256 in sorted(prints):
        join(representatives.setdefault(sha256, (document_id, fingerprint))[0], document_id)
    for left, right in _verified(sorted(representatives.values()), texts, settings):
        join(left, right)
    return {document_id: root(document_id) for document_id in sorted(parent) if root(document_id) != document_id}


def _verified(
    prints: Sequence[tuple[str, int]], texts: Callable[[Sequence[str]], list[str]], settings: DigestSettings
) -> Iterable[tuple[str, str]]:
    for left, right in _candidates(prints, settings.duplicate_bits):
        a, b = (shingles(text) for text in texts([left, right]))
        if jaccard(a, b) >= settings.duplicate_jaccard:
            yield left, right


def _candidates(prints: Sequence[tuple[str, int]], bits: int) -> list[tuple[str, str]]:
    """Pairs whose fingerprints differ in at most ``bits`` bits.

    With ``bits + 1`` bands, two such fingerprints must agree in one band (pigeonhole), so only those are compared.
    """
    values = np.array([fingerprint for _, fingerprint in prints], dtype=np.uint64)
    edges = np.linspace(0, _BITS, bits + 2).round().astype(int).tolist()
    pairs: set[tuple[int, int]] = set()
    for low, high in pairwise(edges):
        band = (values >> np.uint64(low)) & np.uint64((1 << (high - low)) - 1)
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for row, value in enumerate(band.tolist()):
            groups[value].append(row)
        for rows in groups.values():
            if len(rows) > 1:
                pairs.update(_close(np.array(rows), values, bits))
    return [(prints[left][0], prints[right][0]) for left, right in sorted(pairs)]


def _close(rows: np.ndarray[tuple[int], np.dtype[np.int64]], values: object, bits: int) -> Iterable[tuple[int, int]]:
    numbers = np.asarray(values)[rows]
    for at in range(len(rows) - 1):
        near = np.bitwise_count(numbers[at + 1 :] ^ numbers[at]) <= bits
        for other in np.flatnonzero(near).tolist():
            yield int(rows[at]), int(rows[at + 1 + other])
