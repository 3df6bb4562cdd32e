"""The ledger that every call of a language model goes through (W2, W8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tamis.errors import BoundExceededError, ModelError
from tamis.models.llm.tokens import MESSAGE_OVERHEAD
from tamis.models.protocols import ChatModel, Completion, Message
from tamis.schema.report import Ledger, ModelCall
from tamis.settings import ModelRole

_MILLION = 1_000_000


def prompt_tokens(model: ChatModel, messages: Sequence[Message]) -> int:
    """Upper estimate of what a conversation costs to read."""
    return sum(model.count_tokens(message.content) + MESSAGE_OVERHEAD for message in messages) + MESSAGE_OVERHEAD


def cost_of(role: ModelRole, prompt: int, completion: int) -> float | None:
    """Money for that many tokens, None where the role is not priced; a file run in the process costs nothing."""
    if role.prompt_price is None and role.completion_price is None:
        return 0.0 if role.model.lower().endswith(".gguf") and not role.base_url else None
    return (prompt * (role.prompt_price or 0.0) + completion * (role.completion_price or 0.0)) / _MILLION


class CallLedger:
    """Counts calls, keeps them within their bound and remembers each one, whatever became of it.

    One run owns one ledger; nothing is shared between runs.

    Args:
        max_cost: most money the run may cost, None for no limit.
        max_tokens: most tokens it may use, None for no limit.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        *,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_cost = max_cost
        self._max_tokens = max_tokens
        self._clock = clock
        self._calls: list[ModelCall] = []
        self._bound = 0
        self._allowed: dict[str, int] = {}
        self._tokens = 0
        self._cost: float | None = 0.0

    def reserve(self, name: str, role: ModelRole, *, calls: int, prompt: int, completion: int) -> None:
        """Allow calls, after their upper bound has been found acceptable.

        Args:
            name: ``main`` or ``sentinel``.
            role: prices.
            calls: how many more calls of this role may be made.
            prompt: upper bound of the prompt tokens of all of them.
            completion: upper bound of what they may write.

        Raises:
            BoundExceededError: above the allowed tokens or money. Nothing was spent.
        """
        tokens = self._tokens + prompt + completion
        if self._max_tokens is not None and tokens > self._max_tokens:
            raise BoundExceededError(
                f"this run may use up to {tokens} tokens, above the {self._max_tokens} allowed; no call was made",
                fix=f"allow --max-tokens {tokens}, show less evidence (--limit), or use --no-llm",
            )
        price = cost_of(role, prompt, completion)
        cost = None if price is None or self._cost is None else self._cost + price
        if self._max_cost is not None and cost is None:
            raise BoundExceededError(
                f"the cost of {role.model!r} is unknown, so --max-cost {self._max_cost:g} cannot be kept; "
                "no call was made",
                fix=f"set llm.{name}.prompt_price and llm.{name}.completion_price, or leave --max-cost out",
            )
        if self._max_cost is not None and cost is not None and cost > self._max_cost:
            raise BoundExceededError(
                f"this run may cost up to {cost:.6g}, above the {self._max_cost:g} allowed; no call was made",
                fix=f"allow --max-cost {cost:.2g}, show less evidence (--limit), or use --no-llm",
            )
        self._tokens, self._cost = tokens, cost
        self._allowed[name] = self._allowed.get(name, 0) + calls
        if name == "main":
            self._bound += calls

    def metered(self, name: str, model: ChatModel, role: ModelRole) -> ChatModel:
        """The model, each of its calls counted against what was reserved for that role."""
        return _Metered(self, name, model, role, self._clock)

    def outcome(self, said: str) -> None:
        """Say of the last call why its answer was not used.

        Args:
            said: one line; replaces ``ok``.
        """
        self._calls[-1] = replace(self._calls[-1], outcome=said)

    def closed(self) -> Ledger:
        """Everything so far, frozen."""
        return Ledger(tuple(self._calls), self._bound, self._tokens, self._cost if self._allowed else None)

    def permit(self, name: str) -> None:
        """Let one call through.

        Raises:
            BoundExceededError: as many calls of that role were made as were reserved.
        """
        made = sum(call.role == name for call in self._calls)
        allowed = self._allowed.get(name, 0)
        if made >= allowed:
            raise BoundExceededError(f"{made} {name} calls were made and {allowed} are allowed; no further one is made")

    def record(self, call: ModelCall) -> None:
        """Remember a call that was made."""
        self._calls.append(call)


class _Metered:
    """A `ChatModel` whose calls are permitted and recorded by a ledger."""

    def __init__(
        self, ledger: CallLedger, role_name: str, model: ChatModel, role: ModelRole, clock: Callable[[], float]
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._role_name = role_name
        self._model = model
        self._role = role

    @property
    def name(self) -> str:
        return self._model.name

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float, schema: dict[str, Any] | None = None
    ) -> Completion:
        self._ledger.permit(self._role_name)
        started = self._clock()
        try:
            reply = self._model.complete(messages, max_tokens=max_tokens, temperature=temperature, schema=schema)
        except ModelError as error:
            # A call that failed may have been read and billed: it is counted with what it could have used.
            prompt = prompt_tokens(self._model, messages) if error.sent else 0
            self._ledger.record(
                ModelCall(
                    self._role_name,
                    self.name,
                    prompt,
                    0,
                    self._clock() - started,
                    cost_of(self._role, prompt, 0),
                    error.message,
                )
            )
            raise
        cost = cost_of(self._role, reply.prompt_tokens, reply.completion_tokens)
        self._ledger.record(
            ModelCall(self._role_name, self.name, reply.prompt_tokens, reply.completion_tokens, reply.seconds, cost)
        )
        return reply
