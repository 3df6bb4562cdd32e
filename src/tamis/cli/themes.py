"""`tamis themes`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli.door import Door, common
from tamis.cli.show_library import theme_list
from tamis.cli.terminal import say, say_json


@click.command("themes")
@click.argument("shelf", required=False, default="")
@click.option("--name", required=True, metavar="N", help="Collection whose library to show.")
@click.option("--facet", default="", metavar="F", help="Only this facet.")
@common
def command(door: Door, shelf: str, name: str, facet: str) -> None:
    """List the themes of a library.

    All of them, or those on one SHELF, named by its path or label.
    """
    from tamis.libraries import Library

    with Library(name, door.app()).built(facet) as library:
        view = library.graph
        themes = view.graph.themes(facet=facet, shelf_id=view.shelf(shelf).id if shelf else "")
    if door.as_json:
        say_json({"name": name, "themes": [asdict(theme) for theme in themes]})
    elif not themes:
        say("no themes here", err=True)
    else:
        theme_list(themes)
