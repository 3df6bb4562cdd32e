"""A language model behind an OpenAI-compatible endpoint.

Only the host that the settings name is contacted: redirects are not followed, proxies of the environment are ignored,
and nothing a model or a page says becomes an address.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import SecretStr

from tamis.errors import ModelAuthError, ModelError, ModelReplyError, ModelUnreachableError, SettingsError
from tamis.models.llm.tokens import MESSAGE_OVERHEAD, estimate_tokens
from tamis.models.protocols import Completion, Message

MAX_REPLY_BYTES = 4_000_000
"""A chat completion is a few kilobytes; anything this long is not one."""
_REASON_CHARACTERS = 200


class ChatClient:
    """One model at one endpoint. Never retries, never follows, never logs a key.

    Args:
        base_url: with the version path, e.g. ``http://127.0.0.1:11434/v1``; ``/v1`` is added where there is no path.
        model: its name there.
        api_key: sent as bearer token where not empty.
        timeout_seconds: for one whole call.
        extra: fields added to each request, for endpoints that know more than the common ones.
        clock: monotonic seconds.

    Raises:
        SettingsError: the address is not http(s) with a host.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: SecretStr | None = None,
        timeout_seconds: float = 120.0,
        extra: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = _completions_url(base_url)
        self._model = model
        self._key = api_key or SecretStr("")
        self._timeout = timeout_seconds
        self._extra = dict(extra or {})
        self._clock = clock

    @property
    def name(self) -> str:
        """As the endpoint knows it."""
        return self._model

    def count_tokens(self, text: str) -> int:
        """An upper estimate: an endpoint does not tell its tokenizer."""
        return estimate_tokens(text)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float, schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer once; see `ChatModel.complete`."""
        body: dict[str, Any] = {
            **self._extra,
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream": False,
        }
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": schema, "strict": True},
            }
        started = self._clock()
        status, raw = self._post(body)
        if status != 200:
            raise self._refusal(status, raw)
        return self._completion(raw, messages, self._clock() - started)

    def _post(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and body of the answer, within the time and size limits."""
        import httpx

        headers = {"Accept": "application/json"}
        if key := self._key.get_secret_value():
            headers["Authorization"] = f"Bearer {key}"
        deadline = self._clock() + self._timeout
        try:
            with (
                httpx.Client(timeout=self._timeout, trust_env=False, follow_redirects=False) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                parts: list[bytes] = []
                size = 0
                for part in response.iter_bytes():
                    parts.append(part)
                    size += len(part)
                    if size > MAX_REPLY_BYTES:
                        raise ModelReplyError(
                            f"the answer of {self._url} is over {MAX_REPLY_BYTES:,} bytes",
                            fix="is this the address of a chat model? See llm.main.base_url",
                        )
                    if self._clock() > deadline:
                        raise self._late()
                return response.status_code, b"".join(parts)
        except httpx.TimeoutException as error:
            raise self._late() from error
        except httpx.HTTPError as error:
            raise ModelUnreachableError(
                f"no answer from {self._url}: {_short(str(error)) or type(error).__name__}",
                fix="start the model server, or mend llm.main.base_url",
            ) from error

    def _late(self) -> ModelUnreachableError:
        return ModelUnreachableError(
            f"{self._url} did not finish within {self._timeout:g} s",
            fix="raise llm.main.timeout_seconds, or use a smaller model",
        )

    def _refusal(self, status: int, raw: bytes) -> ModelError:
        """The error for a status other than 200."""
        said = _short(_error_text(raw).replace(self._key.get_secret_value() or "\0", "…"))
        told = f"{self._url} answered {status}" + (f": {said}" if said else "")
        if status in (401, 403):
            return ModelAuthError(told, fix="set llm.main.api_key to a valid key")
        if status == 404:
            return ModelAuthError(
                f"{told} (model {self._model!r})", fix="mend llm.main.model or the path of llm.main.base_url"
            )
        if status == 429:
            return ModelUnreachableError(told, fix="the endpoint limits its rate or the quota is used up; try later")
        if status >= 500:
            return ModelUnreachableError(told, fix="look at the model server's own log")
        if 300 <= status < 400:
            return ModelUnreachableError(
                f"{told} (a redirect, which is not followed)", fix="put the final address into llm.main.base_url"
            )
        return ModelReplyError(told, fix="the endpoint does not accept the request; is it OpenAI-compatible?")

    def _completion(self, raw: bytes, messages: Sequence[Message], seconds: float) -> Completion:
        """The first choice of a chat completion, usage estimated where it is missing."""
        try:
            data = json.loads(raw)
            choice = data["choices"][0]
            message = choice["message"]
            # Reasoning servers leave the content null while only thoughts came.
            text = message.get("content") or ""
            finish = str(choice.get("finish_reason") or "stop")
            usage = data.get("usage") or {}
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ModelReplyError(
                f"{self._url} answered something that is not a chat completion: {_short(_decoded(raw))!r}",
                fix="llm.main.base_url must point at an OpenAI-compatible endpoint, usually ending in /v1",
            ) from error
        if not isinstance(text, str):
            raise ModelReplyError(f"{self._url} answered with content of type {type(text).__name__}, not text")
        prompt = _count(usage, "prompt_tokens")
        if prompt is None:
            prompt = sum(self.count_tokens(message.content) + MESSAGE_OVERHEAD for message in messages)
        written = _count(usage, "completion_tokens")
        return Completion(text, prompt, self.count_tokens(text) if written is None else written, finish, seconds)


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _completions_url(base_url: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(base_url.strip())
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise SettingsError(
            f"llm base_url {base_url!r} is not an http address", fix="write it like http://127.0.0.1:11434/v1"
        )
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    return parts._replace(path=path, query="", fragment="").geturl()


def _decoded(raw: bytes) -> str:
    return raw[: 4 * _REASON_CHARACTERS].decode("utf-8", "replace")


def _error_text(raw: bytes) -> str:
    """What an error body says, whatever its shape."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return _decoded(raw)
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or ""
    return str(error)


def _short(text: str) -> str:
    """One line, printable, of bounded length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _REASON_CHARACTERS else line[: _REASON_CHARACTERS - 1] + "…"
