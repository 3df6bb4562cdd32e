"""How long work tells whoever waits: one small protocol, silent unless a door listens."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Listens to a long job. A job has stages, one after another; starting one ends the one before."""

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins.

        Args:
            name: what is being done, e.g. ``reading``.
            total: how many steps it will take, None when nobody knows yet.
        """
        ...

    def advance(self, n: int = 1, note: str = "") -> None:
        """Steps of the running stage are done.

        Args:
            n: how many.
            note: what was just done, e.g. a file name; may come from outside and hold anything.
        """
        ...

    def done(self) -> None:
        """The job is over, whatever became of it."""
        ...


class Silence:
    """Nobody listens."""

    def stage(self, name: str, total: int | None = None) -> None:
        """Ignored."""

    def advance(self, n: int = 1, note: str = "") -> None:
        """Ignored."""

    def done(self) -> None:
        """Ignored."""
