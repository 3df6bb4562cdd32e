"""`tamis reembed`."""

from __future__ import annotations

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json


@click.command("reembed")
@click.option("--name", required=True, metavar="N", help="Collection to embed again.")
@common
def command(door: Door, name: str) -> None:
    """Embed a collection again with the model now in settings."""
    collection = door.app().collection(name)
    collection.reembed(progress=door.progress)
    door.progress.done()
    info = collection.info()
    model = info.embedding.model if info.embedding else ""
    if door.as_json:
        say_json({"name": name, "documents": info.documents, "chunks": info.chunks, "model": model})
    elif not door.quiet:
        say(f"{name}: {info.chunks} chunks of {info.documents} documents embedded with {model}")
