"""Evidence labels become numbered references with text-fragment links.

A label is all a writer ever sees; titles and URLs are put in here, by code, from the evidence. A reference leads to
where the first sentence that cites it begins, and gathers every piece of evidence that leads there too.

Text fragments follow the WICG "URL Fragment Text Directives" draft: ``#anchor:~:text=start,end``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from tamis.schema.document import Span
from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.text.inline import plain
from tamis.text.sentences import sentences as sentence_spans
from tamis.text.tokens import terms
from tamis.text.unseen import without_unseen

_WHOLE_WORDS = 8
_EDGE_WORDS = 4
_LEAST_WORDS = 2
"""Fewer words beside a raised number stand in many places of a page."""
_RAISED = re.compile(r"\w\^[+−-]?\d")
_BAR = re.compile(r"(?<!\\)\|")
_WORD = re.compile(r"[^\W_]+")
_PATH_LEVELS = 3
"""Headings of a place in words: the innermost ones."""
_PAGES = (".html", ".htm", ".xhtml", ".shtml")
"""Files that a browser shows, and in which it looks for a text fragment."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One numbered reference.

    Attributes:
        number: 1-based, in order of first citation.
        title: document title, with the headings above the place where there are any.
        url: with section anchor and text fragment; empty when the document has none.
        labels: the evidence it stands for, in order of first citation.
    """

    number: int
    title: str
    url: str
    labels: tuple[str, ...]


def text_fragment(text: str) -> str:
    """The ``text=`` directive that finds a passage on its page, without the leading ``:~:``.

    Long passages are named by their first and last words, so that markup between them does not matter. So are those
    with a raised number, which a page does not show as it is written here.
    """
    runs = _shown_runs(text)
    if not runs:
        return ""
    telling = [run for run in runs if len(run) >= _LEAST_WORDS]
    if len(telling) < 2:
        words = max(runs, key=len)
        if len(words) <= _WHOLE_WORDS:
            return "text=" + _encode(" ".join(words))
        telling = [words, words]
    return "text=" + _encode(" ".join(telling[0][:_EDGE_WORDS])) + "," + _encode(" ".join(telling[-1][-_EDGE_WORDS:]))


def _shown_runs(text: str) -> list[list[str]]:
    """The words of a passage in runs that a page shows as they are: "10^5" is 10 with a raised 5 there."""
    runs: list[list[str]] = [[]]
    for word in text.split():
        if _RAISED.search(word):
            runs.append([])
        else:
            runs[-1].append(word)
    return [run for run in runs if run]


def _encode(text: str) -> str:
    # The directive's own syntax uses "-", "&" and ","; the draft wants them percent-encoded in the text.
    return quote(without_unseen(text), safe="").replace("-", "%2D")


def _title(evidence: Evidence) -> str:
    """The place in words, which is all there is where no viewer understands a fragment (text, Word)."""
    title = evidence.title or evidence.document_id
    path = [heading for heading in evidence.headings if heading.casefold() != title.casefold()]
    return f"{title}: {' › '.join(path[-_PATH_LEVELS:])}" if path else title


def _link(url: str, quoted: str) -> str:
    directive = text_fragment(quoted)
    url = linkable(url)
    web = url.startswith(("http://", "https://"))
    if not directive or not (web or url.partition("#")[0].lower().endswith(_PAGES)):
        return url
    separator = ":~:" if "#" in url else "#:~:"
    return url + separator + directive


def linkable(url: str) -> str:
    """The URL where following it does no more than open a page or a file, else empty: rows of data name their own."""
    return url if url.lower().startswith(("http://", "https://", "file:")) else ""


def references(sentences: Sequence[Sentence], evidence: Sequence[Evidence]) -> tuple[Reference, ...]:
    """Number the cited evidence in order of first citation.

    Labels that no evidence carries are ignored; the checker has counted them by then.
    """
    by_label = {item.label: item for item in evidence}
    groups: dict[tuple[str, str, str], list[str]] = {}
    quoted: dict[tuple[str, str, str], str] = {}
    seen: set[str] = set()
    for sentence in sentences:
        for label in sentence.citations:
            item = by_label.get(label)
            if item is None or label in seen:
                continue
            seen.add(label)
            start, end = _cited(item, sentence)
            place = (item.document_id, _located(item, start), _title(item))
            groups.setdefault(place, []).append(label)
            # Quote the sentence itself only where the page really holds it.
            found = sentence.kind in {"claim", "step"} and sentence.text in plain(item.text)
            quoted.setdefault(place, sentence.text if found else _first_line(item.text[start:end]))
    return tuple(
        Reference(number, place[2], _link(place[1], quoted[place]), tuple(labels))
        for number, (place, labels) in enumerate(groups.items(), 1)
    )


def _located(evidence: Evidence, start: int) -> str:
    """The URL with the anchor that holds at a place in the evidence's text."""
    at = bisect_right(evidence.anchors, start, key=lambda anchor: anchor.start) - 1
    if at < 0 or not evidence.url:
        return evidence.url
    return f"{evidence.url.partition('#')[0]}#{evidence.anchors[at].fragment}"


def _cited(evidence: Evidence, sentence: Sentence) -> Span:
    """Where the evidence says what a sentence says.

    Word for word where it does, whatever the markup between the words; else the line or sentence that shares most
    words with it, the first of several.
    """
    text = evidence.text
    spans = [match.span() for match in _WORD.finditer(text)]
    held = " ".join(text[start:end] for start, end in spans)
    said = " ".join(_WORD.findall(sentence.text))
    at = f" {held} ".find(f" {said} ") if said else -1
    if at >= 0:
        first = held.count(" ", 0, at)
        start = spans[first][0]
        # Rows and lines of code are whole lines.
        start = text.rfind("\n", 0, start) + 1 if sentence.kind in {"code", "table"} else start
        return start, spans[first + said.count(" ")][1]
    asked = set(terms(sentence.text))
    pieces = _pieces(text)
    return max(pieces, key=lambda span: len(asked.intersection(terms(text[slice(*span)]))), default=(0, len(text)))


def _pieces(text: str) -> list[Span]:
    """The sentences of lines that show something; rows of a table whole."""
    found: list[Span] = []
    start = 0
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("|"):
            found.append((start, start + len(line)))
        elif plain(line):
            found += [(start + first, start + last) for first, last in sentence_spans(line)]
        start += len(line)
    return found


def _first_line(text: str) -> str:
    """The first words as a page shows them: without marks of Markdown, and of a row its longest cell."""
    for line in text.splitlines():
        cells = _BAR.split(line) if line.lstrip().startswith("|") else [line]
        if shown := max(map(plain, cells), key=len):
            return shown
    return ""


def numbers_by_label(refs: Sequence[Reference]) -> Mapping[str, int]:
    """Evidence label → reference number."""
    return {label: ref.number for ref in refs for label in ref.labels}
