"""`tamis cards`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from tamis.cli.door import Door, common
from tamis.cli.show_library import card_facts, card_line, nothing_built
from tamis.cli.terminal import say, say_json

if TYPE_CHECKING:
    from tamis.schema.library import EvidenceQuality


@click.command("cards")
@click.argument("query")
@click.option("--name", required=True, metavar="N", help="Collection whose library to search.")
@click.option("-k", default=5, show_default=True, type=click.IntRange(min=1), help="Most cards.")
@click.option("--facet", default="", metavar="F", help="Only of this facet.")
@click.option(
    "--quality",
    default=None,
    type=click.Choice(["high", "medium", "low", "debated", "unclear"]),
    help="Only of this evidence quality.",
)
@click.option("--safe", is_flag=True, help="Leave out cards that are flagged for review.")
@common
def command(door: Door, query: str, name: str, k: int, facet: str, quality: str | None, safe: bool) -> None:
    """Find cards by meaning."""
    from tamis.libraries import Library

    library = Library(name, door.app())
    found = library.search_cards(query, k, facet=facet, quality=cast("EvidenceQuality | None", quality), safe=safe)
    if door.as_json:
        say_json(
            {"name": name, "query": query, "cards": [{**card_facts(card), "score": score} for card, score in found]}
        )
    elif not found:
        with library:
            if library.graph.facets():
                say("no card matches these filters", err=True)
            else:
                nothing_built(name)
    else:
        for rank, (card, score) in enumerate(found, 1):
            card_line(rank, card, score)
