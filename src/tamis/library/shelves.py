"""Layer A: an ontology projected onto a corpus as shelves (L3).

Support goes up as sets of chunks, so a chunk under two children counts once in their parent. What survives is a tree:
every term has one primary parent, the tightest one, and is named by the others in ``see_also``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from tamis.library.linking.spelling import name_key
from tamis.library.slugs import slug, unique_slug
from tamis.library.support import supported
from tamis.schema.library import EntityLink, Ontology, Shelf
from tamis.settings_library import FacetSettings, LayerASettings

_BRACKETED = re.compile(r"(?:(?<!\s)\s++)?\([^()]*+\)$")
_IDLE = 0.05
"""Share of a tier's chunks beside its only shelf below which it says nothing of its own."""
Bits = int
"""A set of chunks, one bit each: unions of thousands of sets of thousands stay cheap."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A tree of shelves and where each chunk stands in it.

    Attributes:
        shelves: a parent before its children, siblings by falling support, then label.
        attachments: chunk → the shelves it stands on, the deepest alone, ascending; chunks without a shelf are missing.
        unplaced: chunks with a link that no surviving shelf is above, ascending.
    """

    shelves: tuple[Shelf, ...]
    attachments: Mapping[str, tuple[str, ...]]
    unplaced: tuple[str, ...] = ()


class _Tree:
    """Terms that became shelves, and what was folded into them.

    Attributes:
        parent: shelf term → the shelf term above it, empty at the top.
        below: shelf term, empty for the top → the shelf terms right below it.
        folded: term of a collapsed tier → the shelf term that stands for it.
        see_also: shelf term → labels to name beside its own.
    """

    def __init__(self, parent: Mapping[str, str]) -> None:
        self.parent = dict(parent)
        self.below: dict[str, set[str]] = defaultdict(set)
        for term_id, above in self.parent.items():
            self.below[above].add(term_id)
        self.folded: dict[str, str] = {}
        self.see_also: dict[str, list[str]] = defaultdict(list)

    def lineage(self, term_id: str) -> list[str]:
        """A shelf term and all above it, the nearest first."""
        found = [term_id]
        while self.parent[found[-1]]:
            found.append(self.parent[found[-1]])
        return found

    def remove(self, term_id: str) -> None:
        """Take a shelf term out; what was below it moves up."""
        above = self.parent.pop(term_id)
        self.below[above].discard(term_id)
        for child in self.below.pop(term_id, ()):
            self.parent[child] = above
            self.below[above].add(child)

    def fold(self, folded: str, stays: str, labels: Sequence[str]) -> None:
        """Let one shelf term stand for another too, and name the other beside it."""
        self.remove(folded)
        self.folded[folded] = stays
        self.see_also[stays] = [*labels, *self.see_also.pop(folded, []), *self.see_also[stays]]


def scope(ontology: Ontology, facet: FacetSettings) -> frozenset[str]:
    """The terms that belong to a facet.

    Args:
        ontology: all terms.
        facet: a prefix of ids and a root; the root itself is the facet, so it is not among them.
    """
    inside = {term_id for term_id in ontology.terms if term_id.startswith(facet.id_prefix)}
    if facet.root:
        below: dict[str, list[str]] = defaultdict(list)
        for term in ontology.terms.values():
            for parent in term.parents:
                below[parent].append(term.term_id)
        reached: set[str] = set()
        stack = [facet.root]
        while stack:
            for child in below[stack.pop()]:
                if child not in reached:
                    reached.add(child)
                    stack.append(child)
        inside &= reached
    return frozenset(inside)


def project(
    ontology: Ontology,
    links: Iterable[EntityLink],
    settings: LayerASettings,
    name: str,
    facet: FacetSettings | None = None,
    *,
    passages: int = 0,
) -> Projection:
    """Build the shelves of a facet and put every chunk on the deepest of them.

    Args:
        ontology: the hierarchy.
        links: mentions in the corpus; those outside the facet are passed over.
        settings: least support, depth and the share above which a top class says nothing.
        name: of the facet, the first part of every shelf's id.
        facet: which part of the ontology; None for all.
        passages: of the collection, linked or not: a small one takes less support where settings leave it open.
    """
    inside = scope(ontology, facet or FacetSettings())
    found: dict[str, set[str]] = defaultdict(set)
    for link in links:
        if link.term_id in inside:
            found[link.term_id].add(link.chunk_id)
    chunks = sorted({chunk_id for ids in found.values() for chunk_id in ids})
    settings = supported(settings, max(passages, len(chunks)))
    place = {chunk_id: number for number, chunk_id in enumerate(chunks)}
    direct = {term_id: _bits([place[chunk_id] for chunk_id in ids], len(chunks)) for term_id, ids in found.items()}
    order = _parents_first(ontology, inside)
    lifted = _lifted(ontology, inside, direct, order)
    kept = {term_id for term_id, bits in lifted.items() if bits.bit_count() >= settings.minimum_support}
    while True:
        tree = _tree(ontology, kept, lifted, order, settings, len(chunks))
        standing = _standing(ontology, tree, direct, order)
        support = _support(tree, standing)
        thin = {term_id for term_id in tree.parent if support[term_id].bit_count() < settings.minimum_support}
        if not thin:
            break
        kept -= thin
    return _finished(ontology, tree, direct, standing, support, chunks, name)


