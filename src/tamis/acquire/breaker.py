"""The circuit breaker: a host that fails again and again is left alone for a while (S3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tamis.errors import FetchError
from tamis.private import write_private


@dataclass(frozen=True, slots=True)
class Circuit:
    """One host's record.

    Attributes:
        failures: in a row.
        opened_at: wall-clock seconds when it opened, 0 while it is closed.
    """

    failures: int = 0
    opened_at: float = 0.0


class BreakerMemory(Protocol):
    """Where circuits live between processes."""

    def load(self) -> dict[str, Circuit]:
        """What is remembered; empty when nothing is."""
        ...

    def save(self, circuits: Mapping[str, Circuit]) -> None:
        """Remember."""
        ...


class BreakerFile:
    """Circuits in a small JSON file, replaced as a whole so that a reader never sees half of it.

    Args:
        path: the file; its folder is made when needed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict[str, Circuit]:
        """What the file holds; a missing or damaged file only means that nothing is remembered."""
        try:
            stored = json.loads(self._path.read_text("utf-8"))
            return {str(name): Circuit(int(row[0]), float(row[1])) for name, row in stored.items()}
        except (OSError, ValueError, AttributeError, TypeError, LookupError):
            return {}

    def save(self, circuits: Mapping[str, Circuit]) -> None:
        """Replace the file. Where that is not possible, circuits end with the process, and the crawl goes on."""
        rows = {name: [circuit.failures, circuit.opened_at] for name, circuit in sorted(circuits.items())}
        with suppress(OSError):
            write_private(self._path, json.dumps(rows).encode())


class Breaker:
    """Opens after failures in a row, lets one attempt through after a pause, closes on success.

    Args:
        failures: failures in a row that open a circuit.
        seconds: pause until one attempt is let through.
        clock: wall-clock seconds, comparable between processes.
        memory: where circuits survive the process; None keeps them in this one only.
    """

    def __init__(
        self, *, failures: int, seconds: float, clock: Callable[[], float], memory: BreakerMemory | None = None
    ) -> None:
        self._limit = failures
        self._seconds = seconds
        self._clock = clock
        self._memory = memory
        self._circuits = memory.load() if memory is not None else {}
        self._probing: set[str] = set()

    def check(self, name: str) -> None:
        """Ask before an attempt.

        Raises:
            FetchError: the circuit is open, or half-open with another attempt under way.
        """
        circuit = self._circuits.get(name)
        if circuit is None or circuit.failures < self._limit:
            return
        # A clock that was set back must not keep a circuit open for longer than its pause.
        waited = abs(self._clock() - circuit.opened_at)
        if waited >= self._seconds and name not in self._probing:
            self._probing.add(name)
            return
        left = max(1, round(self._seconds - waited))
        raise FetchError(
            f"{name} failed {circuit.failures} times in a row and is left alone for another {left} s",
            fix="Wait, or start anew with --force.",
        )

    def is_open(self, name: str) -> bool:
        """Whether attempts are being refused now."""
        circuit = self._circuits.get(name)
        if circuit is None or circuit.failures < self._limit:
            return False
        return abs(self._clock() - circuit.opened_at) < self._seconds

    def failed(self, name: str) -> None:
        """Note a failure."""
        self._probing.discard(name)
        failures = self._circuits.get(name, Circuit()).failures + 1
        self._keep(name, Circuit(failures, self._clock() if failures >= self._limit else 0.0))

    def succeeded(self, name: str) -> None:
        """Note an answer: the circuit closes."""
        self._probing.discard(name)
        if name in self._circuits:
            self._keep(name, None)

    def abandoned(self, name: str) -> None:
        """An attempt ended without telling anything about the host (cancelled, refused by the guard)."""
        self._probing.discard(name)

    def _keep(self, name: str, circuit: Circuit | None) -> None:
        # Another process may have written since: only this host's line is ours to change.
        known = self._memory.load() if self._memory is not None else {}
        for circuits in (self._circuits, known):
            if circuit is None:
                circuits.pop(name, None)
            else:
                circuits[name] = circuit
        if self._memory is not None:
            self._memory.save(known)
