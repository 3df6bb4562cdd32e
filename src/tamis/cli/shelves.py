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
        without = {} if facet else library.without_shelves()
    if door.as_json:
        say_json({"name": name, "shelves": [asdict(shelf) for shelf in shelves]})
    else:
        shelf_tree(shelves, themes)
    if not door.quiet:
        for each, why in without.items():
            say(f"{each} has no shelf: {why}", err=True)
