"""A BERT-style network in the ONNX runtime, shown one text at a time.

Dynamic int8 quantisation picks its scales per batch, so what comes out for a text would depend on its neighbours. At
batch size 1 it is bit-identical across runs and thread counts. Several texts run side by side, each on one thread: a
text is too small to be shared between cores, they would wait for one another half of the time.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_ARENAS = 2
_M_ARENA_MAX = -8


def _share_heaps() -> None:
    """Let the threads of this process share their heaps, where the C library is glibc.

    It gives every thread one of its own, and each keeps the most that any text ever needed: hundreds of megabytes for
    nothing. Sharing two costs no time that can be measured.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)


class Network:
    """Texts, or pairs of texts, to the network's first output.

    Args:
        folder: holds ``model.onnx`` and ``tokenizer.json``.
        max_tokens: longer inputs are cut; of a pair, the second text.
        threads: texts at once; 0 takes one per core.
    """

    def __init__(self, folder: Path, *, max_tokens: int, threads: int = 0) -> None:
        self._folder = folder
        self._max_tokens = max_tokens
        self._threads = threads
        _share_heaps()

    @cached_property
    def _session(self) -> Any:  # noqa: ANN401 - onnxruntime ships no types
        # Newer runtimes phone home on import; this must be set before the first one.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Memory patterns are kept per input shape, and an arena keeps what its longest text ever needed; texts come in
        # hundreds of lengths. Without both a third of the memory is saved and no time is lost.
        options.enable_mem_pattern = False
        options.enable_cpu_mem_arena = False
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
    def _inputs(self) -> list[str]:
        return [entry.name for entry in self._session.get_inputs()]

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads or os.cpu_count() or 1, thread_name_prefix="onnx")

    def outputs(self, texts: Sequence[tuple[str, ...]]) -> list[npt.NDArray[np.float32]]:
        """The first output for each text, or pair of texts, without the batch axis."""
        if not texts:
            return []
        # Made by this thread, so that those of the pool find it.
        _ = self._inputs, self._tokenizer
        return list(self._pool.map(self._output, texts) if len(texts) > 1 else map(self._output, texts))

    def _output(self, text: tuple[str, ...]) -> npt.NDArray[np.float32]:
        encoding = self._tokenizer.encode(*text)
        feed = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        found: npt.NDArray[np.float32] = self._session.run(None, {name: feed[name] for name in self._inputs})[0][0]
        return found
