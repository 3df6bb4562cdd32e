"""`tamis doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tamis.cli.door import Door, common
from tamis.cli.failures import Exit
from tamis.cli.terminal import say, say_json, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tamis.doctor import Finding

_MARKS = {"ok": "ok     ", "absent": "absent ", "broken": "broken "}


@click.command("doctor")
@click.option("--name", metavar="N", help="Look at every document of one collection instead.")
@click.option(
    "--repair", is_flag=True, help="Save what can be saved of that collection; what is damaged is kept aside."
)
@common
def command(door: Door, name: str | None, repair: bool) -> int:
    """Check what tamis needs; say how to get what is missing.

    With --name, check one collection: whether its database and every document in it can be read, and whether everything
    derived from them is in order. With --repair, mend it.
    """
    from tamis.doctor import condition, examine, repaired

    if repair and name is None:
        raise click.UsageError("--repair mends one collection: name it with --name N")
    app = door.app()
    if name is None:
        findings = examine(app.settings, app.home, progress=door.progress)
    else:
        collection = app.collection(name)
        if repair:
            findings = repaired(name, *collection.repair(progress=door.progress))
        else:
            findings = condition(name, collection.examine())
    door.progress.done()
    _print(door, findings)
    return Exit.FAILURE if any(finding.state == "broken" for finding in findings) else Exit.DONE


def _print(door: Door, findings: Sequence[Finding]) -> None:
    if door.as_json:
        healthy = all(finding.state != "broken" for finding in findings)
        say_json({"healthy": healthy, "checks": [asdict(finding) for finding in findings]})
        return
    size = max(len(finding.name) for finding in findings)
    for finding in findings:
        if door.quiet and finding.state == "ok":
            continue
        styled(f"{_MARKS[finding.state]} {finding.name:<{size}}  {finding.found}", bold=finding.state == "broken")
        if finding.fix:
            say(f"{' ' * (size + 10)}{finding.fix}")
