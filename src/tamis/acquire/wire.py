"""One guarded connection: what comes in is counted before anything parses it.

The HTTP client above bounds neither the interim answers (1xx) nor the framing of a body, and goes on using a connection
on which a server sent more than it announced: the rest would be taken for the answer to the next request.
"""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from typing import Any

from httpcore import AsyncNetworkStream

_HEAD_END = re.compile(rb"\n\r?\n")
_STATUS = re.compile(rb"HTTP/\d\.\d (\d{3})")
_LENGTH = re.compile(rb"(?mi)^content-length:[ \t]*(\d{1,18})(?!\d)")
_CHUNKED = re.compile(rb"(?mi)^transfer-encoding:")
_CHUNKED_END = b"\r\n\r\n"
_SWITCHING = 101


class WireLimitError(Exception):
    """An answer passed a limit before it could be parsed; the message says which."""


@dataclass(frozen=True, slots=True)
class WireLimits:
    """What one answer may come to.

    Attributes:
        head_bytes: of all its heads, interim answers included.
        total_bytes: of everything, framing included.
    """

    head_bytes: int
    total_bytes: int


class Wire(AsyncNetworkStream):
    """Counts the bytes of each answer and remembers whether the last one ended where it said it would.

    Args:
        inner: the connection.
        limits: for each answer.
    """

    def __init__(self, inner: AsyncNetworkStream, limits: WireLimits) -> None:
        self._inner = inner
        self._limits = limits
        self._begin()

    def _begin(self) -> None:
        self._received = 0
        self._head_bytes = 0
        self._head: bytearray | None = bytearray()
        self._left: int | None = 0
        self._tail = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes.

        Raises:
            WireLimitError: the answer passed a limit.
        """
        data = await self._inner.read(max_bytes, timeout)
        self._received += len(data)
        if self._received > self._limits.total_bytes:
            raise WireLimitError(f"more than {self._limits.total_bytes:,} bytes")
        self._take(data)
        return data

    def _take(self, data: bytes) -> None:
        while self._head is not None:
            searched = max(0, len(self._head) - 2)
            self._head += data
            found = _HEAD_END.search(self._head, searched)
            end = found.end() if found else len(self._head)
            if self._head_bytes + end > self._limits.head_bytes:
                raise WireLimitError(f"more than {self._limits.head_bytes:,} bytes of headers")
            if found is None:
                return
            head, data = bytes(self._head[:end]), bytes(self._head[end:])
            self._head_bytes += end
            status = _STATUS.match(head)
            code = int(status[1]) if status else 0
            interim = 100 <= code < 200 and code != _SWITCHING
            self._head = bytearray() if interim else None
            if not interim:
                self._left = _announced(head, code)
        if self._left is None:
            self._tail = (self._tail + data)[-len(_CHUNKED_END) :]
        else:
            self._left -= len(data)

    @property
    def clean(self) -> bool:
        """Whether the answer so far ends exactly where it announced to."""
        if self._head is not None:
            return not self._head
        return self._tail == _CHUNKED_END if self._left is None else self._left == 0

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send; the first bytes after an answer begin the next exchange."""
        if self._received:
            self._begin()
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> AsyncNetworkStream:
        """The same connection, encrypted; counting goes on inside."""
        return Wire(await self._inner.start_tls(ssl_context, server_hostname, timeout), self._limits)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - the signature is httpcore's
        """As of the connection; one that must not be used again says that its server hung up."""
        return True if info == "is_readable" and not self.clean else self._inner.get_extra_info(info)


def _announced(head: bytes, status: int) -> int | None:
    """Bytes of body a head announces; None where its end is told by framing or by closing."""
    if status in (204, 304):
        return 0
    length = _LENGTH.search(head)
    return int(length[1]) if length and not _CHUNKED.search(head) else None
