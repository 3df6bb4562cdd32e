"""Peak memory of ingesting a real documentation site."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.material import TAMIS, Bench, command
from bench.table import Row

_PYTHON = Path("/usr/share/doc/python3.11/html")
_QUICK_PAGES = 2


def measure(bench: Bench) -> list[Row]:
    """Resident memory of one ``tamis ingest`` process at its highest; nothing where the pages are not installed."""
    if not (_PYTHON / "index.html").exists():
        bench.say("no python3.11-doc here (apt-get install python3.11-doc): peak memory is not measured")
        return []
    folder, pages = _PYTHON, "all pages"
    if bench.quick:
        found = sorted(_PYTHON.rglob("*.html"), key=lambda path: (-path.stat().st_size, path))
        folder, pages = bench.work / "pages", f"the {_QUICK_PAGES} largest pages"
        folder.mkdir()
        for number, path in enumerate(found[:_QUICK_PAGES]):
            shutil.copy(path, folder / f"{number}-{path.name}")
    home = bench.work / "memory"
    words = (*TAMIS, "ingest", str(folder), "--name", "pydoc", "--quiet")
    spent = command(words, {"TAMIS_HOME": str(home)})
    return [
        Row(
            "ingest python3.11-doc, peak memory",
            spent.peak_mb,
            "MB",
            at_most=800.0,
            note=f"{pages} in {spent.wall:.0f} s, cpu {spent.cpu:.0f} s",
        )
    ]
