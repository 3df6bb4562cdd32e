"""Reports in the format of their file: Markdown, HTML, JSON, text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tamis.errors import UsageError
from tamis.private import replacing
from tamis.render.answer import escape_markdown, plain_text, printable
from tamis.render.deficit import deficit_text
from tamis.render.references import Reference, linkable, references
from tamis.schema.report import Answer, Ledger


def footer(answer: Answer) -> str:
    """One line: tier, how much was read, support, calls, time."""
    support = answer.support
    labels = {label for sentence in answer.sentences for label in sentence.citations}
    cited = len({item.document_id for item in answer.evidence if item.label in labels})
    verdicts = (
        f"{support.supported} supported, {support.weak} weak"
        + (f", {support.unsupported} unsupported" if support.unsupported else "")
        + (f", {support.dropped} dropped" if support.dropped else "")
    )
    parts = [
        answer.tier,
        f"{cited} of {answer.documents_total} documents",
        # Where nothing was written, nothing was judged.
        *([] if answer.tier == "none" else [verdicts]),
        _calls(answer.ledger),
        f"{answer.seconds:.1f} s",
    ]
    return " · ".join(parts)


def _calls(ledger: Ledger) -> str:
    """How many calls were made, and how many of them were for nothing."""
    made = ledger.calls_total
    spoiled = [call for call in ledger.calls if call.outcome != "ok"]
    counted = f"{made} model call{'' if made == 1 else 's'}"
    if not spoiled:
        return counted
    what = "not used" if any(call.completion_tokens for call in spoiled) else "failed"
    return f"{counted} ({what if made == 1 else f'{len(spoiled)} {what}'})"


def to_json(answer: Answer) -> str:
    """The object of `scroll --json`."""
    return json.dumps(answer.to_dict(), ensure_ascii=False, indent=2) + "\n"


def to_text(answer: Answer) -> str:
    """Plain text: the answer, its references, the footer."""
    if answer.deficit is not None:
        return f"{deficit_text(answer.deficit)}\n{footer(answer)}\n"
    refs = references(answer.sentences, answer.evidence)
    lines = [
        f"[{ref.number}] {printable(ref.title)}" + (f"\n    {printable(ref.url)}" if ref.url else "") for ref in refs
    ]
    return "\n\n".join([plain_text(answer.sentences, refs), "\n".join(lines), footer(answer)]) + "\n"


def to_markdown(answer: Answer) -> str:
    """The answer's Markdown under its question, with the footer."""
    return f"# {escape_markdown(' '.join(answer.question.split()))}\n\n{answer.markdown}\n---\n\n{footer(answer)}\n"


def to_html(answer: Answer) -> str:
    """A self-contained page; everything from outside is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("tamis.render"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    refs = references(answer.sentences, answer.evidence)
    return environment.get_template("answer.html.jinja").render(
        answer=answer,
        paragraphs=_paragraphs(answer),
        references=refs,
        numbers=_numbers(refs),
        footer=footer(answer),
        safe=linkable,
    )


def _paragraphs(answer: Answer) -> list[list[object]]:
    from itertools import groupby

    return [list(group) for _, group in groupby(answer.sentences, key=lambda s: (s.paragraph, s.kind))]


def _numbers(refs: tuple[Reference, ...]) -> dict[str, int]:
    return {label: ref.number for ref in refs for label in ref.labels}


WRITERS: Mapping[str, Callable[[Answer], str]] = {
    ".md": to_markdown,
    ".html": to_html,
    ".json": to_json,
    ".txt": to_text,
}


def writer_for(path: Path) -> Callable[[Answer], str]:
    """The format that a file's extension names.

    Raises:
        UsageError: an extension without a format.
    """
    writer = WRITERS.get(path.suffix.casefold())
    if writer is None:
        raise UsageError(
            f"no format for {path.suffix or 'a file without extension'!r}", fix=f"use one of {', '.join(WRITERS)}"
        )
    return writer


def write(answer: Answer, path: Path) -> None:
    """Write a report in the format its extension names.

    Raises:
        UsageError: an extension without a format.
    """
    text = writer_for(path)(answer)
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
