"""`tamis search`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from tamis.cli import show
from tamis.cli.door import Door, common, folder_for
from tamis.cli.terminal import counted, say, say_json
from tamis.schema.ranking import RankedItem, Ranking

_SINGLE_DEPTH = 10
_BATCH_DEPTH = 1000


@click.command("search")
@click.argument("query", required=False)
@click.option("--name", required=True, metavar="N", help="Collection to search.")
@click.option("-k", "depth", type=click.IntRange(1), help="Most documents; 10 by default, 1000 with --run.")
@click.option("--recipe", default="auto", show_default=True, metavar="R", help="bm25, dense, rrf, convex or auto.")
@click.option("--explain", is_flag=True, help="Say which signals carried each document to its place.")
@click.option("--queries", type=click.Path(path_type=Path, dir_okay=False), help="Questions to run, `_id,text`.")
@click.option("--run", "run_file", type=click.Path(path_type=Path, dir_okay=False), help="Write a TREC run there.")
@common
def command(
    door: Door,
    query: str | None,
    name: str,
    depth: int | None,
    recipe: str,
    explain: bool,
    queries: Path | None,
    run_file: Path | None,
) -> None:
    """Rank documents, without writing anything."""
    if queries is not None or run_file is not None:
        if query is not None or queries is None or run_file is None:
            raise click.UsageError("a run takes --queries FILE and --run OUT together, and no QUERY")
        _batch(door, name, queries, run_file, depth or _BATCH_DEPTH, recipe)
        return
    if query is None:
        raise click.UsageError("name a QUERY, or --queries FILE with --run OUT")
    ranking = door.app().collection(name).search(query, k=depth or _SINGLE_DEPTH, recipe=recipe, explain=explain)
    door.progress.done()
    if door.debug:
        show.tree(query, _trace(ranking))
    if door.as_json:
        say_json({"query": query, "recipe": ranking.recipe, "results": [_result(item) for item in ranking.items]})
    else:
        show.items(ranking.items, explain=explain)
        if not door.quiet:
            show.notes(ranking.notes)


def _trace(ranking: Ranking) -> list[tuple[str, Mapping[str, Any]]]:
    terms = ", ".join(f"{term} {boost:.2f}" for term, boost in ranking.terms)
    return [
        ("matches", ranking.layers),
        ("full text", {"terms": terms}),
        (
            "fusion",
            {"recipe": ranking.recipe, "items": len(ranking.items), "related via entity profiles": ranking.related},
        ),
    ]


def _result(item: RankedItem) -> dict[str, Any]:
    return {**asdict(item), "signals": {name: asdict(share) for name, share in item.signals.items()}}


def _batch(door: Door, name: str, queries: Path, out: Path, depth: int, recipe: str) -> None:
    from tamis.rank.measure import read_queries, trec_run

    folder_for(out)
    asked = read_queries(queries)
    run = door.app().collection(name).run(asked, k=depth, recipe=recipe, progress=door.progress)
    out.write_text(trec_run(run), encoding="utf-8")
    door.progress.done()
    lines = sum(len(ranked) for ranked in run.values())
    if door.as_json:
        say_json({"queries": len(asked), "lines": lines, "run": str(out)})
    elif not door.quiet:
        say(f"{counted(len(asked), 'question')}, {counted(lines, 'line')} in {out}")
