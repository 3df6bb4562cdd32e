"""Orders to a model in wordings that no pattern knows, by the sentence vectors that are at hand anyway (K5).

A linear model over the vectors of one embedder; ``tools/make_probe.py`` fits it. Of another embedder's vectors it knows
nothing, so there it is not used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.text.fingerprints import sha256_hex

REASON = "worded like an order to a model"
_DIGITS = 3
"""Decimals of a score that count: the last bits of a vector differ between machines."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What tells orders from other sentences.

    Attributes:
        model: name of the embedder whose vectors it reads.
        sha256: of that embedder's weights.
        weights: (D,) log-odds for each dimension.
        bias: log-odds at the origin.
        threshold: log-odds above which a sentence is refused.
    """

    model: str
    sha256: str
    weights: npt.NDArray[np.float64]
    bias: float
    threshold: float

    def reads(self, identity: EmbeddingIdentity) -> bool:
        """Whether vectors of an embedder are those it was fitted on; the runtime may be of any version."""
        known = (self.model, self.sha256, len(self.weights))
        return (identity.model, identity.sha256, identity.dimensions) == known

    @property
    def digest(self) -> str:
        """Names what it refuses: another fit has another."""
        return sha256_hex(json.dumps([self.weights.tolist(), self.bias, self.threshold]))

    def scores(self, vectors: Matrix) -> npt.NDArray[np.float64]:
        """(N,) log-odds that each is an order, from (N, D)."""
        return np.asarray(np.round(vectors.astype(np.float64) @ self.weights + self.bias, _DIGITS), dtype=np.float64)

    def reasons(self, vectors: Matrix) -> list[str]:
        """(N,) why each is to be kept from models, from (N, D); empty where it is not."""
        return [REASON if score > self.threshold else "" for score in self.scores(vectors)]


@lru_cache(maxsize=1)
def shipped() -> Probe:
    """The one that comes with the package."""
    from tamis.text import yamls

    data = yamls.load((files("tamis.check") / "probe.yaml").read_text("utf-8"))
    weights = np.array([float(weight) for weight in str(data["weights"]).split()])
    return Probe(data["model"], data["sha256"], weights, float(data["bias"]), float(data["threshold"]))


def probe_for(identity: EmbeddingIdentity) -> Probe | None:
    """The probe for an embedder, None where there is none."""
    return probe if (probe := shipped()).reads(identity) else None
