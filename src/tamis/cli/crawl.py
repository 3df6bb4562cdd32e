"""`tamis crawl`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import counted, say, say_json

if TYPE_CHECKING:
    from tamis.acquire.outcome import CrawlSummary

_TOLD_APART = frozenset({"problems", "notes", "left_out", "url", "complete", "limited", "stopped"})


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
    app = door.app()
    summary = app.collection(name).crawl(**options, progress=door.progress)
    door.progress.done()
    if door.as_json:
        say_json({"name": name, **asdict(summary)})
    elif not door.quiet:
        say(name)
        show.facts([(key, value) for key, value in asdict(summary).items() if key not in _TOLD_APART])
        say(_how_it_ended(summary, options["max_pages"] or app.settings.crawl.max_pages))
        for note in summary.notes:
            say(f"  {note}", err=True)
        show.left_out(summary.problems, "  ")
        show.left_out(summary.left_out, "  skipped ", of=summary.skipped)


def _how_it_ended(summary: CrawlSummary, max_pages: int) -> str:
    if summary.stopped:
        return f"stopped before its end: {summary.stopped}; the same command goes on from there"
    if not summary.limited:
        return "every page in reach was visited"
    if summary.stored >= max_pages:
        return f"stopped at {counted(max_pages, 'page')}; crawl again with a larger --max-pages for the rest"
    return "stopped before every page in reach was visited"
