"""SIGKILL at seeded random moments of a crawl, an ingest and a re-embed: is the finished collection an undisturbed one?

Every process is a fork of one that has everything loaded, does real work through the app's own functions on a real
disk, and dies by a real SIGKILL. Half of the moments are drawn by the clock and strike from outside, wherever the
process happens to be, in the middle of a system call too. The other half are drawn among the calls that the main thread
makes in tamis's own modules and strike from inside, exactly between two of them, however short the moment is. A third
of the killed runs are killed again when they resume. In between, every other time, a reader opens the collection, which
may complete what the dead process began, and must see whole documents only. Then the work is done once more, in peace,
and the collection is compared row for row; see `bench.rows` for what a row is.

``python -m bench kills --moments 1000`` prints the usual table; ``python -m bench.kills`` is the program behind it.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType

from bench.material import Bench, without_bench
from bench.rows import differences, notes_of, rows_of
from bench.scenes import DOCUMENTS, WATCHED, Scene, Stage, copied, folder_of, visible
from bench.table import Row
from bench.toys import Switch, pages, served
from tamis.acquire.readers import apart as readers
from tamis.acquire.readers.base import Body
from tamis.acquire.readers.registry import choose
from tamis.schema.document import Page

OPERATIONS = ("crawl", "ingest", "reembed")
_AGAIN = 1 / 3
_BY_DEFAULT, _QUICK = 1000, 30


@dataclass
class Outcome:
    """What became of one operation.

    Attributes:
        operation: its name.
        kills: how many processes died.
        collections: how many collections were finished and compared.
        finished: how many processes were done before their moment came.
        places: what a process was doing when it died from inside, by module.
        faults: what differed or failed, one line each.
        seconds: all of it.
    """

    operation: str
    kills: int = 0
    collections: int = 0
    finished: int = 0
    places: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0


def _strike(at: int, place: mmap.mmap) -> None:
    """Let this process die at its n-th call."""
    left = at

    def listen(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        if event in {"call", "c_call"} and frame.f_code.co_filename.startswith(WATCHED):
            left -= 1
            if left <= 0:
                told = f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}".encode()[:60]
                place[: 1 + len(told)] = struct.pack("B", len(told)) + told
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(listen)


class Executioner:
    """Runs scenes in processes that die.

    Args:
        stage: the scenes' own.
        random_source: draws the moments.
        work: a folder.
    """

    def __init__(self, stage: Stage, random_source: random.Random, work: Path) -> None:
        self._stage = stage
        self._random = random_source
        self._work = work
        self._place = mmap.mmap(-1, 64)

    def run(self, operation: str, moments: int) -> Outcome:
        """Kill until so many processes have died, and compare every collection."""
        outcome = Outcome(operation)
        began = time.perf_counter()
        scenes = self._stage.scenes(operation)
        while outcome.kills < moments:
            self._once(scenes[outcome.collections % len(scenes)], outcome)
        outcome.seconds = time.perf_counter() - began
        return outcome

    def _once(self, scene: Scene, outcome: Outcome) -> None:
        home = self._work / "home"
        copied(scene.before, home)
        story = [scene.name]
        try:
            while True:
                story.append(self._killed(scene, home, outcome))
                over = story[-1] == "finished" or (
                    bool(scene.wanted["notes"]) and notes_of(folder_of(home)) == scene.wanted["notes"]
                )
                if self._random.random() < 0.5:
                    story.append("read")
                    strange = visible(self._stage.app(home)) - scene.seen
                    if strange:
                        raise ValueError(f"a reader saw {sorted(name for name, *_ in strange)} half done")
                if over or self._random.random() >= _AGAIN:
                    break
            if over:
                # A crawl that noted its end would now be a new one; what its death left undone is a reader's to do.
                visible(self._stage.app(home))
            else:
                scene.act(home)
            faults = differences(rows_of(folder_of(home)), scene.wanted)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is what is looked for
            faults = [f"{type(error).__name__}: {error}"]
        outcome.collections += 1
        outcome.faults += [f"{', '.join(story)}: {fault}" for fault in faults]

    def _killed(self, scene: Scene, home: Path, outcome: Outcome) -> str:
        """Run in a fork that dies; what happened in words."""
        share = self._random.random()
        inside = self._random.random() < 0.5
        self._place[0] = 0
        child = os.fork()
        if not child:
            self._perform(scene, home, int(share * scene.calls) + 1 if inside else 0)
        if not inside:
            time.sleep(share * scene.seconds)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            outcome.finished += 1
            if os.WEXITSTATUS(status):
                raise ValueError(f"the run failed before it was killed, {self._told()}")
            return "finished"
        outcome.kills += 1
        if inside:
            module = self._told().split(".")[0]
            outcome.places[module] = outcome.places.get(module, 0) + 1
            return f"killed in {self._told()}"
        return f"killed at {share:.2f}"

    def _told(self) -> str:
        return self._place[1 : 1 + self._place[0]].decode()

    def _perform(self, scene: Scene, home: Path, at: int) -> None:
        code = 1
        try:
            if at:
                _strike(at, self._place)
            scene.act(home)
            code = 0
        except Exception as error:  # noqa: BLE001 - told to the parent
            sys.setprofile(None)
            told = f"{type(error).__name__}: {error}".encode()[:60]
            self._place[: 1 + len(told)] = struct.pack("B", len(told)) + told
        finally:
            os._exit(code)


class _Here:
    """Reads in this process: starting a reader of its own costs every fork a second, and it stores nothing."""

    def read(self, body: Body) -> Page:
        """Read with the reader that fits."""
        return choose(body).read(body)


def kill(operation: str, moments: int, seed: int, work: Path) -> Outcome:
    """Kill in this process's forks. It should have no threads: call `apart` where it may have some."""
    readers.READING = _Here()  # type: ignore[assignment]
    switch = Switch()
    with served({version: pages(DOCUMENTS, version) for version in (1, 2)}, switch) as address:
        stage = Stage(work, switch, address)
        return Executioner(stage, random.Random(f"{operation} {seed}"), work).run(operation, moments)


