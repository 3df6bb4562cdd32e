"""`tamis verify`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from tamis.cli.door import Door, common
from tamis.cli.failures import Exit
from tamis.cli.terminal import say, say_json
from tamis.errors import UsageError


@click.command("verify")
@click.argument("report", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--name", metavar="N[,M]", help="Collections it was asked of; their stored text is compared too.")
@common
def command(door: Door, report: Path, name: str | None) -> int:
    """Check a saved report again, offline.

    REPORT is what `scroll --json` printed or `--output X.json` wrote.
    """
    found = door.app().verify(_parsed(report), name=name)
    door.progress.done()
    if door.as_json:
        say_json(asdict(found))
    else:
        for line in found.breaches:
            say(f"breach: {line}")
        if not door.quiet and not found.breaches:
            hint = "" if found.compared else " (--name N compares the stored text too)"
            say(f"{found.sentences} sentences, {found.evidence} evidence hold{hint}")
    return Exit.BREACH if found.breaches else Exit.DONE


_MOST_MEGABYTES = 32
"""Reports are some hundred kilobytes."""


def _parsed(path: Path) -> dict[str, object]:
    size = path.stat().st_size
    if size > _MOST_MEGABYTES * 1_000_000:
        raise UsageError(
            f"{path} has {size:,} bytes; no report is over {_MOST_MEGABYTES} MB",
            fix="save a report with tamis scroll … --json",
        )
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}", fix="save a report with tamis scroll … --json") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} holds no report", fix="save one with tamis scroll … --json")
    return value
