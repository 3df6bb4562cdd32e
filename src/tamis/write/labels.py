"""Citation labels in every shape models write them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_ONE = r"(?:evidence\s{0,3})?E\s?\d{1,4}"
_JOIN = r"(?:\s{0,3}(?:,|;|&|/|and|und|et|y|to|[-–—])\s{0,3}|\s{1,3})"
# Runs are bounded everywhere, so that no reply, however odd, takes more than linear time.
_LETTERED = re.compile(
    rf"\s{{0,3}}[\[(【{{⟦]{{1,3}}\s{{0,3}}({_ONE}(?:{_JOIN}(?:{_ONE}|\d{{1,4}})){{0,40}})(?:†[^\])】}}⟧\n]{{0,80}})?\s{{0,3}}"
    r"[\])】}⟧]{1,3}",
    re.IGNORECASE,
)
# Bare numbers count as labels only where a reference would stand: behind a word, before a mark or the end.
_NUMBERED = re.compile(
    r"(?<=[\w.!?\"'”’)⟧])\s{0,3}((?:\[\s?\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,20}\s?\]\s{0,3}){1,20})(?=\s{0,3}(?:[.,;:!?](?:\s|$)|$|\n|⟦))"
)
_NAMED = re.compile(
    rf"\(?\b(?:according to|as (?:stated|shown|described|noted|seen) in|see|source|cited in)(?:\s++(?::\s++)?|:\s++)"
    rf"({_ONE}(?:{_JOIN}{_ONE})*)(?!\w)\s*+\)?+[,:]?+\s*+",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,4})\s*(?:-|–|—|to)\s*E?\s?(\d{1,4})", re.IGNORECASE)
_WIDEST_RANGE = 20
_LIFTED = re.compile(r"⟦([\d,]*)⟧")
_BEHIND_STOP = re.compile(r"([.!?…][\"'”’)]?)((?:\s*⟦[\d,]*⟧)+)")


@dataclass(frozen=True, slots=True)
class Cited:
    """A text without its labels.

    Attributes:
        text: whitespace tidied.
        labels: those that exist, in order, none twice.
        unknown: how many did not exist.
    """

    text: str
    labels: tuple[str, ...]
    unknown: int


def lift(paragraph: str) -> str:
    """Every label in one form, ``⟦1,2⟧``, in front of the full stop it may have followed.

    In that form neither Markdown nor a sentence splitter mistakes a label for a link or a sentence.
    """
    text = paragraph.replace("⟦", "[").replace("⟧", "]")
    for pattern in (_LETTERED, _NAMED, _NUMBERED):
        text = pattern.sub(_lifted, text)
    return _BEHIND_STOP.sub(lambda match: f"{match.group(2)}{match.group(1)}", text)


def _lifted(match: re.Match[str]) -> str:
    numbers = ",".join(str(number) for number in _numbers(match.group(1)))
    return f" ⟦{numbers}⟧ " if match.re is _NAMED else f" ⟦{numbers}⟧"


def _numbers(group: str) -> list[int]:
    def spread(match: re.Match[str]) -> str:
        first, last = int(match.group(1)), int(match.group(2))
        return ",".join(map(str, range(first, last + 1))) if 0 <= last - first <= _WIDEST_RANGE else match.group()

    return [int(number) for number in re.findall(r"\d+", _RANGE.sub(spread, group))]


def extract(text: str, known: Collection[str]) -> Cited:
    """Take lifted labels out of a sentence.

    Args:
        text: one sentence or list item, lifted.
        known: the labels that exist.
    """
    numbers = [f"E{number}" for match in _LIFTED.finditer(text) for number in match.group(1).split(",") if number]
    labels = tuple(dict.fromkeys(label for label in numbers if label in known))
    return Cited(_tidy(_LIFTED.sub(" ", text)), labels, sum(label not in known for label in numbers))


def _tidy(text: str) -> str:
    """One space between words, none before a mark, no empty brackets, no mark at the front."""
    text = re.sub(r"[(\[]\s*[)\]]", "", text)
    text = re.sub(r"(?<!\s)\s++([.,;:!?])(?=\s|$)", r"\1", " ".join(text.split()))
    text = re.sub(r"([!?]|(?<![.,]),*+\.)[.,]++$", r"\1", text) if not text.endswith("...") else text
    return re.sub(r"^[,;:.\s]+", "", text)
