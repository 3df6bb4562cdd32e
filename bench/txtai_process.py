"""The process in which txtai indexes and searches. ``python -I txtai_process.py FOLDER``; `bench.txtai_peer` starts it.

Its interpreter has txtai and neither tamis nor this package, so it imports nothing of either. In the folder it finds
``texts.json`` and ``questions.json``, lists of strings, and their vectors ``texts.npy`` and ``questions.npy``; it
leaves ``spent.json``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

_BEST = 10


def spent(work: Callable[[], object]) -> tuple[float, float]:
    """Call it once: seconds on the clock and of the processor, all threads."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main(folder: Path) -> None:
    """Index and save, ask every question once so that caches are warm, then ask each with a look at the clock."""
    from txtai import Embeddings  # type: ignore[import-not-found]

    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    questions = json.loads((folder / "questions.json").read_text("utf-8"))
    rows = np.concatenate([np.load(folder / "texts.npy"), np.load(folder / "questions.npy")])
    known = dict(zip([*texts, *questions], rows, strict=True))

    def vectors(wanted: list[str]) -> np.ndarray:
        return np.stack([known[text] for text in wanted])

    # All else is its default: faiss, its choice of an index; BM25 and the convex fusion; texts in SQLite.
    index = Embeddings(method="external", transform=vectors, hybrid=True, content=True)

    def build() -> None:
        index.index(enumerate(texts))
        index.save(str(folder / "index"))

    built = spent(build)
    fewest = min(len(index.search(question, _BEST)) for question in questions)
    searches = [spent(partial(index.search, question, _BEST)) for question in questions]
    told = {"version": version("txtai"), "built": built, "fewest": fewest, "searches": searches}
    (folder / "spent.json").write_text(json.dumps(told), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
