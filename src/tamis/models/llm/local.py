"""A GGUF file run in this process.

The runtime (`xllamacpp`, extra ``tamis[local]``) answers on a loopback port of its own choosing. It is given a key made
for this process, so nothing else on the machine can use it, and is spoken to by the same client as any other endpoint:
deadlines, limits and errors are the same code.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tamis.errors import ModelFilesError, with_extra
from tamis.models.llm.client import ChatClient
from tamis.models.llm.tokens import estimate_tokens
from tamis.models.protocols import Completion, Message

SEED = 7
"""Same prompt, same answer."""


class LocalChat:
    """A model file, loaded on first use.

    Args:
        path: of the GGUF file.
        context_tokens: tokens the model reads and writes in all.
        timeout_seconds: for one call.
        threads: of the runtime; 0 lets it choose.
    """

    def __init__(self, path: Path, *, context_tokens: int, timeout_seconds: float, threads: int = 0) -> None:
        self._path = path
        self._context = context_tokens
        self._timeout = timeout_seconds
        self._threads = threads
        self._lock = threading.Lock()
        self._server: Any = None
        self._client: ChatClient | None = None

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def count_tokens(self, text: str) -> int:
        """An upper estimate: the model is not loaded only to count."""
        return estimate_tokens(text)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float, schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer once; see `ChatModel.complete`.

        Raises:
            ModelFilesError: the runtime is not installed or cannot load the file.
        """
        with self._lock:
            client = self._client or self._start()
            return client.complete(messages, max_tokens=max_tokens, temperature=temperature, schema=schema)

    def _start(self) -> ChatClient:
        if not self._path.is_file():
            raise ModelFilesError(f"no model file at {self._path}", fix="mend llm.main.model, or leave it empty")
        if find_spec("xllamacpp") is None:
            raise ModelFilesError(
                f"running {self._path.name} in the process needs the package xllamacpp, which is not installed",
                fix=f"{with_extra('local')}, or name an endpoint in llm.main.base_url",
            )
        import xllamacpp

        key = secrets.token_urlsafe(24)
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_ctx = self._context
        params.n_parallel = 1
        params.api_keys = [key]
        params.sampling.seed = SEED
        # Nothing but the model: no page, no download, no prompt cache that would make a second answer differ.
        params.ui = False
        params.offline = True
        params.warmup = False
        params.cache_prompt = False
        params.verbosity = -1
        if self._threads:
            params.cpuparams.n_threads = self._threads
            params.cpuparams_batch.n_threads = self._threads
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise ModelFilesError(
                f"{self._path} cannot be loaded as a GGUF model: {error}", fix="name another file in llm.main.model"
            ) from error
        self._client = ChatClient(
            f"{self._server.listening_address}/v1",
            self.name,
            api_key=SecretStr(key),
            timeout_seconds=self._timeout,
            extra={"seed": SEED, "cache_prompt": False},
        )
        return self._client
