"""What is measured on: texts, questions, the example collection, a clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tamis.app import Tamis
from tamis.example import NAME, QUESTIONS, documents_folder
from tamis.settings import Settings


@dataclass(frozen=True, slots=True)
class Spent:
    """What something took.

    Attributes:
        wall: seconds.
        cpu: seconds of processor time, all threads.
        peak_mb: most resident memory in MB, 0 where it was not looked at.
    """

    wall: float
    cpu: float
    peak_mb: float = 0.0


def timed(work: Callable[..., object], *arguments: object) -> Spent:
    """Call it once and look at the clocks."""
    cpu, wall = time.process_time(), time.perf_counter()
    work(*arguments)
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def without_bench(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment for the product, which refuses settings that it does not know."""
    return {name: value for name, value in environment.items() if not name.startswith("TAMIS_BENCH_")}


def command(words: Sequence[str], environment: Mapping[str, str] | None = None) -> Spent:
    """Run a program to its end, its output thrown away.

    Raises:
        RuntimeError: it failed.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        words,
        env={**without_bench(os.environ), **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with exit code {process.returncode}")
    # Linux counts in KiB, macOS in bytes.
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Spent(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


TAMIS = (sys.executable, "-c", "import sys; from tamis.cli import main; sys.exit(main())")
"""What the installed ``tamis`` script does."""


@dataclass
class Bench:
    """Where a run works, and on how much.

    Attributes:
        work: a folder for things of this run.
        cache: a folder for what is slow to build and the same every time.
        data: the folder of the measuring data; the example documents stand in where it is not there.
        quick: measure on little.
        moments: how often a measurement that kills processes does so; 0 leaves it to the measurement.
        pages: how many pages a measurement crawls; 0 likewise.
        asked: how many questions it asks at once; 0 likewise.
        processes: how many processes ask; 0 likewise.
    """

    work: Path
    cache: Path
    data: Path | None = None
    quick: bool = False
    moments: int = 0
    pages: int = 0
    asked: int = 0
    processes: int = 0
    say: Callable[[str], None] = field(default=lambda _: None)

    @cached_property
    def app(self) -> Tamis:
        """An engine with the default settings, whatever the user's are; its models are loaded once."""
        return Tamis(settings=Settings(), home=self.work / "home")

    def fresh_app(self, name: str) -> Tamis:
        """An engine with an empty home and the models that `app` has loaded."""
        app = Tamis(settings=Settings(), home=self.work / name)
        app.embedder, app.recogniser = self.app.embedder, self.app.recogniser
        return app

    @cached_property
    def kitchen(self) -> str:
        """The name of the example collection in the home of `app`."""
        with documents_folder() as folder:
            self.app.collection(NAME).ingest([folder])
        return NAME

    @cached_property
    def texts(self) -> list[tuple[str, str]]:
        """(title, text) of real documents: NFCorpus abstracts, else the example documents."""
        corpus = self.data / "nfcorpus" / "corpus.jsonl" if self.data else None
        if corpus is not None and corpus.is_file():
            rows = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
            return [(row["title"], row["text"]) for row in rows]
        with documents_folder() as folder:
            return [(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*.md"))]

    @cached_property
    def questions(self) -> list[str]:
        """Real questions to those texts."""
        queries = self.data / "nfcorpus" / "queries.jsonl" if self.data else None
        if queries is not None and queries.is_file():
            rows = [json.loads(line) for line in queries.read_text("utf-8").splitlines()]
            return [row["text"] for row in rows]
        return list(QUESTIONS)

    @property
    def corpus_name(self) -> str:
        """What `texts` are."""
        return "NFCorpus" if len(self.texts) > 1000 else "the example documents"
