"""A language model behind an OpenAI-compatible endpoint.

Only the host that the settings name is contacted: redirects are not followed, proxies of the environment are ignored,
and nothing a model or a page says becomes an address.
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from tamis.errors import ModelAuthError, ModelError, ModelReplyError, ModelUnreachableError, SettingsError
from tamis.models.llm.tokens import MESSAGE_OVERHEAD, estimate_tokens
from tamis.models.protocols import Completion, Message

if TYPE_CHECKING:
    from tamis.models.llm.wire import Answered

MAX_REPLY_BYTES = 4_000_000
"""A chat completion is a few kilobytes; anything this long is not one."""
_REASON_CHARACTERS = 200
_TEMPLATE_TOKENS = 2000
"""What a chat template of the endpoint's own may add to a prompt; a count further above its bytes is none."""
_CONTEXT = re.compile(
    r"context[\s_-]?(?:length|size|window|limit)|maximum context|exceeds? (?:the )?(?:available |max\w* )?context"
    r"|(?:prompt|input|request)(?: is| has)? too (?:long|large|many tokens)|too many (?:input |prompt )?tokens",
    re.IGNORECASE,
)
"""How servers say that a prompt does not fit."""


class ChatClient:
    """One model at one endpoint. Never retries, never follows, never logs a key.

    Args:
        base_url: with the version path, e.g. ``http://127.0.0.1:11434/v1``; ``/v1`` is added where there is no path.
        model: its name there.
        api_key: sent as bearer token where not empty.
        credentials: ``user:password``, sent as basic authentication where there is no key.
        timeout_seconds: for one whole call.
        extra: fields added to each request, for endpoints that know more than the common ones.
        clock: monotonic seconds.

    Raises:
        SettingsError: the address is not http(s) with a host, or the key cannot stand in a header.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: SecretStr | None = None,
        credentials: SecretStr | None = None,
        timeout_seconds: float = 120.0,
        extra: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url, self._credentials = _completions_url(base_url)
        if credentials is not None and credentials.get_secret_value():
            self._credentials = _basic(credentials.get_secret_value())
        self._model = model
        self._key = _sendable(api_key)
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
        answered = self._post(body)
        if answered.status != 200:
            raise self._refusal(answered)
        return self._completion(answered.body, messages, max_tokens, self._clock() - started)

    def _post(self, body: dict[str, Any]) -> Answered:
        """Status, headers and body of the answer, within the time and size limits."""
        import httpcore

        from tamis.models.llm.wire import PackedError, TooLargeError, post

        headers = dict(self._credentials)
        if key := self._key.get_secret_value():
            headers["Authorization"] = f"Bearer {key}"
        # Escaped to ASCII: text from the web may hold lone surrogates, which no encoding carries.
        content = json.dumps(body).encode("ascii")
        try:
            return post(
                self._url,
                content,
                headers,
                seconds=self._timeout,
                most_bytes=MAX_REPLY_BYTES,
                clock=self._clock,
            )
        except httpcore.TimeoutException as error:
            raise self._late() from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise ModelUnreachableError(
                f"no answer from {self._url}: {_short(str(error)) or type(error).__name__}",
                fix="start the model server, or mend llm.main.base_url",
                sent=not isinstance(error, httpcore.ConnectError),
            ) from error
        except TooLargeError as error:
            raise ModelReplyError(
                f"the answer of {self._url} is over {MAX_REPLY_BYTES:,} bytes",
                fix="is this the address of a chat model? See llm.main.base_url",
            ) from error
        except PackedError as error:
            raise ModelReplyError(
                f"{self._url} packed its answer as {_short(str(error))!r}, though plain text was asked for",
                fix="switch compression off for that address, or name another in llm.main.base_url",
            ) from error

    def _late(self) -> ModelUnreachableError:
        return ModelUnreachableError(
            f"{self._url} did not finish within {self._timeout:g} s",
            fix="raise llm.main.timeout_seconds, or use a smaller model",
        )

    def _refusal(self, answered: Answered) -> ModelError:
        """The error for a status other than 200."""
        status = answered.status
        said = _short(self._hiding(_error_text(answered.body)))
        told = f"{self._url} answered {status}" + (f": {said}" if said else "")
        # Some servers refuse a long prompt with 400, some with 413 or 500.
        if status == 413 or (status in (400, 422, 500) and _CONTEXT.search(said)):
            return ModelReplyError(
                f"the prompt does not fit the model's context; {told}",
                fix="set llm.main.context_tokens to what the model server was started with",
            )
        if 300 <= status < 400:
            return ModelUnreachableError(
                f"{told} (a redirect, which is not followed)", fix="put the final address into llm.main.base_url"
            )
        if status == 404:
            return ModelAuthError(
                f"{told} (model {self._model!r})", fix="mend llm.main.model or the path of llm.main.base_url"
            )
        if status in (401, 403):
            return ModelAuthError(told, fix="set llm.main.api_key to a valid key")
        if status == 429:
            wait = _retry_after(answered.headers.get("retry-after", ""))
            return ModelUnreachableError(
                told + wait, fix="the endpoint limits its rate or the quota is used up; try later"
            )
        if status >= 500:
            return ModelUnreachableError(told, fix="look at the model server's own log")
        return ModelReplyError(told, fix="the endpoint does not accept the request; is it OpenAI-compatible?")

    def _hiding(self, text: str) -> str:
        """The text without our secrets: servers that reflect a request would make us print them."""
        key = self._key.get_secret_value()
        pair = self._credentials.get("Authorization", "").partition(" ")[2]
        plain = base64.b64decode(pair).decode("utf-8", "replace") if pair else ""
        for secret in (key, pair, plain, plain.partition(":")[2]):
            text = text.replace(secret or "\0", "…")
        return text

    def _completion(self, raw: bytes, messages: Sequence[Message], max_tokens: int, seconds: float) -> Completion:
        """The first choice of a chat completion, usage estimated where it is missing or cannot be."""
        try:
            data = json.loads(raw)
            choice = data["choices"][0]
            text = _said(choice["message"])
            finish = str(choice.get("finish_reason") or "stop")
            usage = data.get("usage") or {}
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            said = _short(self._hiding(_error_text(raw)))
            raise ModelReplyError(
                f"{self._url} answered something that is not a chat completion: {said!r}",
                fix="llm.main.base_url must point at an OpenAI-compatible endpoint, usually ending in /v1",
            ) from error
        # No tokenizer makes more tokens than bytes; what is beyond that, and what the endpoint adds, was made up.
        read = sum(len(message.content.encode("utf-8", "replace")) for message in messages) + _TEMPLATE_TOKENS
        prompt = _count(usage, "prompt_tokens", read)
        if prompt is None:
            prompt = sum(self.count_tokens(message.content) + MESSAGE_OVERHEAD for message in messages)
        written = _count(usage, "completion_tokens", max(max_tokens, len(text.encode("utf-8", "replace"))))
        return Completion(text, prompt, self.count_tokens(text) if written is None else written, finish, seconds)


def _sendable(api_key: SecretStr | None) -> SecretStr:
    """The key without the line end that files and shells leave on it."""
    key = api_key.get_secret_value().strip() if api_key else ""
    if not all("!" <= character <= "~" for character in key):
        raise SettingsError(
            "llm.main.api_key holds a character that cannot be sent (a space, a line end or a letter beyond ASCII)",
            fix="copy the key again, without quotes or spaces",
        )
    return SecretStr(key)


def _said(message: Mapping[str, Any]) -> str:
    """The text of a message: plain, in parts, or what stands in for it.

    Raises:
        TypeError: content of another kind.
    """
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type", "text") in ("text", "output_text"))
    if content is not None and not isinstance(content, str):
        raise TypeError(type(content).__name__)
    if content:
        return content
    # Reasoning servers leave the content null while only thoughts came; others put a refusal beside it.
    thought, refusal = message.get("reasoning_content") or message.get("reasoning"), message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal
    return f"<think>{thought}</think>" if isinstance(thought, str) and thought else ""


def _count(usage: object, name: str, most: int) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else None


def _retry_after(value: str) -> str:
    """What a server asks to wait, for a person; empty where it is no wait (RFC 9110, 10.2.3)."""
    from email.utils import parsedate_to_datetime

    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return f" (it asks to wait {int(value)} s)"
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    return f" (it asks to wait until {until:%Y-%m-%d %H:%M:%S})"


def _completions_url(base_url: str) -> tuple[str, dict[str, str]]:
    """Where to post, and the header that credentials in the address become."""
    from urllib.parse import quote, unquote, urlsplit

    try:
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname or "", parts.port
        name = host if ":" in host else host.encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        shown = re.sub(r"//[^/@]*@", "//…@", base_url)
        raise SettingsError(
            f"llm base_url {shown!r} is not an http address", fix="write it like http://127.0.0.1:11434/v1"
        )
    path = quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~") or "/v1"
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    headers = _basic(f"{unquote(parts.username)}:{unquote(parts.password or '')}") if parts.username else {}
    place = (f"[{name}]" if ":" in name else name) + (f":{port}" if port else "")
    return parts._replace(netloc=place, path=path, query="", fragment="").geturl(), headers


def _basic(credentials: str) -> dict[str, str]:
    """The header for basic authentication (RFC 7617)."""
    return {"Authorization": "Basic " + base64.b64encode(credentials.encode()).decode("ascii")}


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
        error = error.get("message") or error.get("detail") or error
    return str(error)[: 4 * _REASON_CHARACTERS]


def _short(text: str) -> str:
    """One line, printable, of bounded length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _REASON_CHARACTERS else line[: _REASON_CHARACTERS - 1] + "…"
