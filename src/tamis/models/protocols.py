"""The three kinds of model tamis can use, each as the smallest protocol that serves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tamis.schema.entity import Mention

Vector = npt.NDArray[np.float32]
"""(D,) L2-normalised."""
Matrix = npt.NDArray[np.float32]
"""(N, D) rows L2-normalised."""


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """What must be equal for two vectors to be comparable.

    Attributes:
        model: name, e.g. ``bge-small-en-v1.5-int8``.
        sha256: of the weights, empty for remote models.
        runtime: name and version of what ran them, e.g. ``onnxruntime 1.28.0``.
        dimensions: length of a vector.
    """

    model: str
    sha256: str
    runtime: str
    dimensions: int


@runtime_checkable
class Embedder(Protocol):
    """Text to unit vectors. Same text, same vector, whatever stands beside it."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """Model, weights and runtime."""
        ...

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed stored text, (N, D); N may be 0."""
        ...

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Embed questions, (N, D), with the model's query prefix where it has one."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Reads a question and a passage together."""

    def score(self, question: str, passages: Sequence[str]) -> npt.NDArray[np.float64]:
        """(N,) log-odds that each passage answers the question."""
        ...


@runtime_checkable
class EntityRecogniser(Protocol):
    """Text to named spans."""

    def mentions(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """Mentions of each text, in order of their start."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model answered.

    Attributes:
        text: as received, `<think>` blocks included.
        prompt_tokens: as counted by the endpoint, else estimated.
        completion_tokens: likewise.
        finish_reason: ``stop``, ``length`` or what the endpoint says.
        seconds: wall time of the call.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    seconds: float


@runtime_checkable
class ChatModel(Protocol):
    """A language model. One method, one call; it never retries on its own."""

    @property
    def name(self) -> str:
        """As the endpoint knows it."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text; an upper estimate where the tokenizer is unknown."""
        ...

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float, schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer once.

        Args:
            messages: the conversation.
            max_tokens: most tokens of the answer.
            temperature: 0 for greedy.
            schema: JSON schema the answer should follow, where the endpoint can be told.

        Raises:
            ModelUnreachableError: no connection, deadline or server failure.
            ModelAuthError: key refused or model unknown.
            ModelReplyError: an answer that is not a chat completion.
        """
        ...
