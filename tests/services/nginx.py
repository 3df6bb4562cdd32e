"""A real nginx on a free loopback port, serving one folder."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_CONFIG = """
daemon off;
master_process off;
worker_processes 1;
pid {work}/nginx.pid;
error_log {work}/error.log warn;
events {{ worker_connections 256; }}
http {{
  types {{
    text/html html htm;
    text/css css;
    application/javascript js;
    image/png png;
    image/gif gif;
    text/plain txt py;
    application/pdf pdf;
  }}
  default_type application/octet-stream;
  log_format plain '$status $request_uri';
  access_log {work}/access.log plain;
  client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
  uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
  etag {etag};
  {extra}
  server {{
    listen 127.0.0.1:{port};
    root {root};
    index index.html;
    absolute_redirect off;
    {server}
  }}
}}
"""


@dataclass(frozen=True)
class Site:
    """A running server.

    Attributes:
        url: of its root, with a trailing slash.
        log: its access log: one line ``status path`` a request.
    """

    url: str
    log: Path

    def requests(self) -> list[tuple[int, str]]:
        """(status, path) of every request so far."""
        rows = (line.split(" ", 1) for line in self.log.read_text().splitlines())
        return [(int(status), path) for status, path in rows]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 0.2):
            return True
    except OSError:
        return False


@contextmanager
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Site]]:
    """`serve(folder, validators=True, server="")` starts a server of a folder; all are ended with the block."""
    binary = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if binary is None:
        pytest.skip("nginx is not installed (apt-get install nginx)")
    started: list[subprocess.Popen[bytes]] = []

    def serve(folder: Path, *, validators: bool = True, server: str = "") -> Site:
        work, port = tmp_path_factory.mktemp("nginx"), free_port()
        extra = "" if validators else "if_modified_since off; add_header Last-Modified '';"
        config = _CONFIG.format(
            work=work, port=port, root=folder, etag="on" if validators else "off", extra=extra, server=server
        )
        (work / "nginx.conf").write_text(config)
        command = [binary, "-p", str(work), "-e", str(work / "error.log"), "-c", str(work / "nginx.conf")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.append(process)
        for _ in range(200):
            if _answers(port):
                return Site(f"http://127.0.0.1:{port}/", work / "access.log")
            if process.poll() is not None:
                break
            time.sleep(0.05)
        errors = work / "error.log"
        raise RuntimeError(f"nginx did not start: {errors.read_text() if errors.exists() else process.returncode}")

    try:
        yield serve
    finally:
        for process in started:
            process.terminate()
            process.wait(10)


@pytest.fixture
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Site]]:
    """`servers` for one test."""
    with servers(tmp_path_factory) as serve:
        yield serve


def served_folder(package: str, folder: Path) -> Path:
    """A folder that a distribution's package brings; skips where it is not installed."""
    if not (folder / "index.html").exists():
        pytest.skip(f"{package} is not installed (apt-get install {package})")
    return folder
