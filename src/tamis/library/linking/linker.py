"""From names in texts to links: which of several terms is meant, and how sure that is (L2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tamis.library.linking.abbreviations import Abbreviation, abbreviations
from tamis.library.linking.matching import Found, find
from tamis.library.linking.meaning import Meanings
from tamis.library.linking.names import LINKING, Lexicon, Reading
from tamis.library.linking.spelling import Token, keys_of, knowledge, name_key, tokens
from tamis.models.protocols import Embedder
from tamis.schema.document import Chunk, Span
from tamis.schema.entity import Mention
from tamis.schema.library import EntityLink, Ontology
from tamis.settings_library import LinkSettings

_SYMBOL_ALONE = 0.6
_ACRONYM = 0.92
_EVERYDAY = 0.5
_ABBREVIATED = 0.95
_BROADER = 4
_SHORT = 5
Sure = dict[str, set[str]]
"""Terms that a document surely names, with the names it uses."""


@dataclass(slots=True)
class _Place:
    """A name in a chunk, on its way to a link."""

    chunk: int
    start: int
    end: int
    key: str
    found: Found


class Linker:
    """Links mentions in texts to the terms of one ontology.

    Args:
        ontology: the terms.
        settings: floors and blocklist.
        embedder: for mentions that no spelling resolves; without one they stay unlinked.
        scope: ids of the terms that links may go to, None for all. The names of the others are still read, so that
            a part of a longer name is never taken for a name.
    """

    def __init__(
        self,
        ontology: Ontology,
        settings: LinkSettings,
        embedder: Embedder | None = None,
        scope: Container[str] | None = None,
    ) -> None:
        self._ontology = ontology
        self._settings = settings
        self._scope: Container[str] = ontology.terms if scope is None else scope
        self._meanings = Meanings(ontology, self._scope, embedder) if embedder is not None else None
        self._blocked = frozenset(_in_any_order(" ".join(name_key(name))) for name in settings.blocklist)
        self._lexicon = Lexicon(ontology, [*knowledge()["decoys"], *settings.blocklist])
        self._above = _ancestors(ontology)
        self._below = Counter(high for lineage in self._above.values() for high in lineage)

    def links(
        self, chunks: Sequence[Chunk], mentions: Sequence[Sequence[Mention]] = (), entity_types: Container[str] = ()
    ) -> list[tuple[EntityLink, ...]]:
        """Links of every chunk, in the order of their start.

        Chunks of one document are read together: an abbreviation that one introduces holds in the others, and what a
        document speaks of decides between terms of one name.

        Args:
            chunks: whole documents, in any order.
            mentions: what a recogniser found in each chunk, spans in ``Chunk.text``. Those that no spelling resolves
                are linked by meaning where there is an embedder.
            entity_types: only links on mentions with these labels; empty takes all links.
        """
        documents: dict[str, list[int]] = defaultdict(list)
        for number, chunk in enumerate(chunks):
            documents[chunk.document_id].append(number)
        linked: list[list[EntityLink]] = [[] for _ in chunks]
        open_ones: list[tuple[int, Mention]] = []
        for numbers in documents.values():
            numbers.sort(key=lambda number: (chunks[number].ordinal, chunks[number].chunk_id))
            read, taken = self._document([chunks[number] for number in numbers])
            for number, links, spans in zip(numbers, read, taken, strict=True):
                linked[number] = links
                named = mentions[number] if mentions else ()
                open_ones += [(number, each) for each in named if not _overlaps(each, spans)]
        for number, link in self._by_meaning(chunks, open_ones):
            linked[number].append(link)
        if entity_types:
            kinds = [[each for each in named if each.label in entity_types] for named in mentions] or [[]] * len(chunks)
            linked = [
                [link for link in links if any(each.start < link.end and link.start < each.end for each in named)]
                for links, named in zip(linked, kinds, strict=True)
            ]
        return [tuple(sorted(links, key=lambda link: (link.start, link.end, link.term_id))) for links in linked]

    def _document(self, chunks: Sequence[Chunk]) -> tuple[list[list[EntityLink]], list[list[Span]]]:
        """Links by spelling, and the spans of every name that was read, linked or not."""
        split = [tokens(chunk.text) for chunk in chunks]
        places = [place for number, chunk in enumerate(chunks) for place in self._places(number, chunk, split[number])]
        sure = self._sure(places)
        long_forms = self._long_forms(chunks, places, sure)
        links: list[list[EntityLink]] = [[] for _ in chunks]
        for place in places:
            if place.key in long_forms:
                continue
            link = self._link(chunks[place.chunk].chunk_id, place, sure)
            if link is not None:
                links[place.chunk].append(link)
        taken: list[list[Span]] = [[] for _ in chunks]
        for place in places:
            taken[place.chunk].append((place.start, place.end))
        for number, chunk in enumerate(chunks):
            links[number] += self._abbreviated(chunk, split[number], long_forms)
            taken[number] += [(link.start, link.end) for link in links[number]]
        return links, taken

    def _by_meaning(
        self, chunks: Sequence[Chunk], open_ones: Sequence[tuple[int, Mention]]
    ) -> Iterator[tuple[int, EntityLink]]:
        if self._meanings is None:
            return
        floor = max(self._settings.dense_floor, self._settings.confidence_floor)
        open_ones = [(number, each) for number, each in open_ones if self._may_link(each.text)]
        found = self._meanings.nearest([each.text for _, each in open_ones], floor)
        for (number, each), answer in zip(open_ones, found, strict=True):
            if answer is not None and not self._is_blocked(" ".join(name_key(self._ontology.terms[answer[0]].label))):
                term_id, cosine = answer
                link = EntityLink(chunks[number].chunk_id, term_id, each.start, each.end, round(cosine, 4), "dense")
                yield number, link

    def _may_link(self, mention: str) -> bool:
        """Whether meaning may decide: spelling has decided on every name it knows, whatever it decided."""
        key = name_key(mention)
        written = " ".join(key)
        return not (self._is_blocked(written) or _is_everyday(written) or self._lexicon.get(key))

    def _is_blocked(self, key: str) -> bool:
        return bool(self._blocked) and _in_any_order(key) in self._blocked

    def _places(self, number: int, chunk: Chunk, split: Sequence[Token]) -> list[_Place]:
        found = find(chunk.text, split, self._lexicon, self._settings.fuzzy_floor)
        return [
            _Place(
                number,
                split[each.first].start,
                split[each.end - 1].end,
                " ".join(token.key for token in split[each.first : each.end]),
                each,
            )
            for each in found
        ]

    def _sure(self, places: Sequence[_Place]) -> Sure:
        """The terms that a document names without need of context, and by which names."""
        sure: Sure = defaultdict(set)
        for place in places:
            meant = self._meant(place.found.readings, place.key, {})
            if meant is not None and place.found.method == "exact" and not meant.symbol:
                sure[meant.term_id].add(place.key)
        return sure

    def _link(self, chunk_id: str, place: _Place, sure: Sure) -> EntityLink | None:
        chosen = self._meant(place.found.readings, place.key, sure)
        if chosen is None or not chosen.term_id or self._is_blocked(place.key):
            return None
        confidence = self._confidence(chosen, place, sure)
        if confidence < self._settings.confidence_floor:
            return None
        return EntityLink(chunk_id, chosen.term_id, place.start, place.end, round(confidence, 4), place.found.method)

    def _confidence(self, reading: Reading, place: _Place, sure: Sure) -> float:
        confidence = reading.quality * place.found.certainty
        if reading.symbol and reading.term_id not in sure:
            confidence = min(confidence, _SYMBOL_ALONE)
        elif reading.symbol or reading.acronym:
            confidence = min(confidence, _ACRONYM)
        if _is_everyday(place.key):
            confidence *= _EVERYDAY
        return confidence

    def _meant(self, readings: Sequence[Reading], key: str, sure: Sure) -> Reading | None:
        """The reading that is meant, None where that cannot be told."""
        if any(not reading.term_id for reading in readings):
            return None
        readings = [reading for reading in readings if reading.term_id in self._scope]
        if len(readings) < 2:
            return readings[0] if readings else None
        best = max(reading.quality for reading in readings)
        left = {reading.term_id: reading for reading in readings if reading.quality == best}
        if len(left) > 1:
            near = [reading for reading in left.values() if self._is_near(reading.term_id, key, sure)]
            left = {reading.term_id: reading for reading in near} or left
        return self._broadest(list(left.values())) if len(left) > 1 else next(iter(left.values()))

    def _is_near(self, term_id: str, key: str, sure: Sure) -> bool:
        """Whether a document surely names a term, or one above or below it, and does so by another name."""
        return any(
            names - {key} and (other == term_id or term_id in self._above[other] or other in self._above[term_id])
            for other, names in sure.items()
        )

    def _broadest(self, readings: Sequence[Reading]) -> Reading | None:
        """Of readings that nothing tells apart: the one above all others, or the one with by far the most below it."""
        for reading in sorted(readings, key=lambda reading: reading.term_id):
            others = [other.term_id for other in readings if other is not reading]
            if all(reading.term_id in self._above[other] for other in others):
                return reading
        ranked = sorted(readings, key=lambda reading: (-self._below[reading.term_id], reading.term_id))
        if self._below[ranked[0].term_id] >= _BROADER * max(1, self._below[ranked[1].term_id]):
            return ranked[0]
        return None

    def _long_forms(
        self, chunks: Sequence[Chunk], places: Sequence[_Place], sure: Sure
    ) -> Mapping[str, EntityLink | None]:
        """What a document's own abbreviations stand for, by their spelling; None for something outside the ontology."""
        known: dict[str, EntityLink | None] = {}
        ends = {(place.chunk, place.end): place for place in places}
        for number, chunk in enumerate(chunks):
            for each in abbreviations(chunk.text):
                place = ends.get((number, each.end))
                link = None
                if place is not None and self._fits(each, chunk, place):
                    link = self._link(chunk.chunk_id, place, sure)
                key = " ".join(name_key(each.short))
                if each.start is not None or link is not None:
                    known[key] = known.get(key) or link
        return known

    @staticmethod
    def _fits(each: Abbreviation, chunk: Chunk, place: _Place) -> bool:
        """Whether all of a name stands before a bracket that begins like it: "methylmercury (MeHg)"."""
        if each.short in knowledge()["figures"] and len(chunk.text[place.start : place.end].split()) < len(each.short):
            return False
        if each.start is not None:
            return place.start <= each.start + 1
        return len(each.short) <= _SHORT and each.short[0].lower() == chunk.text[place.start].lower()

    def _abbreviated(
        self, chunk: Chunk, split: Sequence[Token], long_forms: Mapping[str, EntityLink | None]
    ) -> list[EntityLink]:
        begun: dict[str, list[tuple[list[str], EntityLink]]] = defaultdict(list)
        for key, link in long_forms.items():
            if link is not None and not self._is_blocked(key):
                begun[key.split()[0]].append((key.split(), link))
        links = []
        for first, token in enumerate(split):
            for wanted, link in begun.get(token.key, ()):
                part = split[first : first + len(wanted)]
                confidence = round(link.confidence * _ABBREVIATED, 4)
                if [each.key for each in part] != wanted or confidence < self._settings.confidence_floor:
                    continue
                start, end = part[0].start, part[-1].end
                if any(character.isupper() for character in chunk.text[start:end]):
                    links.append(replace(link, chunk_id=chunk.chunk_id, start=start, end=end, confidence=confidence))
        return links


def _in_any_order(key: str) -> tuple[str, ...]:
    return tuple(sorted(word for word in key.split() if word not in LINKING))


def _is_everyday(key: str) -> bool:
    """Whether a name is made of words that everyone uses for other things too."""
    return all(word in keys_of("everyday") or word in LINKING for word in key.split())


def _overlaps(mention: Mention, spans: Sequence[Span]) -> bool:
    return any(start < mention.end and mention.start < end for start, end in spans)


def _ancestors(ontology: Ontology) -> dict[str, frozenset[str]]:
    """Every term above each term."""
    above: dict[str, frozenset[str]] = {}
    for start in ontology.terms:
        stack = [start]
        while stack:
            term_id = stack[-1]
            waiting = [parent for parent in ontology.terms[term_id].parents if parent not in above]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            parents = ontology.terms[term_id].parents
            above[term_id] = frozenset(parents).union(*(above[parent] for parent in parents))
    return above
