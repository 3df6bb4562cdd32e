"""`tamis build`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tamis.cli.door import Door, common
from tamis.cli.failures import Exit
from tamis.cli.show_library import shelf_count
from tamis.cli.terminal import counted, say, say_json

if TYPE_CHECKING:
    from tamis.shelving import BuildSummary

_STEPS = ("embed", "build_entities", "build_layer_a", "attach", "build_layer_b", "build_layer_c")


@click.command("build")
@click.option("--name", required=True, metavar="N", help="Collection to build from.")
@click.option("--facet", default="", metavar="F", help="Only this facet; without it all that settings name.")
@click.option(
    "--ontology",
    default=None,
    metavar="PATH",
    help="OBO, OWL, SKOS or YAML file to make shelves from; '' makes them from the texts again.",
)
@click.option("--no-llm", is_flag=True, help="Extractive cards, no model call.")
@click.option("--only", multiple=True, type=click.Choice(_STEPS), metavar="STEP", help="Only this step; repeatable.")
@click.option("--drop", default=None, metavar="F", help="Take this facet out, with its cards, and build nothing.")
@common
def command(
    door: Door, name: str, facet: str, ontology: str | None, no_llm: bool, only: tuple[str, ...], drop: str | None
) -> int:
    """Make shelves, themes and cards of a collection.

    What did not change since the last build is left alone, byte for byte. An ontology makes the facet that --facet
    names, else one that is called like its file. A build that leaves no shelf at all ends with exit code 3.
    """
    from tamis.errors import UsageError
    from tamis.libraries import Library

    if drop is not None:
        if facet or ontology is not None or only:
            raise UsageError("--drop builds nothing", fix="leave out --facet, --ontology and --only")
        return _dropped(door, name, drop)
    with Library(name, door.app()) as library:
        summary = library.build(
            facet,
            ontology=Path(ontology).expanduser().absolute() if ontology else ontology,
            only=only,
            use_llm=not no_llm,
            progress=door.progress,
        )
    door.progress.done()
    if door.as_json:
        say_json({**asdict(summary), "ledger": {**asdict(summary.ledger), "calls_total": summary.ledger.calls_total}})
    else:
        _told(door, summary)
    shelved = not only or not {"build_layer_a", "attach"}.isdisjoint(only)
    return Exit.NO_EVIDENCE if shelved and not any(entry.shelves for entry in summary.facets) else Exit.DONE


def _dropped(door: Door, name: str, facet: str) -> int:
    from tamis.libraries import Library

    with Library(name, door.app()) as library:
        went = library.drop(facet)
    if door.as_json:
        say_json({"name": name, "dropped": facet, **went})
    elif not door.quiet:
        say(
            f"dropped {facet}: {shelf_count(went['shelves'])}, {counted(went['themes'], 'theme')}, "
            f"{counted(went['cards'], 'card')}; it stays away until a build names it with --facet {facet}"
        )
    return Exit.DONE


def _told(door: Door, summary: BuildSummary) -> None:
    for entry in summary.facets:
        for problem in entry.problems:
            say(f"{entry.facet}: {problem}", err=True)
    for facet in summary.dropped:
        say(f"{facet}: gone with its cards, settings name it no more", err=True)
    if door.quiet:
        return
    for entry in summary.facets:
        outliers = f", {counted(entry.outliers, 'passage')} in no theme" if entry.outliers else ""
        worded = f", {entry.worded} worded by a model" if entry.worded else ""
        say(
            f"{entry.facet}: {shelf_count(entry.shelves)}, {counted(entry.themes, 'theme')}{outliers}, "
            f"{counted(entry.cards, 'card')} ({entry.made} new{worded}), "
            f"{entry.chunks} of {counted(summary.chunks, 'passage')}"
        )
    calls = summary.ledger.calls_total
    say(f"{counted(summary.documents, 'document')} · {counted(calls, 'model call')} · {summary.seconds:.1f} s")
