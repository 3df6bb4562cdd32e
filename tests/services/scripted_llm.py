"""An OpenAI-style endpoint on loopback that plays a script: one behaviour a request.

Each public function that returns a `Behaviour` can be named in a table of cases (`write/failing_models.yaml`).
"""

from __future__ import annotations

import gzip
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


def refusing(status: int, body: Any = "", media_type: str = "application/json", **headers: str) -> Behaviour:
    """An error status with any body; what is no text goes out as JSON."""
    sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return lambda handler: send(handler, status, sent, media_type, **headers)


def saying(body: Any, media_type: str = "application/json") -> Behaviour:
    """Status 200 with any JSON, or with a string as it stands."""
    return raw(body.encode() if isinstance(body, str) else json.dumps(body).encode(), media_type)


def repeating(text: str, times: int, *, finish: str = "stop") -> Behaviour:
    """A completion that says one thing over and over."""
    return answering(text * times, finish=finish)


def numbering(text: str, times: int) -> Behaviour:
    """A completion that begins like the text and goes on counting with its last line."""
    last = text.rpartition("\n")[2] if "\n" in text else "Besides, freezer"
    joint = "\n" if "\n" in text else " "
    return answering(text + " 0 hums." + "".join(f"{joint}{last} {number} hums." for number in range(1, times)))


def counted(text: str, usage: Any) -> Behaviour:
    """A completion whose usage is anything at all."""
    return saying({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage})


def copying(role: str = "user") -> Behaviour:
    """Answers with the prompt: one message of it, or all."""

    def play(handler: BaseHTTPRequestHandler) -> None:
        messages = handler.server.running.requests[-1]["messages"]  # type: ignore[attr-defined]
        picked = [message["content"] for message in messages if role in ("all", message["role"])]
        answering("\n".join(picked))(handler)

    return play


def bomb(megabytes: int) -> Behaviour:
    """A small gzip body that unpacks to that many megabytes."""
    packed = gzip.compress(b" " * (megabytes * 1_000_000), mtime=0)
    return lambda handler: send(handler, 200, packed, Content_Encoding="gzip")


def packed(coding: str, text: str) -> Behaviour:
    """A completion packed as gzip, or said to be packed in another way."""
    body = json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).encode()
    body = gzip.compress(body, mtime=0) if coding == "gzip" else body
    return lambda handler: send(handler, 200, body, Content_Encoding=coding)


def closing() -> Behaviour:
    """Hangs up without a word."""

    def play(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True

    return play


def garbled() -> Behaviour:
    """Not HTTP at all."""
    return lambda handler: _written(handler, b"\x16\x03\x01 SSH-2.0-nothing\r\n\r\n")


def dripping_headers(seconds: float) -> Behaviour:
    """A header byte now and then: the answer never begins."""
    return lambda handler: _dripped(handler, b"HTTP/1.1 200 OK\r\nX-Slow: ", seconds)


def flooding_headers() -> Behaviour:
    """Header lines without end."""
    return lambda handler: _written(handler, b"HTTP/1.1 200 OK\r\n" + b"X-Many: 1\r\n" * 50_000)


def streaming(text: str) -> Behaviour:
    """Server-sent events, though none were asked for."""
    events = "".join(
        f"data: {json.dumps({'choices': [{'delta': {'content': word + ' '}}]})}\n\n" for word in text.split()
    )
    return saying(events + "data: [DONE]\n\n", "text/event-stream")


def _written(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    handler.wfile.write(data)
    handler.wfile.flush()
    handler.close_connection = True


def _dripped(handler: BaseHTTPRequestHandler, begun: bytes, seconds: float) -> None:
    handler.wfile.write(begun)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.02)
    handler.close_connection = True


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
    server.running = running  # type: ignore[attr-defined]
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
