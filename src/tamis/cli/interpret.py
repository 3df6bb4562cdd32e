"""`tamis interpret`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import say_json


@click.command("interpret")
@click.argument("question")
@common
def command(door: Door, question: str) -> None:
    """Show what tamis makes of a question. Fetches nothing."""
    found = asdict(door.app().interpret(question))
    door.progress.done()
    if door.as_json:
        found["categories"] = [{"name": name, "weight": weight} for name, weight in found["categories"]]
        say_json(found)
        return
    found["categories"] = dict(found["categories"])
    show.facts([(name.replace("_", " "), value) for name, value in found.items()])