def _parents_first(ontology: Ontology, inside: Collection[str]) -> list[str]:
    """The terms of a facet, every parent before its children."""
    order: list[str] = []
    done: set[str] = set()
    for start in sorted(inside):
        stack = [start]
        while stack:
            term_id = stack[-1]
            waiting = [parent for parent in ontology.terms[term_id].parents if parent in inside and parent not in done]
            if waiting and term_id not in done:
                stack += waiting
                continue
            stack.pop()
            if term_id not in done:
                done.add(term_id)
                order.append(term_id)
    return order


def _lifted(
    ontology: Ontology, inside: Collection[str], direct: Mapping[str, Bits], order: Sequence[str]
) -> dict[str, Bits]:
    """Chunks of every term or of anything below it."""
    lifted = {term_id: direct.get(term_id, 0) for term_id in order}
    for term_id in reversed(order):
        for parent in ontology.terms[term_id].parents:
            if parent in inside:
                lifted[parent] |= lifted[term_id]
    return lifted


def _tree(
    ontology: Ontology,
    kept: Collection[str],
    lifted: Mapping[str, Bits],
    order: Sequence[str],
    settings: LayerASettings,
    chunks: int,
) -> _Tree:
    """One primary parent for every term, then without umbrellas, idle tiers and what is too deep."""
    primary: dict[str, str] = {}
    others: dict[str, list[str]] = {}
    nearest: dict[str, list[str]] = {}
    for term_id in order:
        above = [parent for parent in ontology.terms[term_id].parents if parent in lifted]
        reached = sorted({high for parent in above for high in ([parent] if parent in kept else nearest[parent])})
        nearest[term_id] = reached
        if term_id in kept:
            ranked = sorted(reached, key=lambda parent: (lifted[parent].bit_count(), parent))
            primary[term_id] = ranked[0] if ranked else ""
            others[term_id] = [_label(ontology, parent) for parent in ranked[1:]]
    tree = _Tree(primary)
    tree.see_also.update(others)
    _drop_umbrellas(tree, lifted, settings.umbrella_share * chunks)
    _fold_namesakes(ontology, tree)
    _collapse(ontology, tree, lifted, settings.minimum_support)
    for term_id in [term_id for term_id in tree.parent if len(tree.lineage(term_id)) > settings.max_depth]:
        tree.remove(term_id)
    return tree


def _drop_umbrellas(tree: _Tree, lifted: Mapping[str, Bits], most: float) -> None:
    """Take away top classes that nearly every chunk is under: they divide nothing."""
    waiting = sorted(tree.below[""])
    while waiting:
        top = waiting.pop()
        below = sorted(tree.below.get(top, ()))
        if below and lifted[top].bit_count() > most:
            tree.remove(top)
            waiting += below


def _fold_namesakes(ontology: Ontology, tree: _Tree) -> None:
    """Fold a shelf into the one above where both are called the same: ``flavonoid`` below ``flavonoids``."""
    called = {term_id: name_key(_label(ontology, term_id)) for term_id in tree.parent}
    for lower in sorted(tree.parent):
        upper = tree.parent[lower]
        if upper and called[lower] == called[upper]:
            tree.fold(lower, upper, [_label(ontology, lower)])


def _collapse(ontology: Ontology, tree: _Tree, lifted: Mapping[str, Bits], least: int) -> None:
    """Make one shelf of a tier with one shelf below and too few chunks beside it.

    The lower name stays where it says it all; where the upper one covers more, the upper name stays, which is true of
    everything in it.
    """
    waiting = sorted(tree.parent, reverse=True)
    while waiting:
        upper = waiting.pop()
        if upper not in tree.parent or len(tree.below.get(upper, ())) != 1:
            continue
        (lower,) = tree.below[upper]
        beside = (lifted[upper] & ~lifted[lower]).bit_count()
        if beside >= least:
            continue
        idle = beside <= _IDLE * lifted[upper].bit_count()
        folded, stays = (upper, lower) if idle else (lower, upper)
        tree.fold(folded, stays, [_label(ontology, folded)])
        waiting += [each for each in (tree.parent[stays], stays) if each]


