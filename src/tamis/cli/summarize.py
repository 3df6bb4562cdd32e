"""`tamis summarize`."""

from __future__ import annotations

import sys

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json, wrapped


@click.command("summarize")
@click.argument("path", metavar="PATH|-")
@click.option("--method", default="lexrank", show_default=True, metavar="M", help="Summariser to use.")
@click.option("--sentences", type=click.IntRange(1), default=8, show_default=True, help="Sentences to pick.")
@common
def command(door: Door, path: str, method: str, sentences: int) -> None:
    """Pick the sentences that carry a text, in its own order."""
    text = sys.stdin.read() if path == "-" else "\n\n".join(found.text for found in door.app().page(path).documents)
    chosen = _pick(text, method, sentences)
    door.progress.done()
    if door.as_json:
        say_json({"method": method, "sentences": chosen})
    else:
        say(wrapped("\n".join(chosen)))


def _pick(text: str, method: str, count: int) -> list[str]:
    from tamis.summarize import summarizer
    from tamis.text.markdown import blocks, plain
    from tamis.text.sentences import sentences

    found: list[str] = []
    for block in blocks(text):
        if block.kind in {"paragraph", "item", "quote"}:
            prose = plain(text[block.start : block.end])
            found += [prose[start:end] for start, end in sentences(prose)]
    scores = summarizer(method).rank(found)
    best = sorted(range(len(found)), key=lambda place: (-float(scores[place]), place))[:count]
    return [" ".join(found[place].split()) for place in sorted(best)]
