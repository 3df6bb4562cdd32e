"""Run as a program: builds of one library, each killed and then finished, compared with an undisturbed one.

Arguments: a folder, how many builds must die, a seed. Every fault is a line on stdout. Half of the builds die from
outside, by the clock; half from inside, between two calls of tamis's own. A model on loopback counts what it is asked.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import re
import shutil
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import FrameType

from bench.toys import served_apart
from village import NAME, app_at, copy_of, ingested, library_rows, page, write_ontology, write_pages

import tamis
from tamis.libraries import Library

_ROOT = str(Path(tamis.__file__).parent)
WATCHED = (f"{_ROOT}/store", f"{_ROOT}/shelving", f"{_ROOT}/library")
_FIRST = re.compile(r'<evidence id="E1"[^>]*>\n(.*?)\n</evidence>', re.DOTALL)
_AGAIN = 1 / 3


class Model:
    """A model that repeats its first piece of evidence, in a process of its own."""

    def __init__(self) -> None:
        self._counter = mmap.mmap(-1, 8)

    @property
    def asked(self) -> int:
        return int(struct.unpack("Q", self._counter[:8])[0])

    @contextmanager
    def served(self) -> Iterator[str]:
        counter, lock = self._counter, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    counter[:8] = struct.pack("Q", struct.unpack("Q", counter[:8])[0] + 1)
                said = _FIRST.search(body["messages"][-1]["content"])
                card = {"title": "", "summary": f"{said.group(1)} [E1]" if said else "", "evidence_quality": "low"}
                reply = json.dumps({"choices": [{"message": {"content": json.dumps(card)}, "finish_reason": "stop"}]})
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply.encode())))
                self.end_headers()
                self.wfile.write(reply.encode())

            def log_message(self, *args: object) -> None:
                return

        with served_apart(Handler) as address:
            yield f"{address}/v1"


class Scene:
    """One kind of build, and what it makes undisturbed."""

    def __init__(self, name: str, before: Path, build: Callable[[Path], object], model: Model, work: Path) -> None:
        self.name, self.before, self.build = name, before, build
        # Once for warmth, once for the clock and the rows, once for the number of calls.
        for _ in range(2):
            home = self.fresh(work)
            began, asked = time.perf_counter(), model.asked
            build(home)
            self.seconds, self.asks = time.perf_counter() - began, model.asked - asked
        self.wanted = library_rows(home)
        home = self.fresh(work)
        self.calls = 0

        def listen(frame: FrameType, event: str, _: object) -> None:
            self.calls += event in {"call", "c_call"} and frame.f_code.co_filename.startswith(WATCHED)

        sys.setprofile(listen)
        try:
            build(home)
        finally:
            sys.setprofile(None)

    def fresh(self, work: Path) -> Path:
        shutil.rmtree(work / "home", ignore_errors=True)
        return copy_of(self.before, work / "home")


def die(scene: Scene, home: Path, drawn: random.Random) -> bool:
    """Build in a fork that dies; False where it was done before."""
    share, inside = drawn.random(), drawn.random() < 0.5
    child = os.fork()
    if not child:
        code = 1
        try:
            if inside:
                strike(int(share * scene.calls) + 1)
            scene.build(home)
            code = 0
        finally:
            os._exit(code)
    if not inside:
        time.sleep(share * scene.seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("the build failed before it was killed")
    return os.WIFSIGNALED(status)


def strike(left: int) -> None:
    def listen(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        if event in {"call", "c_call"} and frame.f_code.co_filename.startswith(WATCHED):
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(listen)


def kept(home: Path) -> int:
    """Replies that a build can use: waiting ones, and those that became cards."""
    if not (home / "collections" / NAME / "library.sqlite").exists():
        return 0
    rows = library_rows(home)
    return sum(str(row[0]).startswith("reply:") for row in rows.get("notes", ())) + sum(
        '"tier":"model"' in str(row[3]) for row in rows.get("cards", ())
    )


def once(scene: Scene, model: Model, work: Path, drawn: random.Random) -> tuple[int, list[str]]:
    """Kill one build until it is done: how many died, and what is wrong with its library."""
    home, deaths, faults = scene.fresh(work), 0, []
    while die(scene, home, drawn):
        deaths += 1
        if drawn.random() >= _AGAIN:
            break
    held, asked = kept(home), model.asked
    scene.build(home)
    there = sum('"tier":"model"' in str(row[3]) for row in scene.wanted["cards"])
    again = model.asked - asked
    # Cards of an earlier build that are out of date are held and asked for all the same.
    if scene.asks == there and again > there - held:
        faults.append(f"{scene.name}: {held} of {there} replies were held, {again} asked for")
    found = library_rows(home)
    faults += [f"{scene.name}: {table} differs" for table in scene.wanted if found[table] != scene.wanted[table]]
    return deaths, faults


def main(work: Path, moments: int, seed: int) -> None:
    pages, ontology, model = write_pages(work / "pages"), write_ontology(work / "trades.yaml"), Model()
    with model.served() as address:
        how = {
            "llm": {"main": {"base_url": address, "model": "parrot"}},
            "facets": {"subjects": {}, "trades": {"ontology": str(ontology), "root": ""}},
            "layer_a": {"minimum_support": 24},
        }

        def build(home: Path) -> None:
            Library(NAME, app_at(home, **how)).build()

        ingested(work / "bare", pages)
        older = copy_of(work / "bare", work / "older")
        build(older)
        for trade in ("bees", "boats"):
            (pages / f"{trade}-3.md").write_text(page(trade, 3, version=2), "utf-8")
        ingested(older, pages)
        scenes = [Scene(name, work / name, build, model, work) for name in ("bare", "older")]
        drawn, died, turn = random.Random(seed), 0, 0
        while died < moments:
            deaths, faults = once(scenes[turn % 2], model, work, drawn)
            died, turn = died + deaths, turn + 1
            for fault in faults:
                print(fault)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
