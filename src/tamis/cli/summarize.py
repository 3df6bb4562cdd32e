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
    from tamis.summarize import summarize, summarizer
    from tamis.text.markdown import plain

    app = door.app()
    chosen_method = summarizer(method, embedder=app.embedder if method == "textrank" else None)
    text = sys.stdin.read() if path == "-" else "\n\n".join(found.text for found in app.page(path).documents)
    spans = summarize(text, chosen_method, sentences)
    door.progress.done()
    chosen = [" ".join(plain(text[start:end]).split()) for start, end in spans]
    if door.as_json:
        found = [{"text": sentence, "span": list(span)} for sentence, span in zip(chosen, spans, strict=True)]
        say_json({"method": method, "sentences": found})
    else:
        say(wrapped("\n".join(chosen)))
