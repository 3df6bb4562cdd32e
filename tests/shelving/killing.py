"""Starts the killing of builds in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_KILLS = Path(__file__).with_name("killed.py")


def killed(moments: int, seed: int, work: Path) -> str:
    """What went wrong, in a process without threads."""
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    root = Path(__file__).resolve().parents[2]
    paths = os.pathsep.join(str(root / name) for name in (".", "tests", "tests/shelving", "tests/services"))
    done = subprocess.run(
        [sys.executable, str(_KILLS), str(work), str(moments), str(seed)],
        env={**os.environ, **alone, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout
