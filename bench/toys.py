"""Small stand-ins for what costs seconds to load: an embedder, a recogniser, a corpus and a site that serves it.

They do nothing clever, but what they do is the same in every process, so that collections made with them can be
compared byte for byte.
"""

from __future__ import annotations

import mmap
import os
import re
import signal
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import EmbeddingIdentity, Matrix
from tamis.schema.entity import Mention

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Z][a-z]{3,}(?: [A-Z][a-z]{3,})*")


class ToyEmbedder:
    """A text's vector is the sum of random vectors of its words.

    Args:
        model: its name; another name gives other vectors.
        dimensions: of a vector.
    """

    def __init__(self, model: str = "toy", dimensions: int = 16) -> None:
        self.identity = EmbeddingIdentity(model, "0" * 64, "none 1", dimensions)
        self._word = lru_cache(maxsize=1000)(self._draw)

    def _draw(self, word: str) -> Matrix:
        seed = zlib.crc32(f"{self.identity.model} {word}".encode())
        return np.random.default_rng(seed).normal(size=self.identity.dimensions)

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Embed stored text."""
        rows = np.zeros((len(texts), self.identity.dimensions), dtype=np.float64)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                rows[row] += self._word(word)
        return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype(np.float32)

    queries = passages


class ToyRecogniser:
    """Whatever is capitalised is an organisation."""

    def mentions(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """Mentions of each text, in order of their start."""
        return [
            tuple(
                Mention(found.group(), found.group().casefold(), "ORG", found.start(), found.end(), 0.5)
                for found in _NAME.finditer(text)
            )
            for text in texts
        ]


class ToyReranker:
    """Counts the words of the question that a passage holds."""

    def score(self, question: str, passages: Sequence[str]) -> npt.NDArray[np.float64]:
        """(N,) log-odds that each passage answers the question."""
        asked = set(_WORD.findall(question.casefold()))
        shares = [len(asked.intersection(_WORD.findall(text.casefold()))) / max(1, len(asked)) for text in passages]
        return np.array([12.0 * share - 6.0 for share in shares], dtype=np.float64)


_WORDS = (
    "sieve drum flour sugar bran mesh wire frame cloth press fine coarse grain mill sift rub pulp seed skin".split()
)
_MAKERS = ("Avignon", "Bruges", "Cordoba", "Dresden", "Evora", "Firenze")


def article(number: int, version: int) -> tuple[str, str]:
    """Title and text of one document.

    Every third one differs between versions; two of them repeat each other.
    """
    drawn = np.random.default_rng(number - (number == 5) + 1000 * version * (number % 3 == 0))
    paragraphs = []
    for _ in range(3):
        words = drawn.choice(_WORDS, size=60).tolist()
        makers = drawn.choice(_MAKERS, size=2).tolist()
        paragraphs.append(
            f"{makers[0]} Tamis and {makers[1]} Sieve. The {' '.join(words[:30])}. A {' '.join(words[30:])}."
        )
    return f"Sieve number {number - (number == 5)}", "\n\n".join(paragraphs)


def files(count: int, version: int) -> dict[str, str]:
    """Markdown files by name. The second version has two more and changes every third."""
    named = {}
    for number in range(count + 2 * (version > 1)):
        title, text = article(number, version)
        named[f"sieve-{number:02}.md"] = f"# {title}\n\n{text}\n"
    return named


def pages(count: int, version: int) -> dict[str, str]:
    """HTML pages by path, each linking to two others. In the second version every third differs and one is gone."""
    found = {}
    total = count + 2 * (version > 1)
    for number in range(total):
        if version > 1 and number == 4:
            continue
        title, text = article(number, version)
        body = "".join(f"<p>{paragraph}</p>" for paragraph in text.split("\n\n"))
        links = "".join(f'<a href="/{(2 * number + step) % total}">more</a> ' for step in (1, 2))
        found[f"/{number}"] = (
            f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main>{links}</body></html>"
        )
    return found


class Switch:
    """A number that processes share: which version of the site is served."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1)

    def set(self, value: int) -> None:
        """Serve this version from now on."""
        self._memory[0] = value

    def get(self) -> int:
        """The version served."""
        return self._memory[0]


@contextmanager
def served(versions: Mapping[int, Mapping[str, str]], switch: Switch, port: int = 0) -> Iterator[str]:
    """The address of a site, served by a process of its own, with validators; port 0 takes any that is free."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = versions[switch.get()].get(self.path, "").encode()
            etag = f'"{zlib.crc32(body):x}"'
            fresh = body and self.headers.get("if-none-match") == etag
            self.send_response(304 if fresh else 200 if body else 404)
            self.send_header("etag", etag)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", "0" if fresh else str(len(body)))
            self.end_headers()
            if not fresh:
                self.wfile.write(body)

        def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - the base class's name
            pass

    with served_apart(Handler, port) as address:
        yield address


@contextmanager
def served_apart(handler: type[BaseHTTPRequestHandler], port: int = 0) -> Iterator[str]:
    """The address of a server in a process of its own; port 0 takes any that is free."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: object, client_address: object) -> None:
            # Its clients are killed: that is what it is for.
            pass

    server = Server(("127.0.0.1", port), handler)
    child = os.fork()
    if not child:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    server.server_close()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
