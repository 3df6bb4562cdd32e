"""A checked draft becomes Markdown or plain text.

Evidence is other people's text: in Markdown, characters that would make links, images, markup or raw HTML are escaped,
so a page cannot put anything but words into an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from tamis.render.references import Reference, numbers_by_label, references
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence

_MARKUP = re.compile(r"([\\`*\[\]<>|~])|(?<!\w)(_)|(_)(?!\w)|^([#+-])(?=\s)", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MARKS = {"unsupported": " (unsupported)"}


def printable(text: str) -> str:
    """Without control characters, terminal escapes and direction overrides."""
    return _CONTROL.sub("", text)


def escape_markdown(text: str) -> str:
    """Prose with every character that Markdown would read as markup escaped."""
    return _MARKUP.sub(lambda match: "\\" + match.group(), printable(text))


def _markers(sentence: Sentence, numbers: dict[str, int]) -> str:
    found = sorted({numbers[label] for label in sentence.citations if label in numbers})
    return "".join(f" [{number}]" for number in found)


def _paragraphs(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    for _, group in groupby(sentences, key=lambda sentence: (sentence.paragraph, sentence.kind)):
        yield list(group)


def _block(group: Sequence[Sentence], numbers: dict[str, int], prose: Callable[[str], str], fenced: bool) -> str:
    def line(sentence: Sentence) -> str:
        return prose(sentence.text) + _MARKS.get(sentence.support, "") + _markers(sentence, numbers)

    kind = group[0].kind
    if kind == "claim":
        return " ".join(line(sentence) for sentence in group)
    if kind == "step":
        return "\n".join(f"{number}. {line(sentence)}" for number, sentence in enumerate(group, 1))
    if kind == "heading":
        return "\n\n".join(f"## {prose(sentence.text)}" for sentence in group)
    if kind == "code":
        return "\n\n".join(_code(printable(sentence.text), fenced) for sentence in group)
    return "\n\n".join(printable(sentence.text) + _markers(sentence, numbers) for sentence in group)


def _code(text: str, fenced: bool) -> str:
    if not fenced:
        return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _body(sentences: Sequence[Sentence], refs: Sequence[Reference], prose: Callable[[str], str], fenced: bool) -> str:
    numbers = dict(numbers_by_label(refs))
    return "\n\n".join(_block(group, numbers, prose, fenced) for group in _paragraphs(sentences))


def safe_url(url: str) -> str:
    """A URL that cannot end the angle brackets around it."""
    return printable(url).replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")


def markdown(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> tuple[str, tuple[Reference, ...]]:
    """The answer as Markdown with a list of numbered references, and the references themselves."""
    refs = references(sentences, evidence)
    body = _body(sentences, refs, escape_markdown, fenced=True)
    lines = [
        f"[{ref.number}] {escape_markdown(ref.title)}" + (f" <{safe_url(ref.url)}>" if ref.url else "") for ref in refs
    ]
    return "\n\n".join(part for part in (body, "  \n".join(lines)) if part) + "\n", refs


def plain_text(sentences: Sequence[Sentence], refs: Sequence[Reference]) -> str:
    """The answer's body for a terminal: no markup, code indented by four spaces, no reference list."""
    return _body(sentences, refs, printable, fenced=False)
