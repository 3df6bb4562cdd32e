"""Response bodies, decompressed with a lid on: a small body that unpacks into gigabytes is stopped at the limit."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from tamis.errors import FetchError

_PIECE = 256 * 1024
"""Bytes unpacked at a time; what a bomb can overshoot the limit by."""


class Decoder(Protocol):
    """Unpacks one content coding, piece by piece."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Unpacked pieces of at most 256 KiB each.

        Raises:
            ValueError: the bytes are not of this coding.
        """
        ...

    def finished(self) -> bool:
        """Whether the packed stream ended where it should."""
        ...


class _Zlib:
    """gzip (several members allowed) and deflate (with or without its zlib wrapper)."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._held = b""
        self._touched = False
        self._unpacker = zlib.decompressobj(31) if gzip else None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._unpacker is None:
            # Two bytes tell whether the zlib wrapper is there (RFC 1950, 2.2); many servers leave it out.
            self._held += data
            if len(self._held) < 2:
                return
            data, self._held = self._held, b""
            wrapped = data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._unpacker = zlib.decompressobj(15 if wrapped else -15)
        full = False
        while data or (full and not self._unpacker.eof):
            if self._unpacker.eof:
                if not self._gzip or not data.strip(b"\0"):
                    return
                self._unpacker = zlib.decompressobj(31)
            try:
                piece = self._unpacker.decompress(data, _PIECE)
            except zlib.error as error:
                raise ValueError(str(error)) from error
            data = self._unpacker.unused_data if self._unpacker.eof else self._unpacker.unconsumed_tail
            self._touched = True
            # A step that filled its room may have more to say without further input.
            full = len(piece) == _PIECE
            if piece:
                yield piece

    def finished(self) -> bool:
        return not self._held and (not self._touched or (self._unpacker is not None and self._unpacker.eof))


class _Brotli:
    """Brotli, with the output of every step limited."""

    def __init__(self) -> None:
        import brotli

        self._error = brotli.error
        self._unpacker = brotli.Decompressor()
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._started = True
        try:
            piece = self._unpacker.process(data, output_buffer_limit=_PIECE)
            # A step that filled its room may have more to say without further input.
            while piece:
                yield piece
                piece = self._unpacker.process(b"", output_buffer_limit=_PIECE)
        except self._error as error:
            raise ValueError(str(error)) from error

    def finished(self) -> bool:
        return not self._started or bool(self._unpacker.is_finished())


DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _Brotli,
}
ACCEPT_ENCODING = "gzip, deflate, br"


class Body:
    """Collects a body up to a limit.

    Args:
        encoding: the ``Content-Encoding`` header, empty for none.
        max_bytes: most bytes after decompression.
        name: what to call the thing in an error, usually its URL.
        cut: end at the limit instead of failing.

    Raises:
        FetchError: a content coding that is not known, or more than one.
    """

    def __init__(self, encoding: str, *, max_bytes: int, name: str, cut: bool = False) -> None:
        coding = encoding.strip().lower()
        self._decoder: Decoder | None = None
        if coding not in ("", "identity"):
            if coding not in DECODERS:
                raise FetchError(f"{name} is encoded as {encoding!r}; readable: {', '.join(DECODERS)}")
            self._decoder = DECODERS[coding]()
        self._name = name
        self._max_bytes = max_bytes
        self._cut = cut
        self._packed = 0
        # One buffer, not a list of pieces: a body may come in millions of them.
        self._unpacked = bytearray()

    @property
    def full(self) -> bool:
        """Whether the limit was reached and nothing further is taken."""
        return self._cut and len(self._unpacked) >= self._max_bytes

    def feed(self, data: bytes) -> None:
        """Take the next bytes as they came.

        Raises:
            FetchError: the body is longer than allowed, packed or unpacked, or its compression is damaged.
        """
        # A stream can be packed so that nothing ever comes out of it.
        self._packed += len(data)
        try:
            for piece in self._decoder.feed(data) if self._decoder is not None else (data,):
                self._unpacked += piece
                if self.full:
                    del self._unpacked[self._max_bytes :]
                    return
                if max(self._packed, len(self._unpacked)) > self._max_bytes:
                    raise self._too_long()
        except ValueError as error:
            raise FetchError(f"{self._name} has damaged compression: {error}") from error
        if self._packed > self._max_bytes:
            raise self._too_long()

    def _too_long(self) -> FetchError:
        return FetchError(
            f"{self._name} is longer than {self._max_bytes:,} bytes",
            fix="Raise fetch.max_bytes if the page is worth it.",
        )

    def close(self) -> bytes:
        """The whole body.

        Raises:
            FetchError: a compressed body ended early.
        """
        if self._decoder is not None and not self._decoder.finished() and not self.full:
            raise FetchError(f"{self._name} ended in the middle of its compressed body")
        return bytes(self._unpacked)


def gunzip(data: bytes, *, max_bytes: int, name: str) -> bytes:
    """Unpack a gzip file (a ``.xml.gz`` sitemap) with the same lid on."""
    body = Body("gzip", max_bytes=max_bytes, name=name)
    body.feed(data)
    return body.close()
