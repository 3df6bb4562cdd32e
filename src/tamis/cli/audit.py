"""`tamis audit`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli.door import Door, common
from tamis.cli.failures import Exit
from tamis.cli.show_library import shelf_count
from tamis.cli.terminal import counted, say, say_json


@click.command("audit")
@click.option("--name", required=True, metavar="N", help="Collection whose library to check.")
@common
def command(door: Door, name: str) -> int:
    """Check a library; exit 6 where something is wrong."""
    from tamis.libraries import Library

    with Library(name, door.app()).built() as library:
        found = library.audit()
    if door.as_json:
        say_json({"name": name, **asdict(found)})
    else:
        for breach in found.breaches:
            say(f"{breach.rule}: {breach.where} {breach.what}")
        checked = (
            f"{shelf_count(found.shelves)}, {counted(found.themes, 'theme')}, {counted(found.cards, 'card')}, "
            f"{counted(found.chunks, 'passage')}"
        )
        if found.unfinished:
            every = found.shelves + found.themes
            say(
                f"unfinished: {found.unfinished} of {counted(every, 'card')} missing; run `tamis build --name {name}`",
                err=True,
            )
        if found.breaches:
            many = "1 breach" if len(found.breaches) == 1 else f"{len(found.breaches)} breaches"
            say(
                f"{checked}: {many}; `tamis build --name {name}` mends {'it' if len(found.breaches) == 1 else 'them'}",
                err=True,
            )
        elif not found.unfinished:
            say(f"{checked}: clean")
    return Exit.BREACH if found.breaches or found.unfinished else Exit.DONE
