"""An ingest ended at any moment, politely or not, loses nothing: the next one finishes it as if nothing had been."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tamis.example import QUESTIONS, documents_folder

pytestmark = pytest.mark.slow

# A background job of a shell is born deaf to Ctrl-C; the first line says that the command begins.
_PROGRAM = (
    "import signal, sys; from tamis.cli import main; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "print('begins', file=sys.stderr, flush=True); sys.exit(main())"
)
_SEED = 20


def command(home: Path, *words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TAMIS_HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )


def output(home: Path, *words: str) -> bytes:
    process = command(home, *words)
    out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    return out


def ingest(home: Path, folder: Path) -> subprocess.Popen[bytes]:
    """An ingest that has begun."""
    process = command(home, "ingest", str(folder), "--name", "kitchen", "--quiet")
    assert process.stderr is not None
    assert process.stderr.readline() == b"begins\n"
    return process


def shown(home: Path) -> tuple[int, int, list[bytes]]:
    info = json.loads(output(home, "collections", "show", "kitchen", "--json"))
    found = [output(home, "search", question, "--name", "kitchen", "--json") for question in QUESTIONS[:2]]
    return info["documents"], info["chunks"], found


def test_five_interruptions_change_nothing(tmp_path: Path) -> None:
    moments = random.Random(_SEED)
    with documents_folder() as folder:
        process = ingest(tmp_path / "whole", folder)
        began = time.monotonic()
        assert process.communicate()[1] == b""
        taken = time.monotonic() - began
        wanted = shown(tmp_path / "whole")
        torn = tmp_path / "torn"
        codes = []
        for how in (signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGINT, signal.SIGKILL):
            process = ingest(torn, folder)
            time.sleep(moments.uniform(0.1, 0.5) * taken)
            process.send_signal(how)
            err = process.communicate()[1].decode()
            codes.append(process.returncode)
            assert process.returncode in ({0, 130} if how == signal.SIGINT else {0, -signal.SIGKILL}), err
            assert "Traceback" not in err
        assert -signal.SIGKILL in codes
        assert 130 in codes
        output(torn, "ingest", str(folder), "--name", "kitchen", "--quiet")
        assert shown(torn) == wanted
