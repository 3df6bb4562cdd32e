"""What is killed: runs of the app's own functions on toys, and what an undisturbed one makes."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import tamis
from bench.rows import Rows, rows_of
from bench.toys import Switch, ToyEmbedder, ToyRecogniser, files
from tamis.app import Tamis
from tamis.errors import UnknownCollectionError
from tamis.settings import Settings
from tamis.text.fingerprints import sha256_hex

NAME = "torn"
DOCUMENTS = 8
_ROOT = str(Path(tamis.__file__).parent)
WATCHED = (f"{_ROOT}/store", f"{_ROOT}/intake.py", f"{_ROOT}/digest")
"""Where a moment drawn among calls may lie."""


@dataclass(frozen=True)
class Scene:
    """One kind of run.

    Attributes:
        name: for messages.
        before: home folder before the run.
        act: does the run.
        wanted: rows of the undisturbed result.
        seen: (document id, text, title) that a reader may see at any time.
        seconds: an undisturbed run takes.
        calls: an undisturbed run makes, as `counted` counts them.
    """

    name: str
    before: Path
    act: Callable[[Path], None]
    wanted: Rows
    seen: frozenset[tuple[str, str, str]]
    seconds: float
    calls: int


class Stage:
    """Makes scenes: undisturbed runs, and what a disturbed one is compared with.

    Args:
        work: a folder.
        switch: of the site.
        address: of the site.
    """

    def __init__(self, work: Path, switch: Switch, address: str) -> None:
        self._work = work
        self._switch = switch
        self._address = address
        self._recogniser = ToyRecogniser()
        self._embedders = {model: ToyEmbedder(model, dimensions) for model, dimensions in (("toy", 16), ("other", 12))}
        for version in (1, 2):
            folder = work / f"files-{version}"
            folder.mkdir()
            for name, text in files(DOCUMENTS, version).items():
                (folder / name).write_text(text, "utf-8")

    def scenes(self, operation: str) -> list[Scene]:
        """Of one operation: on nothing, and on an earlier state."""
        act = {"crawl": self._crawl, "ingest": self._ingest, "reembed": self._reembed}[operation]
        empty = self._work / "empty"
        if operation == "reembed":
            first = self._done("reembed-before", empty, lambda home: self._ingest(home, 1))
            return [self._scene("reembed", first, lambda home: act(home, 2))]
        first = self._done(f"{operation}-1", empty, lambda home: act(home, 1))
        return [
            self._scene(f"{operation} of something new", empty, lambda home: act(home, 1)),
            self._scene(f"{operation} again", first, lambda home: act(home, 2)),
        ]

    def app(self, home: Path, model: str = "toy") -> Tamis:
        """An engine on some home folder."""
        settings = Settings.model_validate(
            {"fetch": {"allow_hosts": ["127.0.0.1"], "retries": 0}, "crawl": {"loopback_delay_seconds": 0.0}}
        )
        app = Tamis(settings=settings, home=home)
        app.embedder, app.recogniser = self._embedders[model], self._recogniser
        return app

    def _crawl(self, home: Path, version: int) -> None:
        self._switch.set(version)
        self.app(home).collection(NAME).crawl(f"{self._address}/0", depth=9)

    def _ingest(self, home: Path, version: int) -> None:
        # One folder whose files change: another folder's would be documents of their own.
        link = self._work / "files"
        link.unlink(missing_ok=True)
        link.symlink_to(f"files-{version}")
        self.app(home).collection(NAME).ingest([link])

    def _reembed(self, home: Path, _version: int) -> None:
        self.app(home, "other").collection(NAME).reembed()

    def _done(self, name: str, before: Path, act: Callable[[Path], None]) -> Path:
        home = self._work / name
        copied(before, home)
        act(home)
        return home

    def _scene(self, name: str, before: Path, act: Callable[[Path], None]) -> Scene:
        # Once for warmth, once for the clock, once for the number of calls.
        seen = visible(self.app(before)) if before.exists() else frozenset()
        taken = []
        for _ in range(2):
            home = self._work / "undisturbed"
            copied(before, home)
            began = time.perf_counter()
            act(home)
            taken.append(time.perf_counter() - began)
        wanted = rows_of(folder_of(home))
        seen |= visible(self.app(home))
        copied(before, home)
        calls = counted(lambda: act(home))
        shutil.rmtree(home)
        return Scene(name, before, act, wanted, seen, taken[-1], calls)


def folder_of(home: Path) -> Path:
    return home / "collections" / NAME


def copied(before: Path, home: Path) -> None:
    """Make one home folder like another."""
    shutil.rmtree(home, ignore_errors=True)
    if before.exists():
        shutil.copytree(before, home)


def visible(app: Tamis) -> frozenset[tuple[str, str, str]]:
    """What a reader sees, after checking that every document is whole.

    Raises:
        ValueError: one is not.
    """
    try:
        reader = app.shelf.reader(NAME)
    except UnknownCollectionError:
        return frozenset()
    with reader:
        documents = list(reader.iter_documents())
        ids = [document.document_id for document in documents]
        if len(ids) != reader.info.documents:
            raise ValueError(f"{len(ids)} documents read, {reader.info.documents} counted")
        for document, chunks in zip(documents, reader.chunks_of(ids), strict=True):
            if sha256_hex(document.text) != document.sha256:
                raise ValueError(f"{document.document_id}: not the text it was")
            if not chunks or [chunk.ordinal for chunk in chunks] != list(range(len(chunks))):
                raise ValueError(f"{document.document_id}: chunks are missing")
            lengths = (reader.vectors([chunk.chunk_id for chunk in chunks]) ** 2).sum(axis=1)
            if abs(lengths - 1.0).max() > 1e-5:
                raise ValueError(f"{document.document_id}: vectors are missing")
            if not reader.entities([document.document_id])[0]:
                raise ValueError(f"{document.document_id}: entities are missing")
        for signals in reader.signals(ids):
            if signals.duplicate_of and signals.duplicate_of not in ids:
                raise ValueError(f"{signals.document_id} repeats {signals.duplicate_of}, which is not there")
        if len(reader.search_text({"siev": 1.0}, 1000).ids) != reader.info.chunks:
            raise ValueError("the full-text layer does not hold every chunk")
    return frozenset((document.document_id, document.text, document.title) for document in documents)


def counted(act: Callable[[], None]) -> int:
    """Calls the main thread makes in the modules of `WATCHED`, those to C functions included."""
    count = 0

    def listen(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"} and frame.f_code.co_filename.startswith(WATCHED)

    sys.setprofile(listen)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count
