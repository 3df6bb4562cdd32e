"""`tamis audit`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli.door import Door, common
from tamis.cli.failures import Exit
from tamis.cli.terminal import say, say_json


@click.command("audit")
@click.option("--name", required=True, metavar="N", help="Collection whose library to check.")
@common
def command(door: Door, name: str) -> int:
    """Check a library; exit 6 where something does not fit."""
    from tamis.libraries import Library

    with Library(name, door.app()).built() as library:
        found = library.audit()
    if door.as_json:
        say_json({"name": name, **asdict(found)})
    else:
        for breach in found.breaches:
            say(f"{breach.rule}: {breach.where} {breach.what}")
        say(
            f"{found.shelves} shelves, {found.themes} themes, {found.cards} cards, {found.chunks} passages: "
            + (
                f"{len(found.breaches)} breaches; `tamis build --name {name}` mends them" if found.breaches else "clean"
            ),
            err=bool(found.breaches),
        )
    return Exit.BREACH if found.breaches else Exit.DONE
