"""A crawl of thousands of generated pages, then questions from several processes at once, and from one beside a writer.

What is held: no process grows in memory, open files or threads; none meets a lock or any other error; every answer is,
byte for byte and apart from its seconds, the one given to a process that is alone; a question takes at most three times
as long. Then the same beside a fifth process that reads the site again and again, a tenth of whose pages change each
time: no error, and each answer still holds the fact that was asked for, out of the whole collection.

``python -m bench soak --pages 5000 --questions 500 --processes 4`` prints the usual table; the crawled collection is
kept for the next time. ``python -m bench.soak`` is the program behind it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tamis
from bench import gazette, toys
from bench.askers import NAME, Asked, Sample, Told, ask_at_once, changed, engine, growth
from bench.material import TAMIS, Bench, without_bench
from bench.scenes import copied
from bench.table import Row, median, percentile

_PAGES, _QUICK_PAGES = 5000, 60
_QUESTIONS, _QUICK_QUESTIONS = 500, 40
_PROCESSES = 4
_DEPTH = 40
_OF_SO_MANY = 4
"""One in so many of the questions is asked again by two processes, and beside a writer."""
GROWTH = {"rss_mb": 8.0, "files": 0.0, "threads": 0.0}
"""Most growth from the second to the last quarter: caches that have a bound still fill up."""

Questions = Sequence[tuple[str, str]]


@dataclass
class Phase:
    """Some processes asking at once.

    Attributes:
        name: for messages.
        processes: how many asked.
        questions: how many they asked in all.
        median: wall seconds of a question.
        p95: wall seconds that 95 % stayed within.
        cpu: median seconds of processor time of a question.
        rss_mb: most resident memory of a process.
        files: most open file descriptors of a process.
        growth: by how many MB, files and threads the process grew that grew most.
        load: of the machine at the end.
    """

    name: str
    processes: int
    questions: int
    median: float
    p95: float
    cpu: float
    rss_mb: float
    files: int
    growth: dict[str, float]
    load: float


@dataclass
class Soaked:
    """What came of a soak.

    Attributes:
        pages: crawled.
        crawl_seconds: the crawl took, when it was done.
        phases: in order.
        recrawls: finished beside the questions, and pages that they found changed.
        complete: share of the questions whose answer, given alone, holds the fact.
        faults: errors, answers that differ, growth; one line each.
    """

    pages: int
    crawl_seconds: float = 0.0
    phases: list[Phase] = field(default_factory=list)
    recrawls: list[int] = field(default_factory=list)
    complete: float = 0.0
    faults: list[str] = field(default_factory=list)


def _stamp(pages: dict[str, str]) -> str:
    """Changes with whatever decides how the collection is made and stored."""
    source = Path(tamis.__file__).parent
    digest = hashlib.sha256(json.dumps(pages).encode())
    for path in [*sorted((source / "store").rglob("*.py")), *sorted((source / "digest").rglob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _crawl(home: Path, address: str, pages: int) -> dict[str, Any]:
    """What ``tamis crawl`` says of a run.

    Raises:
        RuntimeError: it failed.
    """
    words = (*TAMIS, "crawl", f"{address}/0", "--name", NAME, "--max-pages", str(pages), "--depth", str(_DEPTH))
    own = {"TAMIS_HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    done = subprocess.run(
        (*words, "--allow-host", "127.0.0.1", "--delay", "0", "--json", "--quiet"),
        env={**without_bench(os.environ), **own},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a crawl ended with exit code {done.returncode}: {done.stderr.strip()}")
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def _crawl_with_toys(home: Path, address: str, pages: int) -> dict[str, Any]:
    """The same in a process of its own, with toys for models."""
    place = home / "crawled.json"
    process = multiprocessing.get_context("spawn").Process(target=_crawl_here, args=(home, address, pages, place))
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"a crawl ended with exit code {process.exitcode}")
    summary: dict[str, Any] = json.loads(place.read_text("utf-8"))
    return summary


def _crawl_here(home: Path, address: str, pages: int, place: Path) -> None:
    collection = engine(home, toys=True).collection(NAME)
    summary = collection.crawl(f"{address}/0", depth=_DEPTH, max_pages=pages, delay=0.0)
    place.write_text(json.dumps(asdict(summary), default=str), "utf-8")


class Soak:
    """One soak.

    Args:
        work: a folder for things of this run.
        cache: a folder for crawled collections.
        pages: to crawl.
        with_toys: let toys stand in for the models.
        say: tells what is going on.
    """

    def __init__(
        self,
        work: Path,
        cache: Path,
        pages: int,
        *,
        with_toys: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._work = work
        self._home = work / "home"
        self._say = say
        self._toys = with_toys
        self._crawl = _crawl_with_toys if with_toys else _crawl
        self._versions = {version: gazette.pages(pages, version) for version in (1, 2)}
        kind = "toys-" if with_toys else ""
        self._place = cache / f"soak-{kind}{pages}-{_stamp(self._versions[1])}"
        self._alone: dict[str, Told] = {}
        self.outcome = Soaked(pages)

    def run(self, questions: int, processes: int) -> Soaked:
        """Crawl, ask alone, ask at once, ask beside a writer."""
        mark = self._place / "made.json"
        port = json.loads(mark.read_text("utf-8"))["port"] if mark.exists() else 0
        switch = toys.Switch()
        switch.set(1)
        with toys.served(self._versions, switch, port) as address:
            if not port:
                self._build(address)
            self.outcome.crawl_seconds = json.loads(mark.read_text("utf-8"))["seconds"]
            copied(self._place / "home", self._home)
            asked = gazette.questions(questions // processes, self.outcome.pages)
            for found in self._asked("alone", asked, 1):
                self._alone = {one.question: one for one in found.told}
                self.outcome.complete = sum(one.complete for one in found.told) / max(1, len(found.told))
            self._at_once(asked, processes)
            few = asked[::_OF_SO_MANY]
            if processes > 2:
                self._at_once(few, 2)
            self._beside_a_writer(few, processes, switch, address)
        return self.outcome

    def _build(self, address: str) -> None:
        pages = self.outcome.pages
        self._say(f"crawling {pages:,} pages")
        shutil.rmtree(self._place, ignore_errors=True)
        home = self._place / "home"
        home.mkdir(parents=True)
        began = time.perf_counter()
        summary = self._crawl(home, address, pages)
        if summary["new"] != pages or summary["problems"]:
            raise RuntimeError(f"{summary['new']} pages of {pages} were crawled: {summary['problems'][:1]}")
        made = {"port": int(address.rpartition(":")[2]), "seconds": time.perf_counter() - began}
        (self._place / "made.json").write_text(json.dumps(made), "utf-8")

    def _asked(
        self, name: str, asked: Questions, processes: int, meanwhile: Callable[[Callable[[], bool]], None] | None = None
    ) -> list[Asked]:
        self._say(f"asking {len(asked) * processes} questions, {name}")
        found = ask_at_once(
            self._home,
            asked,
            self.outcome.pages,
            processes=processes,
            work=self._work,
            toys=self._toys,
            meanwhile=meanwhile,
        )
        self._note(name, found)
        return found

    def _at_once(self, asked: Questions, processes: int) -> None:
        name = f"{processes} at once"
        for one in (one for found in self._asked(name, asked, processes) for one in found.told):
            differing = changed(one, self._alone[one.question]) if one.question in self._alone else ["all of it"]
            if differing:
                self.outcome.faults.append(f"{name}: {one.question} differs in {', '.join(differing)}")

    def _beside_a_writer(self, asked: Questions, processes: int, switch: toys.Switch, address: str) -> None:
        name = f"{processes} beside a crawl"

        def write(going_on: Callable[[], bool]) -> None:
            while going_on():
                switch.set(3 - switch.get())
                try:
                    summary = self._crawl(self._home, address, self.outcome.pages)
                except RuntimeError as error:
                    self.outcome.faults.append(f"{name}: {error}")
                    return
                self.outcome.recrawls.append(summary["changed"])
                if summary["changed"] != self.outcome.pages // 10 or summary["problems"]:
                    self.outcome.faults.append(f"{name}: {summary['changed']} pages changed, {summary['problems'][:1]}")

        for one in (one for found in self._asked(name, asked, processes, write) for one in found.told):
            if one.question in self._alone and self._alone[one.question].complete and not one.complete:
                self.outcome.faults.append(f"{name}: {one.question} is not answered")

    def _note(self, name: str, found: Sequence[Asked]) -> None:
        outcome = self.outcome
        told = [one for process in found for one in process.told]
        samples = [sample for process in found for sample in process.samples]
        outcome.faults += [f"{name}: {fault}" for process in found for fault in process.faults]
        if not told or not samples:
            raise RuntimeError(f"{name}: nothing was answered: {outcome.faults[:1]}")
        grown = {kind: max(growth(process.samples, _field(kind)) for process in found) for kind in GROWTH}
        outcome.faults += [f"{name}: {kind} grew by {by:.1f}" for kind, by in grown.items() if by > GROWTH[kind]]
        walls = [one.seconds for one in told]
        phase = Phase(
            name,
            len(found),
            len(told),
            median(walls),
            percentile(walls, 0.95),
            median([one.cpu for one in told]),
            max(sample.rss_mb for sample in samples),
            max(sample.files for sample in samples),
            grown,
            os.getloadavg()[0],
        )
        outcome.phases.append(phase)
        self._say(f"{name}: {asdict(phase)}")


def _field(kind: str) -> Callable[[Sample], float]:
    return lambda sample: float(getattr(sample, kind))


def apart(pages: int, questions: int, processes: int, *, cache: Path | None = None, with_toys: bool = False) -> Soaked:
    """A soak started by a process of its own, which has no threads.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    words = [sys.executable, "-m", "bench.soak", "--pages", str(pages), "--questions", str(questions)]
    words += ["--processes", str(processes), "--json"]
    words += ["--cache", str(cache)] if cache else []
    words += ["--toys"] if with_toys else []
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(words, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    data = json.loads(done.stdout)
    return Soaked(**{**data, "phases": [Phase(**one) for one in data["phases"]]})


def measure(bench: Bench) -> list[Row]:
    """Faults, and how much slower a question is among others than alone."""
    outcome = apart(
        bench.pages or (_QUICK_PAGES if bench.quick else _PAGES),
        bench.asked or (_QUICK_QUESTIONS if bench.quick else _QUESTIONS),
        bench.processes or _PROCESSES,
        cache=bench.cache,
    )
    for fault in outcome.faults:
        bench.say(fault)
    alone, *others = outcome.phases
    note = (
        f"{outcome.pages} pages crawled in {outcome.crawl_seconds:.0f} s; "
        f"{len(outcome.recrawls)} crawls beside questions; {outcome.complete:.0%} hold the fact asked for"
    )
    rows = [Row("soak", float(len(outcome.faults)), "faults", at_most=0.0, note=note), _row(alone)]
    return rows + [_row(phase, alone) for phase in others]


def _row(phase: Phase, alone: Phase | None = None) -> Row:
    grown = ", ".join(f"{by:+.1f}" for by in phase.growth.values())
    note = (
        f"{phase.questions} questions, median {phase.median:.2f} s, cpu {phase.cpu:.2f} s, load {phase.load:.1f}; "
        f"{phase.rss_mb:.0f} MB and {phase.files} files at most; MB, files, threads {grown}"
    )
    return Row(
        f"question {phase.name}, p95",
        phase.p95,
        "s",
        peer=alone.p95 if alone else None,
        peer_name="alone" if alone else "",
        at_most=round(3.0 * alone.p95, 2) if alone else None,
        note=note,
    )


def main(words: Sequence[str] | None = None) -> int:
    """Soak and tell."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak")
    parser.add_argument("--pages", type=int, default=_PAGES)
    parser.add_argument("--questions", type=int, default=_QUESTIONS)
    parser.add_argument("--processes", type=int, default=_PROCESSES)
    parser.add_argument("--cache", type=Path, help="where crawled collections are kept; nowhere without")
    parser.add_argument("--toys", action="store_true", help="let toys stand in for the models")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="tamis-soak-") as work:
        soak = Soak(
            Path(work),
            given.cache or Path(work) / "cache",
            given.pages,
            with_toys=given.toys,
            say=lambda line: print(line, file=sys.stderr, flush=True),
        )
        outcome = soak.run(given.questions, given.processes)
    print(json.dumps(asdict(outcome), indent=None if given.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
