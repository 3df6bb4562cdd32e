"""`tamis export`."""

from __future__ import annotations

from pathlib import Path

import click

from tamis.cli.door import Door, common, folder_for
from tamis.cli.terminal import say, say_json


@click.command("export")
@click.option("--name", required=True, metavar="N", help="Collection whose library to write.")
@click.option("--graphml", default=None, type=click.Path(dir_okay=False, path_type=Path), help="Write the graph here.")
@click.option(
    "--html",
    "page",
    default=None,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write one page to browse here.",
)
@common
def command(door: Door, name: str, graphml: Path | None, page: Path | None) -> None:
    """Write a library as GraphML or as one HTML page.

    The page needs no server and no other file.
    """
    from tamis.errors import UsageError
    from tamis.libraries import Library

    if graphml is None and page is None:
        raise UsageError("no file is named to write to", fix="add --graphml PATH, --html PATH, or both")
    for path in (graphml, page):
        folder_for(path)
    written = []
    with Library(name, door.app()).built() as library:
        for path, write in ((graphml, library.export_graphml), (page, library.export_html)):
            if path is not None:
                write(path)
                written.append({"path": str(path), "bytes": path.stat().st_size})
    if door.as_json:
        say_json({"name": name, "written": written})
    elif not door.quiet:
        for entry in written:
            say(f"wrote {entry['path']} ({entry['bytes']:,} bytes)")
