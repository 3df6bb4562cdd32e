"""`tamis ingest`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--name", required=True, metavar="N", help="Collection to add to; made when there is none.")
@common
def command(door: Door, paths: tuple[Path, ...], name: str) -> None:
    """Read files and folders into a collection."""
    summary = door.app().collection(name).ingest(list(paths), progress=door.progress)
    door.progress.done()
    if door.as_json:
        skipped = [{"path": path, "reason": reason} for path, reason in summary.skipped]
        say_json({"name": name, **asdict(summary), "skipped": skipped})
        return
    for path, reason in summary.skipped:
        say(f"skipped {path}: {reason}", err=True)
    if not door.quiet:
        say(
            f"{name}: {summary.new} new, {summary.changed} changed, {summary.unchanged} unchanged documents, "
            f"{summary.chunks} chunks, {len(summary.skipped)} skipped in {summary.seconds:.1f} s"
        )