def _standing(ontology: Ontology, tree: _Tree, direct: Mapping[str, Bits], order: Sequence[str]) -> dict[str, Bits]:
    """The chunks that stand on every shelf itself: the deepest that is above what was found in them."""
    places: dict[str, frozenset[str]] = {}
    for term_id in order:
        own = term_id
        while own in tree.folded:
            own = tree.folded[own]
        above = [parent for parent in ontology.terms[term_id].parents if parent in places]
        reached = frozenset(shelf for parent in above for shelf in places[parent])
        places[term_id] = frozenset([own]) if own in tree.parent else reached
    standing: dict[str, Bits] = dict.fromkeys(tree.parent, 0)
    for term_id in sorted(direct):
        for shelf in places[term_id]:
            standing[shelf] |= direct[term_id]
    support = _support(tree, standing)
    under = {term_id: _union(support[child] for child in tree.below.get(term_id, ())) for term_id in tree.parent}
    return {term_id: bits & ~under[term_id] for term_id, bits in standing.items()}


def _support(tree: _Tree, standing: Mapping[str, Bits]) -> dict[str, Bits]:
    """The chunks on every shelf or anywhere below it."""
    support: dict[str, Bits] = {}
    order: list[str] = []
    stack = list(tree.below.get("", ()))
    while stack:
        order.append(stack.pop())
        stack += tree.below.get(order[-1], ())
    for term_id in reversed(order):
        support[term_id] = standing[term_id] | _union(support[child] for child in tree.below.get(term_id, ()))
    return support


def _union(sets: Iterable[Bits]) -> Bits:
    return reduce(or_, sets, 0)


def _finished(
    ontology: Ontology,
    tree: _Tree,
    direct: Mapping[str, Bits],
    standing: Mapping[str, Bits],
    support: Mapping[str, Bits],
    chunks: Sequence[str],
    name: str,
) -> Projection:
    shelves: list[Shelf] = []
    ids: dict[str, str] = {"": slug(name)}
    stack = [""]
    while stack:
        term_id = stack.pop()
        if term_id:
            shelves.append(_shelf(ontology, tree, term_id, ids, direct, support, name))
        ranked = sorted(
            tree.below.get(term_id, ()), key=lambda each: (-support[each].bit_count(), _label(ontology, each), each)
        )
        taken: set[str] = set()
        for child in ranked:
            short = unique_slug(_label(ontology, child), taken, child)
            taken.add(short)
            ids[child] = f"{ids[term_id]}/{short}"
        stack += reversed(ranked)
    on: dict[str, list[str]] = defaultdict(list)
    for term_id, bits in standing.items():
        for place in _ones(bits):
            on[chunks[place]].append(ids[term_id])
    attachments = {chunk_id: tuple(sorted(on[chunk_id])) for chunk_id in sorted(on)}
    return Projection(tuple(shelves), attachments, tuple(chunk for chunk in chunks if chunk not in attachments))


def _shelf(
    ontology: Ontology,
    tree: _Tree,
    term_id: str,
    ids: Mapping[str, str],
    direct: Mapping[str, Bits],
    support: Mapping[str, Bits],
    name: str,
) -> Shelf:
    label = _label(ontology, term_id)
    parent = tree.parent[term_id]
    return Shelf(
        shelf_id=ids[term_id],
        facet=name,
        label=label,
        parent=ids[parent] if parent else "",
        depth=len(tree.lineage(term_id)),
        term_id=term_id,
        direct=direct.get(term_id, 0).bit_count(),
        support=support[term_id].bit_count(),
        see_also=tuple(other for other in dict.fromkeys(tree.see_also[term_id]) if other != label),
    )


def _label(ontology: Ontology, term_id: str) -> str:
    """What a person reads: without the bracket that tells an ontology's author two terms apart."""
    label = ontology.terms[term_id].label
    return _BRACKETED.sub("", label) or label


def _bits(places: Iterable[int], size: int) -> Bits:
    written = bytearray(size // 8 + 1)
    for place in places:
        written[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(written, "little")


def _ones(bits: Bits) -> Iterator[int]:
    """Places of a set's members, ascending."""
    written = bin(bits)[:1:-1]
    place = written.find("1")
    while place >= 0:
        yield place
        place = written.find("1", place + 1)
