"""One POST to one address, bounded as a whole: by a deadline, a size and nothing it did not ask for.

Timeouts of HTTP clients count per read, so a server that sends a byte now and then, in its headers or its body, holds
them for ever. Here each wait on the network gets what is left of one deadline. Nothing is followed, no proxy of the
environment is used, and packed answers are unpacked only up to the size allowed.
"""

from __future__ import annotations

import socket
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpcore
from httpcore import SOCKET_OPTION, NetworkBackend, NetworkStream

if TYPE_CHECKING:
    from ssl import SSLContext

_HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}


class TooLargeError(Exception):
    """The answer is longer than allowed."""


class PackedError(Exception):
    """The answer is packed in a way that was not offered, or is not what it says to be packed as."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back.

    Attributes:
        status: of HTTP.
        headers: names in lower case.
        body: unpacked.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


def post(
    url: str,
    content: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    most_bytes: int,
    clock: Callable[[], float] = time.monotonic,
) -> Answered:
    """Send and wait for the whole answer.

    Args:
        url: http or https.
        content: JSON.
        headers: further ones.
        seconds: for everything from the first connection attempt to the last byte.
        most_bytes: of the answer, packed and unpacked.
        clock: monotonic seconds.

    Raises:
        httpcore.ConnectError: nobody there.
        httpcore.TimeoutException: late.
        httpcore.NetworkError: the connection broke.
        httpcore.ProtocolError: what came is not HTTP, or ends too early.
        TooLargeError: longer than allowed.
        PackedError: packed in another way than plain or gzip.
    """
    backend = _Deadline(clock() + seconds, clock)
    limits = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
    with (
        httpcore.ConnectionPool(network_backend=backend, retries=0) as pool,
        pool.stream(
            "POST", url, headers=[*_HEADERS.items(), *headers.items()], content=content, extensions={"timeout": limits}
        ) as response,
    ):
        found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        parts: list[bytes] = []
        size = 0
        for part in response.iter_stream():
            parts.append(part)
            size += len(part)
            if size > most_bytes:
                raise TooLargeError
        return Answered(response.status, found, _unpacked(b"".join(parts), found, most_bytes))


def _unpacked(body: bytes, headers: Mapping[str, str], most_bytes: int) -> bytes:
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        return body
    if coding not in ("gzip", "x-gzip"):
        raise PackedError(coding)
    unpacker = zlib.decompressobj(31)
    try:
        plain = unpacker.decompress(body, most_bytes)
    except zlib.error as error:
        raise PackedError(coding) from error
    if unpacker.unconsumed_tail:
        raise TooLargeError
    return plain


class _Deadline(NetworkBackend):
    """Lends each wait on the network what is left until the deadline."""

    def __init__(self, deadline: float, clock: Callable[[], float]) -> None:
        self._inner = httpcore.SyncBackend()
        self._deadline = deadline
        self._clock = clock

    def left(self, late: type[httpcore.TimeoutException]) -> float:
        """Seconds that remain."""
        remaining = self._deadline - self._clock()
        if remaining <= 0:
            raise late
        return remaining

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        """Try each address of a host in turn, all within the deadline."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"no address for {host}: {error}") from error
        refused = httpcore.ConnectError(f"no address for {host}")
        for address in dict.fromkeys(str(entry[4][0]) for entry in found):
            try:
                left = self.left(httpcore.ConnectTimeout)
                stream = self._inner.connect_tcp(address, port, left, local_address, socket_options)
            except httpcore.ConnectError as error:
                refused = error
            else:
                return _Stream(stream, self)
        raise refused


class _Stream(NetworkStream):
    """A connection whose waits end at the deadline."""

    def __init__(self, inner: NetworkStream, backend: _Deadline) -> None:
        self._inner = inner
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - httpcore's
        """Wait for bytes."""
        return self._inner.read(max_bytes, self._backend.left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - httpcore's
        """Send bytes."""
        self._inner.write(buffer, self._backend.left(httpcore.WriteTimeout))

    def close(self) -> None:
        """Hang up."""
        self._inner.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - httpcore's
    ) -> NetworkStream:
        """Go on encrypted."""
        left = self._backend.left(httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._backend)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - httpcore's
        """As the stream below."""
        return self._inner.get_extra_info(info)
