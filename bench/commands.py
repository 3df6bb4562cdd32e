"""What a person waits for who types a command."""

from __future__ import annotations

import sys

from bench.material import TAMIS, Bench, Spent, command
from bench.table import Row, median
from tamis.example import QUESTIONS

_TIMES, _QUICK_TIMES = 5, 3


def measure(bench: Bench) -> list[Row]:
    """Wall time of ``tamis --help`` and of ``tamis search`` in a new process, model loading included."""
    times = _QUICK_TIMES if bench.quick else _TIMES
    search = (*TAMIS, "search", QUESTIONS[0], "--name", bench.kitchen)
    home = {"TAMIS_HOME": str(bench.app.home)}
    runs: dict[str, list[Spent]] = {"help": [], "search": [], "python": []}
    # One unmeasured round: the page cache is warm for all of them alike.
    for number in range(times + 1):
        taken = {
            "help": command((*TAMIS, "--help"), home),
            "search": command(search, home),
            "python": command((sys.executable, "-c", "pass")),
        }
        if number:
            for name, spent in taken.items():
                runs[name].append(spent)
    bare = median([one.wall for one in runs["python"]])
    return [
        Row(
            what,
            median([one.wall for one in runs[name]]),
            "s",
            peer=bare,
            peer_name="python -c pass",
            at_most=aim,
            note=f"median of {times}; cpu {median([one.cpu for one in runs[name]]):.2f} s",
        )
        for what, name, aim in (("tamis --help", "help", 0.3), ("tamis search, cold", "search", 1.5))
    ]
