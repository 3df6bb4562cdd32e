"""`tamis shelves`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli.door import Door, common
from tamis.cli.show_library import shelf_tree
from tamis.cli.terminal import say, say_json


@click.command("shelves")
@click.option("--name", required=True, metavar="N", help="Collection whose library to show.")
@click.option("--facet", default="", metavar="F", help="Only this facet.")
@common
def command(door: Door, name: str, facet: str) -> None:
    """Show the shelves of a library as a tree."""
    from tamis.libraries import Library

    with Library(name, door.app()).built(facet) as library:
        graph = library.graph.graph
        shelves = graph.shelves(facet)
        themes = graph.themes(facet=facet)
    if door.as_json:
        say_json({"name": name, "shelves": [asdict(shelf) for shelf in shelves]})
    elif not shelves:
        say("no shelf has enough passages; `tamis config layer_a.minimum_support` says how many it takes", err=True)
    else:
        shelf_tree(shelves, themes)
