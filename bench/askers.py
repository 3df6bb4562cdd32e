"""Processes that ask the same collection at the same time, and watch their own memory and handles meanwhile."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.table import median

if TYPE_CHECKING:
    from tamis.app import Tamis

NAME = "soak"
WARM = 3
"""Questions asked before anything is measured: models are loaded, caches filled."""
_START_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Told:
    """What was answered to one question.

    Attributes:
        question: as asked.
        parts: SHA-256 of the JSON of each part of the report, without seconds.
        complete: it was answered out of the whole collection and holds the fact that was asked for.
        seconds: wall time.
        cpu: seconds of processor time of this process.
    """

    question: str
    parts: dict[str, str]
    complete: bool
    seconds: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process holds at one time.

    Attributes:
        rss_mb: resident memory in MB.
        files: open file descriptors.
        threads: threads.
    """

    rss_mb: float
    files: int
    threads: int


@dataclass(slots=True)
class Asked:
    """What one process has to tell.

    Attributes:
        told: answers, in order of asking.
        samples: one after each answer.
        faults: questions that failed, with the error.
    """

    told: list[Told] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def _parts(report: dict[str, Any]) -> dict[str, str]:
    report = {name: part for name, part in report.items() if name != "seconds"}
    report["sources"] = [{**source, "seconds": 0.0} for source in report["sources"]]
    return {name: hashlib.sha256(json.dumps(part).encode()).hexdigest() for name, part in report.items()}


def _sample() -> Sample:
    import psutil

    process = psutil.Process()
    return Sample(process.memory_info().rss / 1_000_000, process.num_fds(), process.num_threads())


def engine(home: Path, *, toys: bool) -> Tamis:
    """An engine with the default settings, which may fetch from this machine.

    Args:
        home: the data folder.
        toys: let toys stand in for the models, which take seconds to load and a second to answer.
    """
    from tamis.app import Tamis
    from tamis.settings import Settings

    app = Tamis(settings=Settings.model_validate({"fetch": {"allow_hosts": ["127.0.0.1"]}}), home=home)
    if toys:
        from bench.toys import ToyEmbedder, ToyRecogniser, ToyReranker

        app.embedder, app.recogniser, app.reranker = ToyEmbedder(dimensions=384), ToyRecogniser(), ToyReranker()
    return app


def _ask(home: str, asked: Sequence[tuple[str, str]], documents: int, start: Barrier, place: str, toys: bool) -> None:
    """Ask one question after the other with an engine of its own, as another program would."""
    app = engine(Path(home), toys=toys)
    done = Asked()
    for question, _ in asked[-WARM:]:
        app.scroll(question, name=NAME, use_llm=False)
    start.wait(_START_SECONDS)
    for question, fact in asked:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            answer = app.scroll(question, name=NAME, use_llm=False)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is what is looked for
            done.faults.append(f"{question} {type(error).__name__}: {error}")
            continue
        spent = time.perf_counter() - wall, time.process_time() - cpu
        whole = answer.tier == "extractive" and answer.documents_total == documents and fact in answer.markdown
        done.told.append(Told(question, _parts(answer.to_dict()), whole, *spent))
        done.samples.append(_sample())
    Path(place).write_text(json.dumps(asdict(done)), "utf-8")


def ask_at_once(
    home: Path,
    asked: Sequence[tuple[str, str]],
    documents: int,
    *,
    processes: int,
    work: Path,
    toys: bool = False,
    meanwhile: Callable[[Callable[[], bool]], None] | None = None,
) -> list[Asked]:
    """Let processes ask the same questions, each in an order of its own.

    Args:
        home: the data folder.
        asked: (question, words of a right answer).
        documents: how many the collection holds.
        processes: how many ask.
        work: a folder.
        toys: see `engine`.
        meanwhile: called while they ask, with a function that says whether somebody still does.

    Returns:
        What each of them has to tell; one that died tells of a fault.
    """
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(processes + 1)
    running = []
    for number in range(processes):
        order = list(asked)
        if number:
            random.Random(f"order {number}").shuffle(order)
        place = work / f"asked-{number}.json"
        place.unlink(missing_ok=True)
        words = (str(home), order, documents, start, str(place), toys)
        running.append((context.Process(target=_ask, args=words), place))
    for process, _ in running:
        process.start()
    start.wait(_START_SECONDS)
    if meanwhile:
        meanwhile(lambda: any(process.is_alive() for process, _ in running))
    found = []
    for process, place in running:
        process.join()
        found.append(_read(place) if place.exists() else Asked(faults=[f"a process ended with {process.exitcode}"]))
    return found


def _read(place: Path) -> Asked:
    data = json.loads(place.read_text("utf-8"))
    told = [Told(**one) for one in data["told"]]
    return Asked(told, [Sample(**one) for one in data["samples"]], data["faults"])


def growth(samples: Sequence[Sample], of: Callable[[Sample], float]) -> float:
    """By how much the median of the last quarter is above that of the second; 0 where there are under four."""
    quarter = len(samples) // 4
    if not quarter:
        return 0.0
    before = median([of(sample) for sample in samples[quarter : 2 * quarter]])
    return median([of(sample) for sample in samples[-quarter:]]) - before


def changed(found: Told, wanted: Told) -> list[str]:
    """Parts of an answer that are not, byte for byte, what they were."""
    return [name for name in wanted.parts if found.parts.get(name) != wanted.parts[name]]
