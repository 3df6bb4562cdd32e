"""`tamis collections`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json

if TYPE_CHECKING:
    from tamis.store.nouns import CollectionInfo


@click.group("collections", invoke_without_command=True)
@common
def command(door: Door) -> None:
    """List the collections, show one, or delete one."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    app = door.app()
    found, damaged = app.collections(), app.damaged()
    if door.as_json:
        broken = [{"name": name, "error": error.message, "fix": error.fix} for name, error in damaged]
        say_json({"collections": [_plain(info) for info in found], "damaged": broken})
        return
    if not found and not damaged:
        say("no collections yet; `tamis demo` makes one, `tamis ingest PATH --name N` one of yours", err=True)
    else:
        show.table(
            [
                {
                    "name": info.name,
                    "documents": info.documents,
                    "chunks": info.chunks,
                    "size": _size(info.bytes),
                    "updated": info.updated or "never",
                }
                for info in found
            ]
        )
    for name, error in damaged:
        say(f"cannot be read: {name}: {error.message}" + (f" ({error.fix})" if error.fix else ""))


@command.command("show")
@click.argument("name")
@click.option("--quarantine", is_flag=True, help="Show the passages that no language model is shown, and why.")
@common
def show_command(door: Door, name: str, quarantine: bool) -> None:
    """Show what a collection holds and how it was made."""
    if quarantine:
        _quarantine(door, name)
        return
    info = door.app().collection(name).info()
    if door.as_json:
        say_json(_plain(info))
        return
    plain = _plain(info)
    plain["bytes"] = _size(info.bytes)
    show.facts([(key.replace("_", " "), value) for key, value in plain.items()])


def _quarantine(door: Door, name: str) -> None:
    found = door.app().collection(name).quarantine()
    if door.as_json:
        say_json({"name": name, "quarantine": [asdict(entry) for entry in found]})
        return
    if not found:
        say(f"nothing in {name} reads like an order to a language model")
        return
    show.quarantine(found)
    if not door.quiet:
        say(f"\n{len(found)} passage{'s' * (len(found) != 1)} of {name} kept out of every prompt", err=True)


@command.command("delete")
@click.argument("name")
@common
def delete_command(door: Door, name: str) -> None:
    """Delete a collection and everything in it."""
    door.app().delete(name)
    if door.as_json:
        say_json({"deleted": name})
    elif not door.quiet:
        say(f"{name} deleted")


def _plain(info: CollectionInfo) -> dict[str, Any]:
    plain = asdict(info)
    for mapping in ("sources", "pages", "languages"):
        plain[mapping] = dict(plain[mapping])
    return plain


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
