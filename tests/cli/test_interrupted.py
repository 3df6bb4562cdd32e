"""An ingest ended at any moment, politely or not, loses nothing: the next one finishes it as if nothing had been."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tamis.example import QUESTIONS, documents_folder

pytestmark = pytest.mark.slow

# The moment is one of processor time, which a busy machine does not move; its clock sends a signal by itself. Unheard,
# that kills like SIGKILL: at once, wherever the process stands; heard as Ctrl-C is heard, it interrupts.
_PROGRAM = """
import signal, sys
from tamis.cli import main
moment, polite = float(sys.argv.pop(1)), sys.argv.pop(1) == "True"
signal.signal(signal.SIGPROF, signal.default_int_handler if polite else signal.SIG_DFL)
signal.setitimer(signal.ITIMER_PROF, moment)
code = main()
signal.setitimer(signal.ITIMER_PROF, 0)
sys.exit(code)
"""
_NEVER = 0.0
_KILLED = -signal.SIGPROF
_INTERRUPTED = 130
_SEED = 20


def command(home: Path, *words: str, moment: float = _NEVER, polite: bool = False) -> tuple[int, bytes, str]:
    """Exit code, output and messages of a command that ends after some seconds of processor time, if not before."""
    environment = {**os.environ, "TAMIS_HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    program = [sys.executable, "-c", _PROGRAM, str(moment), str(polite), *words]
    done = subprocess.run(program, capture_output=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def output(home: Path, *words: str) -> bytes:
    code, out, err = command(home, *words)
    assert code == 0, err
    return out


def spent() -> float:
    """Processor time of all commands that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def shown(home: Path) -> tuple[int, int, list[bytes]]:
    info = json.loads(output(home, "collections", "show", "kitchen", "--json"))
    found = [output(home, "search", question, "--name", "kitchen", "--json") for question in QUESTIONS[:2]]
    return info["documents"], info["chunks"], found


def test_five_interruptions_change_nothing(tmp_path: Path) -> None:
    moments = random.Random(_SEED)
    with documents_folder() as folder:
        ingest = ("ingest", str(folder), "--name", "kitchen", "--quiet")
        before = spent()
        output(tmp_path / "whole", *ingest)
        taken = spent() - before
        wanted = shown(tmp_path / "whole")
        torn = tmp_path / "torn"
        codes = []
        for polite in (False, True, False, True, False):
            code, _, err = command(torn, *ingest, moment=moments.uniform(0.1, 0.4) * taken, polite=polite)
            codes.append(code)
            assert code in {0, _INTERRUPTED if polite else _KILLED}, err
            assert "Traceback" not in err
        assert codes[:2] == [_KILLED, _INTERRUPTED]
        output(torn, *ingest)
        assert shown(torn) == wanted