def apart(operation: str, moments: int, seed: int) -> Outcome:
    """The same in a process of its own.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    words = (sys.executable, "-m", "bench.kills", operation, "--moments", str(moments), "--seed", str(seed), "--json")
    # One thread: a fork takes only the one that calls it along.
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        words, env={**without_bench(os.environ), **alone}, cwd=root, stdout=subprocess.PIPE, text=True, check=True
    )
    return Outcome(**json.loads(done.stdout))


def measure(bench: Bench) -> list[Row]:
    """Collections that came out different, of each operation."""
    moments = bench.moments or (_QUICK if bench.quick else _BY_DEFAULT)
    rows = []
    for operation in OPERATIONS:
        outcome = apart(operation, moments, 0)
        for fault in outcome.faults:
            bench.say(fault)
        note = f"{outcome.kills} kills, {outcome.collections} collections compared, {outcome.seconds:.0f} s"
        rows.append(Row(f"{operation} killed", float(len(outcome.faults)), "faults", at_most=0.0, note=note))
    return rows


def main(words: Sequence[str] | None = None) -> int:
    """Kill and tell."""
    parser = argparse.ArgumentParser(prog="python -m bench.kills")
    parser.add_argument("operation", choices=OPERATIONS)
    parser.add_argument("--moments", type=int, default=_QUICK)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    # What a killed process leaves does not depend on the disk; a file system in memory is many times faster.
    memory = Path("/dev/shm")
    folder = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tamis-kills-", dir=folder) as work:
        outcome = kill(given.operation, given.moments, given.seed, Path(work))
    told: Mapping[str, object] = asdict(outcome)
    print(json.dumps(told, indent=None if given.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
