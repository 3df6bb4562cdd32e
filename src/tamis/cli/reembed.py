"""`tamis reembed`."""

from __future__ import annotations

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import counted, say, say_json


@click.command("reembed")
@click.option("--name", required=True, metavar="N", help="Collection to embed again.")
@click.option(
    "--backfill-entity-profiles",
    "backfill",
    is_flag=True,
    help="Only make entity profiles, for a collection that lacks some; no passage is embedded again.",
)
@common
def command(door: Door, name: str, backfill: bool) -> None:
    """Embed a collection again with the model now in settings."""
    collection = door.app().collection(name)
    if backfill:
        collection.backfill()
    else:
        collection.reembed(progress=door.progress)
    door.progress.done()
    info = collection.info()
    model = info.embedding.model if info.embedding else ""
    if door.as_json:
        say_json({"name": name, "documents": info.documents, "chunks": info.chunks, "model": model})
    elif not door.quiet:
        what = "entity profiles of" if backfill else f"{counted(info.chunks, 'chunk')} of"
        say(f"{name}: {what} {counted(info.documents, 'document')} embedded with {model}")
