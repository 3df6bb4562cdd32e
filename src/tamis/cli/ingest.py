"""`tamis ingest`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--name", required=True, metavar="N", help="Collection to add to; made when there is none.")
@common
def command(door: Door, paths: tuple[str, ...], name: str) -> None:
    """Read files and folders into a collection."""
    if "" in paths:
        # An unset variable of a shell: as a path it would be the folder one happens to stand in.
        raise click.UsageError("a path is empty; `.` is the folder you are in")
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
