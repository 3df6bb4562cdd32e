"""Short numbers that stand for a text: exact (SHA-256) and similar-stays-near (SimHash)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from itertools import pairwise

import numpy as np

from tamis.schema.document import Document
from tamis.text.remembered import remembered
from tamis.text.tokens import words


def sha256_hex(text: str) -> str:
    """Hex digest of the UTF-8 bytes of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def document_digest(document: Document) -> str:
    """Hex digest over everything read in a document, its text and its title among it; not over its id and address.

    Two documents with the same one need not be digested twice.
    """
    read = (
        document.sha256,
        document.title,
        document.media_type,
        document.language,
        document.published,
        document.author,
        list(document.keywords),
        [(anchor.start, anchor.fragment) for anchor in document.anchors],
        dict(document.metadata),
    )
    return sha256_hex(json.dumps(read, sort_keys=True))


@remembered(200_000)
def hash64(feature: str) -> int:
    """An unsigned 64-bit number for a string, the same in every process and on every machine (BLAKE2b)."""
    return int.from_bytes(hashlib.blake2b(feature.encode("utf-8"), digest_size=8).digest(), "little")


def simhash(text: str) -> int:
    """A 64-bit fingerprint that differs in few bits for texts that differ in few words.

    Features are words and neighbouring word pairs, weighted by their counts (Charikar, 2002).
    0 for a text without words.
    """
    sequence = words(text)
    if not sequence:
        return 0
    counts = Counter(sequence)
    counts.update(f"{left} {right}" for left, right in pairwise(sequence))
    hashes = np.fromiter((hash64(feature) for feature in counts), dtype="<u8", count=len(counts))
    weights = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    bits = np.unpackbits(hashes.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    # Twice the weight of the set bits against the weight of all: positive where set bits prevail.
    prevailing = 2 * (weights @ bits.astype(np.int64)) > weights.sum()
    return int(np.packbits(prevailing, bitorder="little").view("<u8")[0])


def hamming(a: int, b: int) -> int:
    """Bits in which two fingerprints differ."""
    return (a ^ b).bit_count()


def shingles(text: str, size: int = 4) -> frozenset[int]:
    """Hashes of all runs of ``size`` words; one hash of the whole where the text is shorter."""
    sequence = words(text)
    last = max(len(sequence) - size, 0)
    return (
        frozenset(hash(tuple(map(hash64, sequence[i : i + size]))) for i in range(last + 1))
        if sequence
        else frozenset()
    )


def jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    """Share of common elements, 1.0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 1.0
