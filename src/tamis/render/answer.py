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
from tamis.text.markdown import plain
from tamis.text.unseen import without_unseen

_MARKUP = re.compile(r"([\\`*\[\]<>|~])|(?<![^\W_])(_)|(_)(?![^\W_])|^([#+-])(?=\s)|(&)(?=#?\w+;)", re.MULTILINE)
_ADDRESS = re.compile(
    r"(?:\b(?:https?|ftp)://|\bwww\.|\b(?:mailto|xmpp):|(?<![\w.+-])[\w.+-]++@(?=[\w-]+\.))[^\s<>`]*[^\s<>`.,;:!?)\]\"']",
    re.IGNORECASE,
)
"""What readers of Markdown make links of without being asked."""
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\A[|:\s-]+$")
_MARKS = {"unsupported": " (unsupported)"}


def printable(text: str) -> str:
    """Without control characters, terminal escapes and direction overrides."""
    return without_unseen(text)


def escape_markdown(text: str) -> str:
    """Prose with every character that Markdown would read as markup escaped, and addresses as code, not as links."""
    shown = printable(text)
    parts: list[str] = []
    at = 0
    for address in _ADDRESS.finditer(shown):
        parts += (_escaped(shown[at : address.start()]), f"`{address.group()}`")
        at = address.end()
    return "".join((*parts, _escaped(shown[at:])))


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda match: "\\" + match.group(), text)


def escape_table(text: str) -> str:
    """A Markdown table whose cells hold words and nothing else: no links, images, markup or HTML."""
    return "\n".join(line if _RULE.match(line) else _row(line) for line in printable(text).split("\n"))


def _row(line: str) -> str:
    cells = (plain(cell.strip().replace("\\|", "|")) for cell in _CELL_ENDS.split(line))
    return "|".join(f" {escape_markdown(cell)} " if cell else "" for cell in cells).strip()


def _markers(sentence: Sentence, numbers: dict[str, int]) -> str:
    found = sorted({numbers[label] for label in sentence.citations if label in numbers})
    return "".join(f" [{number}]" for number in found)


def _paragraphs(sentences: Sequence[Sentence]) -> Iterator[list[Sentence]]:
    for _, group in groupby(sentences, key=lambda sentence: (sentence.paragraph, sentence.kind)):
        yield list(group)


def _block(group: Sequence[Sentence], numbers: dict[str, int], prose: Callable[[str], str], marked: bool) -> str:
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
        return "\n\n".join(_code(printable(sentence.text), marked) for sentence in group)
    table = escape_table if marked else printable
    return "\n\n".join(table(sentence.text) + _markers(sentence, numbers) for sentence in group)


def _code(text: str, marked: bool) -> str:
    if not marked:
        return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _body(sentences: Sequence[Sentence], refs: Sequence[Reference], prose: Callable[[str], str], marked: bool) -> str:
    numbers = dict(numbers_by_label(refs))
    return "\n\n".join(_block(group, numbers, prose, marked) for group in _paragraphs(sentences))


def safe_url(url: str) -> str:
    """A URL that cannot end the angle brackets around it."""
    return printable(url).replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")


def markdown(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> tuple[str, tuple[Reference, ...]]:
    """The answer as Markdown with a list of numbered references, and the references themselves."""
    refs = references(sentences, evidence)
    body = _body(sentences, refs, escape_markdown, marked=True)
    lines = [
        f"[{ref.number}] {escape_markdown(ref.title)}" + (f" <{safe_url(ref.url)}>" if ref.url else "") for ref in refs
    ]
    return "\n\n".join(part for part in (body, "  \n".join(lines)) if part) + "\n", refs


def plain_text(sentences: Sequence[Sentence], refs: Sequence[Reference]) -> str:
    """The answer's body for a terminal: no markup, code indented by four spaces, no reference list."""
    return _body(sentences, refs, printable, marked=False)
