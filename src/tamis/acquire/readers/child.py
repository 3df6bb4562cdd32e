"""The child's side of `tamis.acquire.readers.apart`: reads what it is handed, within limits that it sets itself."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO

from tamis.acquire.readers.apart import HEAD, LENGTH
from tamis.acquire.readers.base import Body
from tamis.acquire.readers.registry import choose, stream_pages
from tamis.errors import UnreadableError

_GRACE_SECONDS = 5
_SHOWN = 200
_STATUS = Path("/proc/self/statm")
_RETIRE = 0.5
"""A child that holds on to this share of its memory after a document is replaced."""


def _send(pipe: IO[bytes], data: bytes, *, spent: bool = False, more: bool = False) -> None:
    pipe.write(HEAD.pack(len(data), spent, more))
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
    while (asked := _asked(sys.stdin.buffer)) is not None:
        body, path = asked
        sys.excepthook = partial(_last_words, answers, body.url)
        most = body.settings.memory_bytes
        _limit(started + most if started else 0)
        # Should the parent be gone by then, nobody else ends a reader that hangs.
        patience = int(body.settings.document_seconds) + _GRACE_SECONDS
        signal.alarm(patience)
        for data, more in _answers(body, path):
            signal.alarm(0)
            _send(answers, data, spent=not more and _memory()[1] > _RETIRE * most, more=more)
            signal.alarm(patience)
        signal.alarm(0)
        del body, asked


def _asked(pipe: IO[bytes]) -> tuple[Body, str] | None:
    """The next body and the path of its file, None at the end."""
    parts: list[bytes] = []
    for _ in range(2):
        head = pipe.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        parts.append(pipe.read(LENGTH.unpack(head)[0]))
    body, path = pickle.loads(parts[0])  # noqa: S301 - written by our own parent
    return replace(body, data=parts[1]), path


def _answers(body: Body, path: str) -> Iterator[tuple[bytes, bool]]:
    """Pickled pages, or a pickled reason and what helps; and whether more follows."""
    try:
        last = b""
        for page in stream_pages(Path(path), body) if path else (choose(body).read(body),):
            if last:
                yield last, True
            last = pickle.dumps(page, protocol=pickle.HIGHEST_PROTOCOL)
        yield last, False
        return
    except UnreadableError as error:
        found = error.message, error.fix
    except OSError as error:
        found = f"{body.url}: {error.strerror or 'cannot be opened'}", ""
    except MemoryError:
        most = body.settings.memory_bytes
        found = f"{body.url}: takes more than {most:,} bytes of memory to read", "raise read.memory_bytes"
    except RecursionError:
        found = f"{body.url}: nests too deeply to be read", ""
    yield pickle.dumps(found), False
