"""`tamis collections`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import counted, say, say_json
from tamis.errors import UnknownCollectionError

if TYPE_CHECKING:
    from tamis.store.nouns import CollectionInfo

_NEAR = 70
"""Least likeness, of 100, of a name that may have been meant."""
_LISTED = 20


@click.group("collections", invoke_without_command=True)
@common
def command(door: Door) -> None:
    """List, show, thin out or delete collections."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    app = door.app()
    found, damaged = app.collections(), app.damaged()
    if not found and not damaged:
        app.check_home()
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
    with _known(door, name):
        info = door.app().collection(name).info()
    if door.as_json:
        say_json(_plain(info))
        return
    plain = _plain(info)
    plain["bytes"] = _size(info.bytes)
    show.facts([(key.replace("_", " "), value) for key, value in plain.items()])


def _quarantine(door: Door, name: str) -> None:
    with _known(door, name):
        found = door.app().collection(name).quarantine()
    if door.as_json:
        say_json({"name": name, "quarantine": [asdict(entry) for entry in found]})
        return
    if not found:
        say(
            f"the patterns find no order to a language model in {name}; "
            "the check made while a question is answered is stricter and may still keep a passage out"
        )
        return
    show.quarantine(found)
    if not door.quiet:
        say(f"\n{len(found)} passage{'s' * (len(found) != 1)} of {name} kept out of every prompt by patterns", err=True)


@command.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask; without a terminal nobody is asked.")
@common
def delete_command(door: Door, name: str, yes: bool) -> None:
    """Delete a collection and everything in it."""
    app = door.app()
    asking = not yes and sys.stdin.isatty() and name in app.shelf.names()
    if asking and not click.confirm(f"Delete {name} and everything in it?", err=True):
        say(f"{name} is kept", err=True)
        return
    with _known(door, name):
        app.delete(name)
    if door.as_json:
        say_json({"deleted": name})
    elif not door.quiet:
        say(f"{name} deleted")


@command.command("forget")
@click.argument("name")
@click.argument("document_ids", metavar="DOCUMENT_ID...", nargs=-1, required=True)
@common
def forget_command(door: Door, name: str, document_ids: tuple[str, ...]) -> None:
    """Remove single documents of a collection; what is read again comes back."""
    with _known(door, name):
        removed = door.app().collection(name).forget(document_ids)
    if door.as_json:
        say_json({"name": name, "removed": removed})
    elif not door.quiet:
        say(f"{name}: {counted(removed, 'document')} removed")


@contextmanager
def _known(door: Door, name: str) -> Iterator[None]:
    """Of a collection that is not there, name the nearest or those that are: making it would be no help here."""
    try:
        yield
    except UnknownCollectionError as error:
        from rapidfuzz import fuzz, process

        names = door.app().shelf.names()
        near = process.extractOne(name, names, scorer=fuzz.ratio, score_cutoff=_NEAR)
        there = f"there are: {', '.join(names[:_LISTED])}{' …' * (len(names) > _LISTED)}" if names else "there are none"
        raise UnknownCollectionError(error.message, fix=f"did you mean {near[0]}?" if near else there) from error


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
