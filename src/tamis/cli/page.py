"""`tamis page`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json, styled
from tamis.schema.document import Document, Page


@click.command("page")
@click.argument("target", metavar="URL|FILE")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="HOST", help="Allow a private or loopback host.")
@common
def command(door: Door, target: str, allow_hosts: tuple[str, ...]) -> None:
    """Show the main content tamis reads in a page or file."""
    page = door.app().page(target, allow_hosts=allow_hosts)
    door.progress.done()
    if door.as_json:
        say_json(_page(page))
        return
    for problem in page.problems:
        say(f"skipped: {problem}", err=True)
    for place, document in enumerate(page.documents):
        if place:
            say("\n---\n")
        if len(page.documents) > 1 and document.title:
            styled(f"{document.title}\n", bold=True)
        say(document.text)
    if not door.quiet and not any(document.text for document in page.documents):
        say("no text is shown on this page", err=True)
    if door.debug:
        _debug(page)


def _debug(page: Page) -> None:
    for document in page.documents:
        values = {key: value for key, value in _document(document).items() if key != "markdown" and value}
        show.tree(document.document_id, [("metadata", values), ("links", {"found": len(page.links)})])


def _page(page: Page) -> dict[str, Any]:
    """One document stands on the top level; the rows of a dataset are a list."""
    first = _document(page.documents[0]) if len(page.documents) == 1 else {}
    return {
        **first,
        **({} if first else {"documents": [_document(document) for document in page.documents]}),
        "canonical_url": page.canonical_url,
        "robots": sorted(page.robots),
        "links": [asdict(link) for link in page.links],
        "problems": list(page.problems),
    }


def _document(document: Document) -> dict[str, Any]:
    plain = asdict(document)
    plain["metadata"] = dict(document.metadata)
    plain["markdown"] = plain.pop("text")
    return plain
