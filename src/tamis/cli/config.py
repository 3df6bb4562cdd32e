"""`tamis config`."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json, styled, wrapped


@click.command("config")
@click.argument("prefix", required=False)
@common
def command(door: Door, prefix: str | None) -> None:
    """Show every setting, its value and where it comes from.

    PREFIX picks a group, e.g. `llm.main`.
    """
    from tamis.app import data_folder
    from tamis.settings_files import config_files

    home = data_folder()
    found = [entry for entry in door.settings().listed() if entry.name.startswith(prefix or "")]
    if not found:
        raise click.UsageError(f"no setting begins with {prefix!r}; `tamis config` lists all")
    files = [str(path) for path in config_files()]
    if door.as_json:
        say_json({"data_folder": str(home), "files": files, "settings": [asdict(entry) for entry in found]})
        return
    if not door.quiet:
        say(f"data folder  {home}\nfiles        {', '.join(files)}\n")
    for entry in found:
        say(
            f"{entry.name} = {json.dumps(entry.value, ensure_ascii=False)}"
            + ("" if entry.source == "default" else f"   (from {entry.source})")
        )
        if entry.description and not door.quiet:
            styled(wrapped(entry.description, indent="    "), dim=True)
