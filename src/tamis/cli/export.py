"""`tamis export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tamis.cli.door import Door, common, folder_for
from tamis.cli.terminal import counted, say, say_json


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
    written: list[dict[str, Any]] = []
    with Library(name, door.app()).built() as library:
        for path, write in ((graphml, library.export_graphml), (page, library.export_html)):
            if path is not None:
                gone = write(path)
                written.append({"path": str(path), "bytes": path.stat().st_size, "gone": gone})
    if door.as_json:
        say_json({"name": name, "written": written})
    elif not door.quiet:
        for entry in written:
            say(f"wrote {entry['path']} ({entry['bytes']:,} bytes)")
            if entry["gone"]:
                say(
                    f"{entry['path']}: left out {counted(entry['gone'], 'passage')} gone from the collection since, or "
                    f"changed; `tamis build --name {name}` brings the library up to date",
                    err=True,
                )
