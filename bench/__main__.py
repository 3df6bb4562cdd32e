"""Measure speed and memory, and print one table. ``python -m bench [--quick] [NAME …]``."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from bench.material import Bench
from bench.table import Row, format_table

MEASUREMENTS = ("commands", "scroll", "ingest", "guard", "quarantine", "search", "memory")
"""Each is a module of this package with a function ``measure(bench)``."""
ON_REQUEST = ("kills", "soak", "summaries")
"""Likewise, but they take long, themselves or their peers: measured only when named."""


def data_folder() -> Path | None:
    """Where the measuring data lies: ``TAMIS_DATA``, else ``../shared/data`` beside the project; None without any."""
    named = os.environ.get("TAMIS_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


def cache_folder() -> Path:
    """Where built collections are kept: ``TAMIS_BENCH_CACHE``, else a folder for temporary files."""
    return Path(os.environ.get("TAMIS_BENCH_CACHE") or Path(tempfile.gettempdir()) / "tamis-cache" / "bench")


def machine() -> str:
    """The machine in one line, and how busy it is."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}{load}"
    )


def run(names: Sequence[str], bench: Bench) -> list[Row]:
    """Measure in the order of `MEASUREMENTS`, then of `ON_REQUEST`."""
    rows: list[Row] = []
    for name in (*MEASUREMENTS, *ON_REQUEST):
        if name in names:
            bench.say(f"measuring {name}")
            measure: Callable[[Bench], list[Row]] = import_module(f"bench.{name}").measure
            rows.extend(measure(bench))
    return rows


def main(words: Sequence[str] | None = None) -> int:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure speed and memory beside peers.")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"what to measure: {', '.join(MEASUREMENTS)}; when named also {', '.join(ON_REQUEST)}",
    )
    parser.add_argument("--quick", action="store_true", help="measure on little, in under two minutes")
    parser.add_argument("--moments", type=int, default=0, metavar="N", help="kills: how often each operation is killed")
    parser.add_argument("--pages", type=int, default=0, metavar="N", help="soak: how many are crawled")
    parser.add_argument("--questions", type=int, default=0, metavar="N", help="soak: how many are asked")
    parser.add_argument("--processes", type=int, default=0, metavar="N", help="soak: how many ask at once")
    given = parser.parse_args(words)
    unknown = sorted(set(given.names) - {*MEASUREMENTS, *ON_REQUEST})
    if unknown:
        parser.error(f"no measurement {unknown[0]!r}; there are {', '.join((*MEASUREMENTS, *ON_REQUEST))}")
    before = machine()
    with tempfile.TemporaryDirectory(prefix="tamis-bench-") as work:
        bench = Bench(
            Path(work),
            cache_folder(),
            data_folder(),
            quick=given.quick,
            moments=given.moments,
            pages=given.pages,
            asked=given.questions,
            processes=given.processes,
            say=lambda line: print(line, file=sys.stderr, flush=True),
        )
        rows = run(given.names or MEASUREMENTS, bench)
        corpus = bench.corpus_name
    print(f"{before}; texts from {corpus}\n")
    print(format_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
