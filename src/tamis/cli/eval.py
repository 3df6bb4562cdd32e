"""`tamis eval`."""

from __future__ import annotations

from pathlib import Path

import click

from tamis.cli import show
from tamis.cli.door import Door, common
from tamis.cli.terminal import say_json
from tamis.errors import UsageError

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("eval")
@click.option("--name", required=True, metavar="N", help="Collection to measure.")
@click.option("--queries", type=_FILE, required=True, help="Questions, `_id,text`.")
@click.option("--qrels", type=_FILE, required=True, help="Judgements, TREC or BEIR.")
@click.option("--recipe", "recipes", multiple=True, metavar="R", help="Recipe to measure, repeatable; all by default.")
@common
def command(door: Door, name: str, queries: Path, qrels: Path, recipes: tuple[str, ...]) -> None:
    """Measure the ranking against judged questions.

    One row a recipe: nDCG@10, MRR@10, R@100.
    """
    from tamis.rank.measure import read_qrels, read_queries
    from tamis.rank.recipes import RECIPES

    asked, judged = read_queries(queries), read_qrels(qrels)
    if asked.keys().isdisjoint(judged):
        raise UsageError(
            f"no question of {queries} is judged in {qrels}",
            fix="judgements are `qid 0 docid grade` (TREC) or `query-id corpus-id score` (BEIR), same ids",
        )
    chosen = recipes or tuple(RECIPES)
    rows = door.app().collection(name).evaluate(asked, judged, chosen, progress=door.progress)
    door.progress.done()
    if door.as_json:
        say_json({"name": name, "rows": rows})
    else:
        show.table([{**row, "questions": int(row["questions"])} for row in rows])
