"""`tamis cards`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from tamis.cli.door import Door, common
from tamis.cli.show_library import card_facts, card_line
from tamis.cli.terminal import counted, say, say_json

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
    """Find cards by meaning.

    The score is the similarity of query and card, from -1 to 1. A weak match is no nearer than chance and holds none
    of the query's words.
    """
    from tamis.errors import UsageError
    from tamis.libraries import Library

    if not query.strip():
        raise UsageError("the query is empty", fix=f"`tamis cards WORDS --name {name}`")
    library = Library(name, door.app()).built(facet)
    found = library.search_cards(query, k, facet=facet, quality=cast("EvidenceQuality | None", quality), safe=safe)
    judged = [(card, score, library.is_weak(query, card, score)) for card, score in found]
    waiting = library.waiting()
    library.close()
    if waiting and not door.quiet:
        say(f"the library is unfinished, {counted(waiting, 'card')} missing: run `tamis build --name {name}`", err=True)
    if door.as_json:
        cards = [{**card_facts(card), "score": score, "weak": weak} for card, score, weak in judged]
        say_json({"name": name, "query": query, "cards": cards})
    elif not judged:
        say("no card matches these filters", err=True)
    else:
        if all(weak for _, _, weak in judged):
            say("no card is about this; the nearest are:")
        for rank, (card, score, weak) in enumerate(judged, 1):
            card_line(rank, card, score, weak=weak)
