"""`tamis build`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json

_STEPS = ("embed", "build_entities", "build_layer_a", "attach", "build_layer_b", "build_layer_c")


@click.command("build")
@click.option("--name", required=True, metavar="N", help="Collection to build from.")
@click.option("--facet", default="", metavar="F", help="Only this facet; without it all that settings name.")
@click.option(
    "--ontology",
    default=None,
    type=click.Path(path_type=Path),
    help="OBO, OWL, SKOS or YAML file to make shelves from.",
)
@click.option("--no-llm", is_flag=True, help="Extractive cards, no model call.")
@click.option("--only", multiple=True, type=click.Choice(_STEPS), metavar="STEP", help="Only this step; repeatable.")
@common
def command(door: Door, name: str, facet: str, ontology: Path | None, no_llm: bool, only: tuple[str, ...]) -> None:
    """Make shelves, themes and cards of a collection.

    What did not change since the last build is left alone, byte for byte.
    """
    from tamis.libraries import Library

    with Library(name, door.app()) as library:
        summary = library.build(
            facet,
            ontology=ontology.absolute() if ontology else "",
            only=only,
            use_llm=not no_llm,
            progress=door.progress,
        )
    door.progress.done()
    if door.as_json:
        say_json({**asdict(summary), "ledger": {**asdict(summary.ledger), "calls_total": summary.ledger.calls_total}})
        return
    for entry in summary.facets:
        for problem in entry.problems:
            say(f"{entry.facet}: {problem}", err=True)
    if door.quiet:
        return
    for entry in summary.facets:
        outliers = f", {entry.outliers} passages in no theme" if entry.outliers else ""
        worded = f", {entry.worded} worded by a model" if entry.worded else ""
        say(
            f"{entry.facet}: {entry.shelves} shelves, {entry.themes} themes{outliers}, {entry.cards} cards "
            f"({entry.made} new{worded}), {entry.chunks} of {summary.chunks} passages"
        )
    calls = summary.ledger.calls_total
    say(f"{summary.documents} documents · {calls} model call{'s' * (calls != 1)} · {summary.seconds:.1f} s")
