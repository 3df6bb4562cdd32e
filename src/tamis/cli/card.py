"""`tamis card`."""

from __future__ import annotations

import click

from tamis.cli.door import Door, common
from tamis.cli.show_library import card_facts, card_text
from tamis.cli.terminal import say_json


@click.command("card")
@click.argument("about", metavar="THEME|SHELF")
@click.option("--name", required=True, metavar="N", help="Collection whose library to show.")
@common
def command(door: Door, about: str, name: str) -> None:
    """Show the card of a theme or shelf, by its path or label."""
    from tamis.libraries import Library
    from tamis.library.present import quotes_of

    with Library(name, door.app()) as library:
        view = library.built().graph
        card = view.find(about).card()
        outdated = view.outdated(card)
        ids = [quote.document_id for quote in quotes_of(card)]
        sources = {facts.document_id: (facts.title, facts.url) for facts in view.present.signals(dict.fromkeys(ids))}
    if door.as_json:
        say_json({**card_facts(card), "outdated": list(outdated)})
    else:
        card_text(card, sources, outdated=outdated, mended=f"`tamis build --name {name}` brings it up to date")
