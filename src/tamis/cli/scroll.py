"""`tamis scroll`."""

from __future__ import annotations

from pathlib import Path

import click

from tamis.cli import show
from tamis.cli.door import Door, common, folder_for
from tamis.cli.failures import Exit
from tamis.cli.terminal import say, say_json
from tamis.schema.report import Answer


@click.command("scroll")
@click.argument("question")
@click.option("--name", metavar="N[,M]", help="Collection to ask; several with commas.")
@click.option("--vibe", metavar="V", help="Lean the ranking towards a mood, in any words.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to .md, .html, .json or .txt.")
@click.option("--limit", type=click.IntRange(1), default=30, show_default=True, help="Documents to consider.")
@click.option("--no-llm", is_flag=True, help="Answer with extracts alone, whatever model is configured.")
@click.option(
    "--explain",
    is_flag=True,
    help="Say which signals carried each document to its place. Ten documents; --json has all.",
)
@click.option("--min-support", type=click.FloatRange(0, 1), help="Exit 4 when less of the answer is supported.")
@click.option("--max-cost", type=click.FloatRange(0), help="Refuse (exit 5) when the run may cost more.")
@click.option("--max-tokens", type=click.IntRange(0), help="Refuse (exit 5) when the run may use more tokens.")
@click.option(
    "--no-links", is_flag=True, expose_value=False, help="Does nothing here: asking a collection never follows links."
)
@click.option("--language", metavar="L", help="Language of the answer, e.g. en; the question's by default.")
@common
def command(
    door: Door,
    question: str,
    name: str | None,
    vibe: str | None,
    output: Path | None,
    limit: int,
    no_llm: bool,
    explain: bool,
    min_support: float | None,
    max_cost: float | None,
    max_tokens: int | None,
    language: str | None,
) -> int:
    """Ask a collection; get a short cited answer."""
    if output is not None:
        from tamis.render.formats import writer_for

        # Before the work, not after it.
        writer_for(output)
        folder_for(output)
    result = door.app().scroll(
        question,
        name=name,
        vibe=vibe,
        limit=limit,
        use_llm=not no_llm,
        explain=explain,
        max_cost=max_cost,
        max_tokens=max_tokens,
        language=language,
        progress=door.progress,
    )
    door.progress.done()
    _show(door, result, output, explain=explain)
    if result.tier == "none":
        return Exit.NO_EVIDENCE
    if min_support is not None and result.support.score < min_support:
        if not door.quiet:
            say(f"tamis: support {result.support.score:.2f} is below --min-support {min_support:.2f}", err=True)
        return Exit.BELOW_SUPPORT
    return Exit.DONE


def _show(door: Door, result: Answer, output: Path | None, *, explain: bool) -> None:
    if door.debug:
        show.tree(result.question, result.trace)
    if output is not None:
        from tamis.render.formats import write

        write(result, output)
        if not door.quiet:
            say(f"written to {output}", err=True)
    if door.as_json:
        say_json(result.to_dict())
    elif output is None:
        show.answer(result, quiet=door.quiet, explain=explain)
