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
    from tamis.errors import UnknownNameError
    from tamis.libraries import Library

    with Library(name, door.app()) as library:
        view = library.graph
        try:
            card = view.theme(about).card()
        except UnknownNameError as missing:
            try:
                card = view.shelf(about).card()
            except UnknownNameError:
                raise missing from None
        ids = [quote.document_id for sentence in card.sentences for quote in sentence.quotes]
        titles = {document.document_id: document for document in view.reader.documents(list(dict.fromkeys(ids)))}
    if door.as_json:
        say_json(card_facts(card))
    else:
        card_text(card, {key: (document.title or key, document.url) for key, document in titles.items()})
