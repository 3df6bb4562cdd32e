"""An OpenAI-style endpoint on loopback that plays a script: one behaviour a request."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Scripted:
    """The running endpoint.

    Attributes:
        base_url: for `ModelRole.base_url`.
        requests: the bodies received, with headers under ``_headers``.
    """

    base_url: str
    requests: list[dict[str, Any]] = field(default_factory=list)


Behaviour = Callable[[BaseHTTPRequestHandler], None]


def send(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, media_type: str = "application/json", **headers: str
):
    handler.send_response(status)
    handler.send_header("Content-Type", media_type)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def answering(text: str | None, *, finish: str = "stop", usage: bool = True) -> Behaviour:
    """A proper chat completion."""
    data: dict[str, Any] = {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
    }
    if usage:
        data["usage"] = {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366}
    return lambda handler: send(handler, 200, json.dumps(data).encode())


def failing(status: int, message: str = "no", **headers: str) -> Behaviour:
    return lambda handler: send(handler, status, json.dumps({"error": {"message": message}}).encode(), **headers)


def raw(body: bytes, media_type: str = "application/json") -> Behaviour:
    return lambda handler: send(handler, 200, body, media_type)


def slow(seconds: float) -> Behaviour:
    def play(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)
        send(handler, 200, b"{}")

    return play


def dripping(seconds: float) -> Behaviour:
    """Headers at once, then a byte now and then: no single read is late, the whole is."""

    def play(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    return play


def half(text: str) -> Behaviour:
    """Promises more bytes than it sends, then hangs up."""

    def play(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body) + 500))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2])

    return play


@contextmanager
def scripted(*behaviours: Behaviour) -> Iterator[Scripted]:
    """Serve; the last behaviour repeats."""
    running = Scripted("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body["_headers"] = dict(self.headers)
            body["_path"] = self.path
            running.requests.append(body)
            try:
                behaviours[min(len(running.requests), len(behaviours)) - 1](self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    running.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
