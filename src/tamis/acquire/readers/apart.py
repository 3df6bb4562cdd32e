"""Reading in a process of its own, which can be ended when it takes too long and may crash without consequence.

PDF, DOCX and EPUB are read by libraries that a broken or hostile file can keep busy for ever, or bring down. One child
reads them one after another; it is replaced when it had to be ended. It is started as a program, not forked or spawned
by `multiprocessing`: neither the threads nor the main module of whoever uses tamis take part.
"""

from __future__ import annotations

import atexit
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO, Any

from tamis.acquire.readers.base import Body
from tamis.errors import UnreadableError
from tamis.schema.document import Page

_LENGTH = struct.Struct("<Q")
_START_SECONDS = 60.0
_GRACE_SECONDS = 5
_PROGRAM = "from tamis.acquire.readers.apart import serve; serve()"


class _Worker:
    """The child, and the pipe to it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        # Its start is not counted as reading.
        self._received(_START_SECONDS)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        """Kill it and let go of the pipe."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                # Closing flushes what the child no longer takes.
                with suppress(BrokenPipeError):
                    pipe.close()

    def ask(self, body: Body, seconds: float) -> Any:  # noqa: ANN401 - a Page, or what an error says
        """What the child makes of some bytes.

        Raises:
            TimeoutError: it took longer.
            EOFError: it died.
        """
        pipe = self._process.stdin
        if pipe is None:
            raise EOFError
        try:
            _send(pipe, body)
        except BrokenPipeError as error:
            raise EOFError from error
        return self._received(seconds)

    def _received(self, seconds: float) -> Any:  # noqa: ANN401
        deadline = time.monotonic() + seconds
        (length,) = _LENGTH.unpack(self._bytes(_LENGTH.size, deadline))
        return pickle.loads(self._bytes(length, deadline))  # noqa: S301 - written by our own child

    def _bytes(self, count: int, deadline: float) -> bytes:
        pipe = self._process.stdout
        if pipe is None:
            raise EOFError
        found = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while len(found) < count:
                if not selector.select(max(deadline - time.monotonic(), 0.0)):
                    raise TimeoutError
                part = os.read(pipe.fileno(), min(count - len(found), 1 << 20))
                if not part:
                    raise EOFError
                found += part
        return bytes(found)


class Reading:
    """Hands bytes to a child that lives as long as it behaves. Safe to use from several threads, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def read(self, body: Body) -> Page:
        """Read apart.

        Raises:
            UnreadableError: as the reader says, or it took longer than ``read.document_seconds``, or it crashed.
        """
        seconds = body.settings.document_seconds
        with self._lock:
            if self._worker is None or not self._worker.alive:
                self.close()
                self._worker = _Worker()
            try:
                found = self._worker.ask(body, seconds)
            except TimeoutError as error:
                self.close()
                raise UnreadableError(
                    f"{body.url}: took longer than {seconds:g} s", fix="raise read.document_seconds"
                ) from error
            except EOFError as error:
                self.close()
                raise UnreadableError(f"{body.url}: crashed its reader") from error
            except BaseException:
                # Interrupted half-way: what comes out of the pipe next would answer an older question.
                self.close()
                raise
        if isinstance(found, Page):
            return found
        message, fix = found
        raise UnreadableError(message, fix=fix)

    def close(self) -> None:
        """End the child, if there is one."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None


READING = Reading()
atexit.register(READING.close)


def _send(pipe: IO[bytes], value: object) -> None:
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def serve() -> None:
    """The child's life: bodies in, pages out, until the pipe closes."""
    from tamis.acquire.readers.registry import choose

    # Ctrl-C is for the parent, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _send(answers, None)
    while len(head := sys.stdin.buffer.read(_LENGTH.size)) == _LENGTH.size:
        body = pickle.loads(sys.stdin.buffer.read(_LENGTH.unpack(head)[0]))  # noqa: S301 - written by our own parent
        # Should the parent be gone by then, nobody else ends a reader that hangs.
        signal.alarm(int(body.settings.document_seconds) + _GRACE_SECONDS)
        try:
            answer: object = choose(body).read(body)
        except UnreadableError as error:
            answer = (error.message, error.fix)
        signal.alarm(0)
        _send(answers, answer)
