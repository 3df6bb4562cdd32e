"""Evidence labels become numbered references with text-fragment links.

A label is all a writer ever sees; titles and URLs are put in here, by code, from the evidence. A reference gathers
every cited piece of evidence that leads to the same place (document and section).

Text fragments follow the WICG "URL Fragment Text Directives" draft: ``#anchor:~:text=start,end``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from tamis.schema.evidence import Evidence
from tamis.schema.report import Sentence
from tamis.text.inline import plain
from tamis.text.unseen import without_unseen

_WHOLE_WORDS = 8
_EDGE_WORDS = 4
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Reference:
    """One numbered reference.

    Attributes:
        number: 1-based, in order of first citation.
        title: document title, with the section where there is one.
        url: with section anchor and text fragment; empty when the document has none.
        labels: the evidence it stands for, in order of first citation.
    """

    number: int
    title: str
    url: str
    labels: tuple[str, ...]


def text_fragment(text: str) -> str:
    """The ``text=`` directive that finds a passage on its page, without the leading ``:~:``.

    Long passages are named by their first and last words, so that markup between them does not matter.
    """
    words = text.split()
    if not words:
        return ""
    if len(words) <= _WHOLE_WORDS:
        return "text=" + _encode(" ".join(words))
    return "text=" + _encode(" ".join(words[:_EDGE_WORDS])) + "," + _encode(" ".join(words[-_EDGE_WORDS:]))


def _encode(text: str) -> str:
    # The directive's own syntax uses "-", "&" and ","; the draft wants them percent-encoded in the text.
    return quote(without_unseen(text), safe="").replace("-", "%2D")


def _title(evidence: Evidence) -> str:
    heading = evidence.headings[-1] if evidence.headings else ""
    title = evidence.title or evidence.document_id
    return title if not heading or heading.casefold() == title.casefold() else f"{title}: {heading}"


def _link(evidence: Evidence, quoted: str) -> str:
    directive = text_fragment(quoted)
    url = linkable(evidence.url)
    if not directive or not url.startswith(("http://", "https://")):
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
    groups: dict[tuple[str, str], list[str]] = {}
    quoted: dict[tuple[str, str], str] = {}
    for sentence in sentences:
        for label in sentence.citations:
            item = by_label.get(label)
            if item is None:
                continue
            place = (item.document_id, item.url)
            labels = groups.setdefault(place, [])
            if label not in labels:
                labels.append(label)
            if place not in quoted:
                # Quote the sentence itself only where the page really holds it.
                found = sentence.kind in {"claim", "step"} and sentence.text in plain(item.text)
                quoted[place] = sentence.text if found else _first_line(item.text)
    return tuple(
        Reference(number, _title(by_label[labels[0]]), _link(by_label[labels[0]], quoted[place]), tuple(labels))
        for number, (place, labels) in enumerate(groups.items(), 1)
    )


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
