"""What every summariser is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
"""(S,) higher is better."""


@runtime_checkable
class Summarizer(Protocol):
    """Ranks the sentences of one text, or of several that belong together."""

    def rank(self, sentences: Sequence[str]) -> Scores:
        """How much each sentence should be in a summary, (S,), higher is better."""
        ...
