"""Progress on stderr: a bar for a person, one plain line a stage for a log."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tamis.cli.terminal import escaped, say

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_PATIENCE_SECONDS = 1.0
"""Work shorter than this is over before a person wonders."""
_SIGN_OF_LIFE_SECONDS = 30.0
_NOTE = 60
"""Characters of a note that are shown, the last ones: the end of an address tells more than its beginning."""


class Plain:
    """For a log: one line when a stage that took a moment ends, and a sign of life during a long one."""

    def __init__(self) -> None:
        self._name = ""
        self._count = 0
        self._total: int | None = None
        self._started = 0.0
        self._spoke = 0.0

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins, the one before ends."""
        self.done()
        self._name, self._count, self._total = name, 0, total
        self._started = self._spoke = time.monotonic()

    def advance(self, n: int = 1, note: str = "") -> None:
        """Count."""
        self._count += n
        now = time.monotonic()
        if now - self._spoke >= _SIGN_OF_LIFE_SECONDS:
            self._spoke = now
            of = f" of {self._total}" if self._total else ""
            # Without a step of its own, it is the note that moves.
            doing = f" ({note[-_NOTE:]})" if note and not n else ""
            say(f"{self._name}: {self._count}{of}{doing} …", err=True)

    def done(self) -> None:
        """Say what the last stage took."""
        seconds = time.monotonic() - self._started
        if self._name and seconds >= _PATIENCE_SECONDS:
            count = f" {self._count}" if self._count else ""
            say(f"{self._name}:{count} in {seconds:.1f} s", err=True)
        self._name = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _value: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.done()


class Quiet(Plain):
    """Says nothing."""

    def advance(self, n: int = 1, note: str = "") -> None:
        """Nothing to say."""

    def done(self) -> None:
        """Nothing to say."""


class Bar(Plain):
    """A bar that appears after a moment, also while nothing advances, and leaves nothing behind."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins, the one before ends."""
        with self._lock:
            self._name, self._count, self._total = name, 0, total
            if self._bars is not None:
                self._fresh_task(self._bars)
            elif self._timer is None:
                self._timer = threading.Timer(_PATIENCE_SECONDS, self._appear)
                self._timer.daemon = True
                self._timer.start()

    def advance(self, n: int = 1, note: str = "") -> None:
        """Move the bar."""
        with self._lock:
            self._count += n
            if self._bars is not None and self._task is not None:
                self._bars.update(self._task, completed=self._count, note=escaped(note)[-_NOTE:])

    def done(self) -> None:
        """Take the bar away."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._bars is not None:
                self._bars.stop()
            self._timer = self._bars = None

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._timer is None:
                return
            self._bars = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[note]}", markup=False, style="dim"),
                console=Console(stderr=True),
                transient=True,
            )
            self._fresh_task(self._bars)
            self._bars.start()

    def _fresh_task(self, bars: Bars) -> None:
        if self._task is not None and self._task in bars.task_ids:
            bars.remove_task(self._task)
        self._task = bars.add_task(escaped(self._name), total=self._total, completed=self._count, note="")


def listener(*, quiet: bool) -> Plain:
    """The progress that suits stderr."""
    if quiet:
        return Quiet()
    return Bar() if sys.stderr.isatty() else Plain()
