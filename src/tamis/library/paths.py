"""Where the sources themselves put a passage: folders of addresses, chapters of books."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import unquote, urlsplit

_SEPARATOR = re.compile(r"(?<!\s)\s++[-–—|·:»]\s++")
_INDEX = re.compile(r"(?:index|default|home|readme|contents)(?:\.\w+)?", re.IGNORECASE)
_REPEATED = 3
_MOSTLY = 0.5
_NEARLY_ALL = 0.9
_SHORT = 3


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk and what its source says about its place.

    Attributes:
        chunk_id: of the chunk.
        document_id: its owner.
        text: of the chunk.
        url: of the document, empty when unknown.
        title: of the document, empty when unknown.
        headings: the heading path above the chunk, outermost first.
    """

    chunk_id: str
    document_id: str
    text: str
    url: str = ""
    title: str = ""
    headings: tuple[str, ...] = ()


def folders(url: str) -> tuple[str, ...]:
    """The host and the folders of an address, outermost first; without the last part, which is the page's own."""
    parts = urlsplit(url)
    return (parts.netloc, *(unquote(part) for part in parts.path.split("/")[:-1] if part))


def chapters(passage: Passage) -> tuple[str, ...]:
    """The folders of a passage, its document and the headings above it."""
    headings = [heading for heading in passage.headings if heading != passage.title]
    return (*folders(passage.url), passage.title or passage.document_id, *headings)


def is_index(url: str) -> bool:
    """Whether an address is that of a folder rather than of a page in it."""
    last = urlsplit(url).path.rsplit("/", 1)[-1]
    return not last or bool(_INDEX.fullmatch(last))


def own_titles(titles: Sequence[str]) -> list[str]:
    """Titles without what most pages of a site append to them or put in front.

    Args:
        titles: of all documents.
    """
    ends = Counter(part for title in titles if (parts := _SEPARATOR.split(title))[1:] for part in {parts[0], parts[-1]})
    common = {part for part, count in ends.items() if count >= _REPEATED}
    return [_without(title, common) for title in titles]


def _without(title: str, common: set[str]) -> str:
    parts = _SEPARATOR.split(title)
    own = [part for part in parts if part not in common]
    return title if len(own) == len(parts) or not own else " ".join(own)


def spoken(segment: str) -> str:
    """A folder's name as words: ``whats-new_2`` as ``whats new 2``."""
    return re.sub(r"[-_+.\s]+", " ", segment).strip() or segment


def common_title(titles: Sequence[str]) -> str:
    """The title that most of some pages share, without what follows a separator; empty without one."""
    title, count = Counter(titles).most_common(1)[0]
    return _SEPARATOR.split(title)[0] if title and count > _MOSTLY * len(titles) and count > 1 else ""


def common_beginning(titles: Sequence[str]) -> str:
    """The words that nearly all of some titles begin with; empty without any."""
    begun = sorted(title.split() for title in titles)
    edge = int((1.0 - _NEARLY_ALL) / 2 * len(begun))
    first, last = begun[edge], begun[len(begun) - 1 - edge]
    words = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))]
    label = " ".join(words).rstrip(" :-–—|·,")
    return label if len(titles) > 1 and sum(character.isalpha() for character in label) > _SHORT else ""
