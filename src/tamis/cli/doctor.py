"""`tamis doctor`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tamis.cli.door import Door, common
from tamis.cli.failures import Exit
from tamis.cli.terminal import say, say_json, styled

_MARKS = {"ok": "ok     ", "absent": "absent ", "broken": "broken "}


@click.command("doctor")
@common
def command(door: Door) -> int:
    """Check what tamis needs; say how to get what is missing."""
    from tamis.doctor import examine

    app = door.app()
    findings = examine(app.settings, app.home, progress=door.progress)
    door.progress.done()
    healthy = all(finding.state != "broken" for finding in findings)
    if door.as_json:
        say_json({"healthy": healthy, "checks": [asdict(finding) for finding in findings]})
    else:
        size = max(len(finding.name) for finding in findings)
        for finding in findings:
            if door.quiet and finding.state == "ok":
                continue
            styled(f"{_MARKS[finding.state]} {finding.name:<{size}}  {finding.found}", bold=finding.state == "broken")
            if finding.fix:
                say(f"{' ' * (size + 10)}{finding.fix}")
    return Exit.DONE if healthy else Exit.FAILURE
