"""Reading in a process of its own, which can be ended when it takes too long and may crash without consequence.

Any format can hold what keeps its library busy for ever, eats all memory or brings it down, so every body is read by a
child. One child reads them one after another; it is replaced when it had to be ended, and when it has grown fat. It is
started as a program, not forked or spawned by `multiprocessing`: neither the threads nor the main module of whoever
uses tamis take part.
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
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tamis.acquire.readers.base import Body
from tamis.errors import UnreadableError
from tamis.schema.document import Page

LENGTH = struct.Struct("<Q")
HEAD = struct.Struct("<Q??")
"""Before what goes to a child, and before what comes back: its length; whether the child is spent, and more follows."""
_PIECE = 1 << 20
_START_SECONDS = 60.0
_LAST_SECONDS = 1.0
_PROGRAM = "from tamis.acquire.readers.child import serve; serve()"


_PASSED_ON = ("HOME", "LANG", "LC_", "LD_LIBRARY_PATH", "PATH", "PYTHON", "TMP", "TZ", "VIRTUAL_ENV")
"""Beginnings of the environment variables that a child gets: keys are no business of what parses hostile bytes."""


class _Worker:
    """The child, and the pipe to it.

    Raises:
        TimeoutError: it did not start in time.
        EOFError: it died while starting.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            # One thread reads; a pool of a numerical library would only reserve memory.
            env={
                **{name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)},
                "OPENBLAS_NUM_THREADS": "1",
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
        )
        self.asked = 0
        pipe = self._process.stdin
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
        try:
            # Its start is not counted as reading.
            self._received(time.monotonic() + _START_SECONDS)
        except BaseException:
            self.end()
            raise

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self, patience: float = 0.0) -> str:
        """Kill it and let go of the pipe.

        Args:
            patience: seconds to wait first: what closed its pipe is on its way out, and then tells why.

        Returns:
            How it had ended by itself, empty where it had not.
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        code = self._process.poll()
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        if code is None:
            return ""
        return signal.Signals(-code).name if -code in set(signal.Signals) else f"exit code {code}"

    def ask(self, body: Body, path: str = "") -> Iterator[tuple[Any, bool, bool]]:
        """What the child makes of some bytes, or of a dataset's file page by page.

        Args:
            body: what to read; its settings say how long an answer may take.
            path: the file whose rows are read, empty where the body has the bytes.

        Yields:
            A page or what an error says, whether the child has to be replaced, and whether more follows. The time the
            caller spends between two of them does not count.

        Raises:
            TimeoutError: it took longer.
            EOFError: it died.
        """
        seconds = body.settings.document_seconds
        deadline = time.monotonic() + seconds
        self.asked += 1
        head = pickle.dumps((replace(body, data=b""), path), protocol=pickle.HIGHEST_PROTOCOL)
        try:
            for part in (LENGTH.pack(len(head)), head, LENGTH.pack(len(body.data)), body.data):
                self._send(part, deadline)
        except BrokenPipeError as error:
            raise EOFError from error
        more = True
        while more:
            answer, spent, more = self._received(deadline)
            yield answer, spent, more
            deadline = time.monotonic() + seconds

    def _send(self, data: bytes, deadline: float) -> None:
        pipe = self._process.stdin
        if pipe is None:
            raise EOFError
        rest = memoryview(data)
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_WRITE)
            while rest:
                if not selector.select(max(deadline - time.monotonic(), 0.0)):
                    raise TimeoutError
                rest = rest[os.write(pipe.fileno(), rest[:_PIECE]) :]

    def _received(self, deadline: float) -> tuple[Any, bool, bool]:
        length, spent, more = HEAD.unpack(self._bytes(HEAD.size, deadline))
        return pickle.loads(self._bytes(length, deadline)), spent, more  # noqa: S301 - written by our own child

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
                part = os.read(pipe.fileno(), min(count - len(found), _PIECE))
                if not part:
                    raise EOFError
                found += part
        return bytes(found)


class Reading:
    """Hands bytes to a child that lives as long as it behaves.

    Safe to use from several threads: bodies are read one at a time, a dataset's file by a child of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._abandoned: list[_Worker] = []

    def read(self, body: Body) -> Page:
        """Read apart.

        Raises:
            UnreadableError: as the reader says, or it took longer than ``read.document_seconds`` or more memory than
                ``read.memory_bytes``, or it crashed.
        """
        with self._lock:
            (page,) = self._pages(body, "")
        return page

    def stream(self, path: Path, body: Body) -> Iterator[Page]:
        """Read a dataset's file apart, page by page; the time limit is a page's.

        Raises:
            UnreadableError: as `read`.
        """
        yield from self._pages(body, str(path.absolute()))

    def _pages(self, body: Body, path: str) -> Iterator[Page]:
        began = False
        while True:
            worker: _Worker | None = None
            kept = False
            try:
                worker = self._taken()
                for answer, spent, more in worker.ask(body, path):
                    kept = not (spent or more)
                    if not isinstance(answer, Page):
                        raise UnreadableError(answer[0], fix=answer[1])
                    began = True
                    yield answer
                return
            except TimeoutError as error:
                reason = f"{body.url}: took longer than {body.settings.document_seconds:g} s"
                raise UnreadableError(reason, fix="raise read.document_seconds") from error
            except EOFError as error:
                # What an earlier file broke may show only now: a fresh child tells whose fault it was.
                how = worker.end(_LAST_SECONDS) if worker is not None else ""
                if began or worker is None or worker.asked < 2:
                    reason = f"{body.url}: crashed its reader{f' ({how})' if how else ''}"
                    raise UnreadableError(reason) from error
            finally:
                # Left half-way, what comes out of the pipe next would answer an older question.
                if worker is not None:
                    self._given(worker, kept=kept)

    def _taken(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            worker.end()
        return _Worker()

    def _given(self, worker: _Worker, *, kept: bool) -> None:
        if kept and not self._idle:
            self._idle.append(worker)
        else:
            worker.end()

    def close(self) -> None:
        """End the children nobody is waiting for."""
        while self._idle:
            self._idle.pop().end()

    def forget(self) -> None:
        """In a forked process: the children are the other's, and so may be the lock."""
        self._abandoned += self._idle
        self._lock = threading.Lock()
        self._idle = []


READING = Reading()
atexit.register(READING.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=READING.forget)
