"""txtai's search of text and vectors, where somebody has it: it needs torch, so an interpreter of its own runs it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.material import Spent
from tamis.models.protocols import Matrix

VARIABLE = "TAMIS_BENCH_TXTAI"
"""Names a Python interpreter that has txtai."""
_PROGRAM = Path(__file__).with_name("txtai_process.py")
_PATIENCE = 3600.0
"""Seconds until it is given up."""


@dataclass(frozen=True, slots=True)
class Txtai:
    """What txtai took.

    Attributes:
        version: of txtai.
        built: indexing passages whose vectors were given, and saving the index.
        searches: one a question, whose vector was given too.
    """

    version: str
    built: Spent
    searches: tuple[Spent, ...]


def interpreter() -> str:
    """The one that has txtai.

    Raises:
        RuntimeError: none is named.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        raise RuntimeError(f"{VARIABLE} names no Python interpreter that has it")
    return named


def txtai(
    python: str,
    folder: Path,
    texts: Sequence[str],
    vectors: Matrix,
    questions: Sequence[str],
    question_vectors: Matrix,
) -> Txtai:
    """Let txtai index the passages and search them.

    Args:
        python: an interpreter that has it.
        folder: for what goes to the other process and what comes back; made here.

    Raises:
        RuntimeError: it failed; says how.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, strings, rows in (("texts", texts, vectors), ("questions", questions, question_vectors)):
        (folder / f"{name}.json").write_text(json.dumps(list(strings)), "utf-8")
        np.save(folder / f"{name}.npy", rows)
    _run([python, "-I", str(_PROGRAM), str(folder)])
    told = json.loads((folder / "spent.json").read_text("utf-8"))
    if not told["fewest"]:
        raise RuntimeError("it found nothing for some question")
    return Txtai(told["version"], Spent(*told["built"]), tuple(Spent(*one) for one in told["searches"]))


def _run(words: Sequence[str]) -> None:
    """Run to the end; RuntimeError with the last line of complaint."""
    # It may look for a model though it is given vectors.
    alone = {**os.environ, "HF_HUB_OFFLINE": "1"}
    try:
        done = subprocess.run(words, env=alone, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuntimeError(str(error)) from error
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or [""]
        raise RuntimeError(f"its process ended with exit code {done.returncode}: {complaint[-1]}")
