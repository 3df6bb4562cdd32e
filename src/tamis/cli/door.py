"""What every command has in common: its options, its app, its settings, its progress."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.progress import Plain, listener

if TYPE_CHECKING:
    from tamis.app import Tamis
    from tamis.settings_files import LoadedSettings


@dataclass(frozen=True, slots=True)
class Door:
    """One run of one command.

    Attributes:
        as_json: print one JSON document instead of text.
        quiet: only the result; no footer, no notes, no progress.
        debug: the pipeline tree on stderr, tracebacks where something unforeseen fails.
        progress: where long work reports to.
    """

    as_json: bool
    quiet: bool
    debug: bool
    progress: Plain = field(repr=False)

    def settings(self, options: Mapping[str, Any] | None = None) -> LoadedSettings:
        """Read all layers; options have the last word."""
        from tamis.settings_files import load_settings

        return load_settings(options)

    def app(self, options: Mapping[str, Any] | None = None) -> Tamis:
        """The engine, wired by the settings."""
        from tamis.app import Tamis

        return Tamis(self.settings(options).settings)


def folder_for(path: Path | None) -> None:
    """See to it, before any work, that there is a folder for a file that is to be written.

    Raises:
        UsageError: there is none, or nothing may be written there.
    """
    if path is None:
        return
    from tamis.errors import UsageError

    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"no folder {folder} to write {path.name} into", fix="make it first, or name another place")
    target = path if os.path.lexists(path) else folder
    if not os.access(target, os.W_OK):
        raise UsageError(f"{target} cannot be written to", fix="check its permissions, or name another place")


def common(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add ``--json``, ``--quiet`` and ``--debug``; the function gets a `Door` as its first argument."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
    @click.option("--quiet", is_flag=True, help="Print the result alone.")
    @click.option("--debug", is_flag=True, help="Show the pipeline, and tracebacks of the unexpected, on stderr.")
    @functools.wraps(function)
    def run(*args: Any, as_json: bool, quiet: bool, debug: bool, **options: Any) -> int | None:  # noqa: ANN401
        with listener(quiet=quiet) as progress:
            return function(Door(as_json, quiet, debug, progress), *args, **options)

    return run
