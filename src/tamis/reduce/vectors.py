"""Sentence vectors, remembered within the process: follow-up questions meet the same passages again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from tamis.models.protocols import Embedder, EmbeddingIdentity, Matrix, Vector

_LIMIT = 8192
_known: OrderedDict[tuple[EmbeddingIdentity, str], Vector] = OrderedDict()
_lock = Lock()


def passages(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """As ``embedder.passages``, computing each distinct text once. The same vectors, remembered or not.

    Args:
        embedder: its identity is part of the memory's key.
        texts: (N,).

    Returns:
        (N, D).
    """
    identity = embedder.identity
    with _lock:
        found = {text: _known[identity, text] for text in texts if (identity, text) in _known}
    missing = [text for text in dict.fromkeys(texts) if text not in found]
    if missing:
        # Copies: a row that is a view would keep the whole batch alive for as long as it is remembered.
        rows = (row.copy() for row in embedder.passages(missing))
        found.update(zip(missing, rows, strict=True))
    with _lock:
        for text in texts:
            _known[identity, text] = found[text]
            _known.move_to_end((identity, text))
        while len(_known) > _LIMIT:
            _known.popitem(last=False)
    return np.stack([found[text] for text in texts]) if texts else np.zeros((0, identity.dimensions), np.float32)
