"""`tamis ingest`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import counted, say, say_json


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--name", required=True, metavar="N", help="Collection to add to; made when there is none.")
@common
def command(door: Door, paths: tuple[str, ...], name: str) -> None:
    """Read files and folders into a collection.

    Read again, only what changed is, and what is gone from them is taken out.
    """
    if "" in paths:
        # An unset variable of a shell: as a path it would be the folder one happens to stand in.
        raise click.UsageError("a path is empty; `.` is the folder you are in")
    summary = door.app().collection(name).ingest(list(paths), progress=door.progress)
    door.progress.done()
    if door.as_json:
        skipped = [{"path": path, "reason": reason} for path, reason in summary.skipped]
        say_json({"name": name, **asdict(summary), "skipped": skipped})
        return
    show.left_out(summary.skipped, "skipped ")
    if not door.quiet:
        say(
            f"{name}: {summary.new} new, {summary.changed} changed, {summary.unchanged} unchanged, "
            f"{summary.removed} removed documents, {counted(summary.chunks, 'chunk')}, "
            f"{len(summary.skipped)} skipped in {summary.seconds:.1f} s"
        )
