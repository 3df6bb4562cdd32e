"""`tamis themes`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tamis.cli.door import Door, common
from tamis.cli.show_library import shelf_count, theme_list
from tamis.cli.terminal import counted, say, say_json, styled

if TYPE_CHECKING:
    from tamis.schema.library import Shelf


@click.command("themes")
@click.argument("shelf", required=False, default="")
@click.option("--name", required=True, metavar="N", help="Collection whose library to show.")
@click.option("--facet", default="", metavar="F", help="Only this facet.")
@common
def command(door: Door, shelf: str, name: str, facet: str) -> None:
    """List the themes of a library.

    All of them, or those on one SHELF, named by its path or label; where none stand on it, those of the shelves below.
    """
    from tamis.libraries import Library

    with Library(name, door.app()).built(facet) as library:
        view = library.graph
        below: list[Shelf] = []
        if shelf:
            here = view.shelf(shelf)
            below = [each for each in view.graph.shelves(here.shelf.facet) if each.shelf_id.startswith(f"{here.id}/")]
            themes = [theme.theme for theme in here.themes()]
        else:
            themes = view.graph.themes(facet=facet)
        there = {each.shelf_id: view.graph.themes(shelf_id=each.shelf_id) for each in below}
    labels = {each.shelf_id: each.label for each in below if there[each.shelf_id]}
    grouped = not themes and bool(labels)
    if door.as_json:
        found = [theme for each in labels for theme in there[each]] if grouped else themes
        say_json({"name": name, "themes": [asdict(theme) for theme in found]})
    elif grouped:
        for each, label in labels.items():
            styled(f"{label}  {each}:", bold=True)
            theme_list(there[each])
    elif not themes:
        say("no theme here", err=True)
    else:
        theme_list(themes)
        if labels and not door.quiet:
            more = counted(sum(len(there[each]) for each in labels), "theme")
            say(f"{more} more on {shelf_count(len(labels))} below: {', '.join(labels)}", err=True)
