"""`tamis demo`."""

from __future__ import annotations

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.failures import Exit
from tamis.cli.terminal import say_json, styled


@click.command("demo")
@common
def command(door: Door) -> int:
    """Build the example collection and ask it, offline."""
    result = door.app().demo(progress=door.progress)
    door.progress.done()
    if door.debug:
        show.tree(result.question, result.trace)
    if door.as_json:
        say_json(result.to_dict())
    else:
        if not door.quiet:
            styled(f"? {result.question}\n", bold=True)
        show.answer(result, quiet=door.quiet)
    return Exit.NO_EVIDENCE if result.tier == "none" else Exit.DONE
