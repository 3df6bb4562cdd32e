"""`tamis crawl`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json

_PROBLEMS_SHOWN = 20
_TOLD_APART = frozenset({"problems", "notes", "url"})


@click.command("crawl")
@click.argument("url")
@click.option("--name", required=True, metavar="N", help="Collection to add to; made when there is none.")
@click.option("--depth", type=click.IntRange(0), help="Most clicks from the start page.")
@click.option("--max-pages", type=click.IntRange(1), help="Most pages stored.")
@click.option("--delay", type=click.FloatRange(0), help="Seconds between requests; adapts to the site by default.")
@click.option("--concurrency", type=click.IntRange(1), help="Requests under way at once.")
@click.option("--include", multiple=True, metavar="GLOB", help="Only URLs that match; repeatable.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No URLs that match; repeatable.")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="HOST", help="Allow a private or loopback host.")
@click.option("--force", is_flag=True, help="Read every page again, changed or not.")
@common
def command(door: Door, name: str, **options: Any) -> None:  # noqa: ANN401 - click has checked each of them
    """Read a site into a collection; again, only what changed."""
    summary = door.app().collection(name).crawl(**options, progress=door.progress)
    door.progress.done()
    if door.as_json:
        say_json({"name": name, **asdict(summary)})
    elif not door.quiet:
        say(name)
        show.facts([(key, value) for key, value in asdict(summary).items() if key not in _TOLD_APART])
        for note in summary.notes:
            say(f"  {note}", err=True)
        for url, reason in summary.problems[:_PROBLEMS_SHOWN]:
            say(f"  {url}: {reason}", err=True)
        if len(summary.problems) > _PROBLEMS_SHOWN:
            say(f"  … and {len(summary.problems) - _PROBLEMS_SHOWN} more (all of them: --json)", err=True)
