"""One piece of evidence, read once for all claims that may cite it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tamis.check.bounds import Bounded, bounded
from tamis.check.dates import Date, dates
from tamis.check.homes import Part, parts_of
from tamis.check.names import Vocabulary, vocabulary
from tamis.check.numbers import Number, numbers
from tamis.check.pairing import Told, content, told
from tamis.check.polarity import Unit, pieces, units_of
from tamis.check.scope import Extent, extents_of
from tamis.schema.evidence import Evidence
from tamis.text.inline import plain
from tamis.text.sentences import sentences
from tamis.text.tokens import fold, terms

_SPACE = re.compile(r"\s+")
_MARKS = {ord(c): '"' for c in "“”„«»"} | {ord(c): "'" for c in "‘’‚‹›"} | {ord(c): "-" for c in "‐‑–—−"}
_LEAST_SENTENCE = 3
_ENDS = ".!?:;*•\"')"


def levelled(text: str) -> str:
    """Folded, straight quotation marks and hyphens, one space between words, no stop at the end."""
    return _SPACE.sub(" ", fold(text.translate(_MARKS))).strip().rstrip(".!?,;:")


@dataclass(frozen=True, eq=False)
class Source:
    """A piece of evidence and what it can vouch for.

    Attributes:
        label: ``E1`` …
        text: as the writer saw it.
        heading: its title and heading path: they name things too, but make no statements.
    """

    label: str
    text: str
    heading: str

    @cached_property
    def prose(self) -> str:
        """Without inline markup."""
        return plain(self.text)

    @cached_property
    def level(self) -> str:
        """For verbatim comparison."""
        return levelled(self.prose)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences."""
        return tuple(self.prose[start:end] for start, end in sentences(self.prose))

    @cached_property
    def passages(self) -> tuple[str, ...]:
        """What a claim is compared with: each sentence, each pair of neighbours, and the whole."""
        found = [sentence for sentence in self.sentences if len(sentence.split()) >= _LEAST_SENTENCE]
        pairs = [f"{left} {right}" for left, right in pairwise(found)]
        return tuple(dict.fromkeys([*found, *pairs, self.prose.strip() or self.heading]))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Analysed terms, those of its heading included."""
        return frozenset(terms(self.heading)) | frozenset(terms(self.prose))

    @cached_property
    def content(self) -> frozenset[str]:
        """Terms and numbers of the whole, for pairing."""
        return content(f"{self.heading}\n{self.prose}")

    @cached_property
    def sentence_contents(self) -> tuple[frozenset[str], ...]:
        """Likewise of each sentence, with the names that "it" or "they" stand for."""
        return tuple(one.content | one.named for one in self.told)

    @cached_property
    def told(self) -> tuple[Told, ...]:
        """What each sentence says of what."""
        return told(self.sentences)

    @cached_property
    def clause_contents(self) -> tuple[frozenset[str], ...]:
        """Likewise of each clause."""
        return tuple(content(piece) for sentence in self.sentences for piece in pieces(sentence))

    @cached_property
    def sentence_terms(self) -> tuple[frozenset[str], ...]:
        """Terms of each sentence."""
        return tuple(frozenset(terms(sentence)) for sentence in self.sentences)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Its clauses, for what they deny."""
        return tuple(unit for sentence in self.sentences for unit in units_of(sentence))

    @cached_property
    def extents(self) -> tuple[Extent, ...]:
        """How far each of its clauses goes."""
        return tuple(extent for sentence in self.sentences for extent in extents_of(sentence))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Cut so that each part speaks of one amount of a kind."""
        return parts_of(self.sentences, self.heading)

    @cached_property
    def bounds(self) -> tuple[tuple[Bounded, ...], ...]:
        """The numbers of each sentence with their bounds."""
        return tuple(map(bounded, self.sentences))

    @cached_property
    def _dated(self) -> tuple[list[Date], str]:
        return dates(f"{self.heading}\n{self.prose}")

    @cached_property
    def dates(self) -> list[Date]:
        """Its dates."""
        return self._dated[0]

    @cached_property
    def numbers(self) -> list[Number]:
        """Its numbers, those inside dates included: a year may be asked for as a number."""
        return numbers(f"{self.heading}\n{self.prose}") + numbers(self._dated[1])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Its words, for names."""
        return vocabulary([self.heading, self.prose, self.text])

    def says(self, text: str) -> bool:
        """Whether a text stands in it word for word, from the beginning of a sentence or item to the end of one."""
        level = levelled(text)
        at = self.level.find(level) if level else -1
        if at < 0:
            return False
        before, after = self.level[:at].rstrip(), self.level[at + len(level) :].lstrip("\"')")
        return (not before or before[-1] in _ENDS) and (not after or after[0] in _ENDS)


def sources(evidence: Sequence[Evidence]) -> tuple[Source, ...]:
    """Evidence, ready to be asked."""
    return tuple(Source(item.label, item.text, "\n".join((item.title, *item.headings))) for item in evidence)
