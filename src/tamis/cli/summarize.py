"""`tamis summarize`."""

from __future__ import annotations

import sys

import click

from tamis.cli.door import Door, common
from tamis.cli.terminal import say, say_json, wrapped


@click.command("summarize")
@click.argument("path", metavar="PATH|-")
@click.option("--method", metavar="M", help="lexrank, lsa, luhn, textrank or nltk_freq.  [default: lexrank]")
@click.option("--sentences", type=click.IntRange(1), help="Sentences to pick.  [default: 8]")
@common
def command(door: Door, path: str, method: str | None, sentences: int | None) -> int:
    """Pick the sentences that carry a text, in its own order.

    PATH is any file tamis reads, or an address; - is standard input. Tables, code, headings and fragments are never
    picked; a text without a sentence ends with exit code 3.
    """
    from tamis.summarize import summarizer
    from tamis.summarize.selection import chosen, pieces

    app = door.app()
    options = {"stage1_method": method, "sentences": sentences}
    settings = app.settings.layer_c.model_copy(update={name: value for name, value in options.items() if value})
    summarizer(settings.stage1_method)
    text = _stdin() if path == "-" else "\n\n".join(document.text for document in app.page(path).documents)
    door.progress.stage("summarising")
    found = pieces(text)
    picked = [(*found[row], score) for row, score in chosen([sentence for sentence, _ in found], settings)]
    door.progress.done()
    if door.as_json:
        rows = [{"text": sentence, "span": list(span), "score": score} for sentence, span, score in picked]
        say_json({"method": settings.stage1_method, "of": len(found), "sentences": rows})
    elif picked:
        say(wrapped("\n".join(sentence for sentence, _, _ in picked)))
    if not picked:
        say("no sentence to pick: the text is empty, or nothing but tables, code, headings and fragments", err=True)
    return 0 if picked else 3


def _stdin() -> str:
    from tamis.text.encoding import clean, decode

    raw = getattr(sys.stdin, "buffer", None)
    return clean(decode(raw.read()) if raw is not None else sys.stdin.read())
