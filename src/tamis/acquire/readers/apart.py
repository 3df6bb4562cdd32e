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
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tamis.acquire.readers.base import Body
from tamis.errors import UnreadableError
from tamis.schema.document import Page

_LENGTH = struct.Struct("<Q")
_HEAD = struct.Struct("<Q?")
_PIECE = 1 << 20
_START_SECONDS = 60.0
_GRACE_SECONDS = 5
_LAST_SECONDS = 1.0
_SHOWN = 200
_PROGRAM = "from tamis.acquire.readers.apart import serve; serve()"
_STATUS = Path("/proc/self/statm")
_RETIRE = 0.5
"""A child that holds on to this share of its memory after a document is replaced."""


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
                **os.environ,
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

    def ask(self, body: Body, seconds: float) -> tuple[Any, bool]:
        """What the child makes of some bytes, and whether it has to be replaced.

        Raises:
            TimeoutError: it took longer.
            EOFError: it died.
        """
        deadline = time.monotonic() + seconds
        self.asked += 1
        head = pickle.dumps(replace(body, data=b""), protocol=pickle.HIGHEST_PROTOCOL)
        try:
            for part in (_LENGTH.pack(len(head)), head, _LENGTH.pack(len(body.data)), body.data):
                self._send(part, deadline)
        except BrokenPipeError as error:
            raise EOFError from error
        return self._received(deadline)

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

    def _received(self, deadline: float) -> tuple[Any, bool]:
        length, spent = _HEAD.unpack(self._bytes(_HEAD.size, deadline))
        return pickle.loads(self._bytes(length, deadline)), spent  # noqa: S301 - written by our own child

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
    """Hands bytes to a child that lives as long as it behaves. Safe to use from several threads, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._abandoned: list[_Worker] = []

    def read(self, body: Body) -> Page:
        """Read apart.

        Raises:
            UnreadableError: as the reader says, or it took longer than ``read.document_seconds`` or more memory than
                ``read.memory_bytes``, or it crashed.
        """
        with self._lock:
            found = self._found(body)
        if isinstance(found, Page):
            return found
        message, fix = found
        raise UnreadableError(message, fix=fix)

    def _found(self, body: Body) -> Any:  # noqa: ANN401
        seconds = body.settings.document_seconds
        while True:
            try:
                worker = self._ready()
                answer, spent = worker.ask(body, seconds)
            except TimeoutError:
                self.close()
                return f"{body.url}: took longer than {seconds:g} s", "raise read.document_seconds"
            except EOFError:
                # What an earlier file broke may show only now: a fresh child tells whose fault it was.
                blamed = self._worker is None or self._worker.asked < 2
                how = self.close(_LAST_SECONDS)
                if blamed:
                    return f"{body.url}: crashed its reader{f' ({how})' if how else ''}", ""
                continue
            except BaseException:
                # Interrupted half-way: what comes out of the pipe next would answer an older question.
                self.close()
                raise
            if spent:
                self.close()
            return answer

    def _ready(self) -> _Worker:
        if self._worker is None or not self._worker.alive:
            self.close()
            self._worker = _Worker()
        return self._worker

    def close(self, patience: float = 0.0) -> str:
        """End the child, if there is one.

        Args:
            patience: seconds to let it end by itself.

        Returns:
            How it had ended by itself, empty where it had not.
        """
        worker, self._worker = self._worker, None
        return worker.end(patience) if worker is not None else ""

    def forget(self) -> None:
        """In a forked process: the child is the other's, and so may be the lock."""
        if self._worker is not None:
            self._abandoned.append(self._worker)
        self._lock = threading.Lock()
        self._worker = None


READING = Reading()
atexit.register(READING.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=READING.forget)


def _send(pipe: IO[bytes], data: bytes, *, spent: bool = False) -> None:
    pipe.write(_HEAD.pack(len(data), spent))
    pipe.write(data)
    pipe.flush()


def _memory() -> tuple[int, int]:
    """Bytes this process has reserved and bytes it occupies; zeros where the system does not tell."""
    try:
        reserved, resident = map(int, _STATUS.read_text("ascii").split()[:2])
    except (OSError, ValueError):
        return 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    return reserved * page, resident * page


def _limit(most: int) -> None:
    """Let every allocation beyond a size fail; only where the system counts honestly."""
    if most:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _last_words(
    pipe: IO[bytes], url: str, kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    """Of a child that fails as nobody foresaw: the error's name instead of silence."""
    reason = f"{url}: broke its reader ({kind.__name__}: {str(error)[:_SHOWN]})"
    _send(pipe, pickle.dumps((reason, "")), spent=True)


def serve() -> None:
    """The child's life: bodies in, pages out, until the pipe closes."""
    # Ctrl-C is for the parent, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    started, _ = _memory()
    _send(answers, pickle.dumps(None))
    while (body := _body(sys.stdin.buffer)) is not None:
        sys.excepthook = partial(_last_words, answers, body.url)
        most = body.settings.memory_bytes
        _limit(started + most if started else 0)
        # Should the parent be gone by then, nobody else ends a reader that hangs.
        signal.alarm(int(body.settings.document_seconds) + _GRACE_SECONDS)
        data = _read(body, most)
        signal.alarm(0)
        del body
        _send(answers, data, spent=_memory()[1] > _RETIRE * most)


def _body(pipe: IO[bytes]) -> Body | None:
    """The next body, None at the end."""
    parts: list[bytes] = []
    for _ in range(2):
        head = pipe.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return None
        parts.append(pipe.read(_LENGTH.unpack(head)[0]))
    body: Body = pickle.loads(parts[0])  # noqa: S301 - written by our own parent
    return replace(body, data=parts[1])


def _read(body: Body, most: int) -> bytes:
    """A pickled page, or a pickled reason and what helps."""
    from tamis.acquire.readers.registry import choose

    try:
        return pickle.dumps(choose(body).read(body), protocol=pickle.HIGHEST_PROTOCOL)
    except UnreadableError as error:
        found = error.message, error.fix
    except MemoryError:
        found = f"{body.url}: takes more than {most:,} bytes of memory to read", "raise read.memory_bytes"
    except RecursionError:
        found = f"{body.url}: nests too deeply to be read", ""
    return pickle.dumps(found)
