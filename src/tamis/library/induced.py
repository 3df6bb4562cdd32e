"""Shelves from the corpus itself, where there is no ontology (L3).

Every tier is divided in one of two ways. Where the sources keep their pages in folders, or a book has chapters, and
these hold together what is near in meaning (more links between neighbours stay inside than by chance), they are the
shelves: a reader of the site knows them. Otherwise the passages are divided into communities, named by what sets each
apart; a division that cannot be named is none. Documents are the units, since a page belongs in one place; chunks are,
where there are few documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tamis.library.communities import NONE, Labels, coherence, leiden, modularity, shares
from tamis.library.labels import names
from tamis.library.neighbours import nearest_by_vector
from tamis.library.paths import Passage, common_beginning, common_title, spoken
from tamis.library.slugs import free, unique_slug
from tamis.library.stable import paired
from tamis.library.support import supported
from tamis.library.units import FEWEST, Units, mean, units_of
from tamis.library.vocabulary import vocabulary
from tamis.models.protocols import Matrix
from tamis.schema.library import Shelf
from tamis.settings_library import LayerASettings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows = npt.NDArray[np.int64]

_NEIGHBOURS = 15
_FEWEST_NEIGHBOURS = 3
_UNITS_A_NEIGHBOUR = 8
_SEED = 0
# Of coarser and finer divisions the one that holds together best is taken, less so much for every part of the chunks
# that its largest shelf holds beyond a quarter; a tier of more shelves than a reader can overlook is no choice.
_RESOLUTIONS = (1.0, 1.5, 2.25, 3.4)
_LARGEST = 0.25
_TOO_LARGE = 0.3
_MANY = 20
# Folders and communities must hold together more than chance would; a site with more folders is an archive by date.
_COHERENT = 0.1
_COMMUNITIES = 0.15
# Small parts and few passages: clouds without any parts reach .39 below 60 passages, .30 above.
_SUPPORTED = 20
_FEW = 60
_COHERENT_FEW = 0.2
_COMMUNITIES_SMALL, _COMMUNITIES_FEW = 0.32, 0.42
_MOST = 40
# Less than this beside the folders is one shelf.
_LITTLE = 0.1
# What has not enough chunks for three shelves, or so few documents that they are a list, is not divided.
_DIVIDED = 3
# A tree is given up for a new one only when that is better by more than chance makes it.
_BETTER = 0.02
# A shelf keeps its id above this overlap with its former self.
_STABLE = 0.5
REST = "Other"
WHOLE = "Everything"


@dataclass(frozen=True, slots=True)
class Induced:
    """A tree of shelves and where each chunk stands in it.

    Attributes:
        shelves: a parent before its children, siblings by falling support, then label.
        attachments: chunk → the shelves it stands on, here always one.
    """

    shelves: tuple[Shelf, ...]
    attachments: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Part:
    """Units that stand together, what they are called, and how many pieces of their paths all of them share."""

    rows: Rows
    label: str
    path: int


def induce_shelves(
    facet: str,
    passages: Sequence[Passage],
    vectors: Matrix,
    settings: LayerASettings,
    previous: Induced | None = None,
) -> Induced:
    """Divide a corpus into shelves.

    The same passages give the same shelves in any order and on any number of threads. The tree of before is kept, with
    the new passages added, while it divides the corpus nearly as well as a new one would.

    Args:
        facet: the first part of every id.
        passages: N chunks, none twice.
        vectors: (N, D) unit rows.
        settings: support and depth.
        previous: the tree of before.

    Returns:
        At least one shelf where there is at least one passage; every chunk stands on exactly one.
    """
    if not passages:
        return Induced((), {})
    settings = supported(settings, len(passages))
    order = sorted(range(len(passages)), key=lambda row: passages[row].chunk_id)
    units = units_of([passages[row] for row in order], vectors[order])
    tree = list(_tree(units, settings))
    leaves = np.zeros(len(units.weights), dtype=np.int64)
    # Parents come before their children, so the deepest shelf has the last word.
    for number, (_, part) in enumerate(tree):
        leaves[part.rows] = number
    if previous and previous.shelves:
        graph = _graph(units, np.arange(len(leaves)))
        kept = _extended(units, graph, previous)
        if (kept != NONE).all() and modularity(graph, kept, 1.0) >= modularity(graph, leaves, 1.0) - _BETTER:
            return _placed(units, previous.shelves, kept)
    return _placed(units, _shelves(facet, tree, units, previous or Induced((), {})), leaves)


def _tree(units: Units, settings: LayerASettings) -> Iterator[tuple[int, _Part]]:
    """Parts with the number of the part above (-1 at the top), parents before children."""
    whole = _Part(np.arange(len(units.weights)), WHOLE, 0)
    waiting = [(NONE, 1, part) for part in _divided(units, whole, settings) or [whole]]
    for number, (parent, depth, part) in enumerate(waiting):
        yield parent, part
        if depth < min(settings.induced_depth, settings.max_depth) and part.label != WHOLE:
            waiting += [(number, depth + 1, child) for child in _divided(units, part, settings)]


def _divided(units: Units, part: _Part, settings: LayerASettings) -> list[_Part]:
    """The parts of a part, the largest first; none where it does not fall apart."""
    size = int(units.weights[part.rows].sum())
    if size < _DIVIDED * settings.minimum_support or len(part.rows) < FEWEST:
        return []
    graph = _graph(units, part.rows)
    labels, named, used = _by_path(units, part, settings)
    if coherence(graph, labels) < (_COHERENT if size >= _FEW else _COHERENT_FEW):
        labels, named = np.full(len(part.rows), NONE, dtype=np.int64), []
    rest = np.flatnonzero(labels == NONE)
    if named and int(units.weights[part.rows[rest]].sum()) <= _LITTLE * size:
        labels[rest] = len(named)
    elif len(rest):
        labels[rest] = _by_meaning(units, part.rows[rest], settings) + len(named)
    number = int(labels.max()) + 1
    if number < 2 or (not named and modularity(graph, labels, 1.0) < _least(size, settings)):
        return []
    found = named + _names(units, part.rows, labels, named)
    if not all(found):
        if not named:
            return []
        found = [label or REST for label in found]
    parts = [_Part(part.rows[labels == at], found[at], used if at < len(named) else part.path) for at in range(number)]
    return sorted(parts, key=lambda some: (-int(units.weights[some.rows].sum()), some.label))


def _least(size: int, settings: LayerASettings) -> float:
    """The modularity that chance does not reach: it divides few passages better, and into small parts more easily."""
    if settings.minimum_support >= _SUPPORTED:
        return _COMMUNITIES
    return _COMMUNITIES_SMALL if size >= _FEW else _COMMUNITIES_FEW


def _graph(units: Units, rows: Rows) -> csr_array:
    """Neighbours of units; fewer where there are few, since a graph that joins everything has no communities."""
    count = min(_NEIGHBOURS, max(_FEWEST_NEIGHBOURS, len(rows) // _UNITS_A_NEIGHBOUR))
    return nearest_by_vector(units.vectors[rows], count).union()


def _by_path(units: Units, part: _Part, settings: LayerASettings) -> tuple[Labels, list[str], int]:
    """The units of a part by the next piece of their path: labels (-1 where it leads to too few), names, path used."""
    used = part.path
    paths = [units.paths[row] for row in part.rows]
    while len({path[: used + 1] for path in paths}) == 1 and len(paths[0]) > used:
        used += 1
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place, path in enumerate(paths):
        groups[path[used] if len(path) > used else ""].append(place)
    enough = {
        name: places
        for name, places in sorted(groups.items())
        if name and int(units.weights[part.rows[places]].sum()) >= settings.minimum_support
    }
    labels = np.full(len(paths), NONE, dtype=np.int64)
    if len(enough) > _MOST:
        return labels, [], used
    for number, places in enumerate(enough.values()):
        labels[places] = number
    begun = [common_beginning([units.titles[row] for row in part.rows[places]]) for places in enough.values()]
    named: list[str] = []
    for (name, places), beginning in zip(enough.items(), begun, strict=True):
        index = units.indexes.get(paths[places[0]][: used + 1], "")
        own = beginning if begun.count(beginning) == 1 else ""
        named.append(next(label for label in (index, own, spoken(name), name) if label and label not in named))
    return labels, named, used + 1


def _by_meaning(units: Units, rows: Rows, settings: LayerASettings) -> Labels:
    """Communities of units, none with too few chunks as far as there is another to join."""
    graph = _graph(units, rows)
    weights = units.weights[rows]
    tried: list[tuple[float, Labels]] = []
    for resolution in _RESOLUTIONS:
        labels = _without_small(units, rows, leiden(graph, resolution=resolution, seed=_SEED), settings)
        too_large = max(0.0, float(np.bincount(labels, weights).max() / weights.sum()) - _LARGEST)
        if not tried or labels.max() < _MANY:
            tried.append((modularity(graph, labels, 1.0) - _TOO_LARGE * too_large, labels))
    return max(tried, key=lambda pair: pair[0])[1]


def _without_small(units: Units, rows: Rows, labels: Labels, settings: LayerASettings) -> Labels:
    """The smallest community joins the one whose mean is nearest, until all have enough chunks."""
    while labels.max() > 0:
        sizes = np.bincount(labels, units.weights[rows])
        least = int(sizes.argmin())
        if sizes[least] >= settings.minimum_support:
            break
        means = np.stack([mean(units.vectors[rows[labels == number]]) for number in range(len(sizes))])
        near = (means.astype(np.float64) * means[least]).sum(axis=1).round(6)
        near[least] = -np.inf
        labels = np.unique(np.where(labels == least, near.argmax(), labels), return_inverse=True)[1].astype(np.int64)
    return labels


def _names(units: Units, rows: Rows, labels: Labels, named: Sequence[str]) -> list[str]:
    """Of the groups that no folder names: the title that most of their pages share, else their own words."""
    number = int(labels.max()) + 1
    if number == len(named):
        return []
    texts = [units.texts[row] for row in rows]
    words = vocabulary(texts, units.spelling)
    own = [found.label for found in names(words, labels, number, taken=named, common=units.common, texts=texts)]
    titles = [common_title([units.titles[row] for row in rows[labels == at]]) for at in range(number)]
    return [
        titles[at] if titles[at] and titles.count(titles[at]) == 1 and titles[at] not in named else own[at]
        for at in range(len(named), number)
    ]


def _shelves(facet: str, tree: Sequence[tuple[int, _Part]], units: Units, previous: Induced) -> list[Shelf]:
    """Shelves with the ids and labels they had, or with new ones."""
    kept = _continued(tree, units, previous)
    shelves: list[Shelf] = []
    taken: defaultdict[str, set[str]] = defaultdict(set)
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for shelf in kept.values():
        place, _, slug = shelf.shelf_id.rpartition("/")
        taken[place].add(slug)
        labels[place].add(shelf.label.casefold())
    for number, (parent, part) in enumerate(tree):
        above = shelves[parent] if parent >= 0 else Shelf(facet, facet, "", depth=0)
        same = kept.get(number)
        label = same.label if same else free(part.label, labels[above.shelf_id])
        slug = "" if same else unique_slug(label, taken[above.shelf_id], units.members[int(part.rows[0])][0])
        taken[above.shelf_id].add(slug)
        labels[above.shelf_id].add(label.casefold())
        shelf_id = same.shelf_id if same else f"{above.shelf_id}/{slug}"
        place = above.shelf_id if above.depth else ""
        shelves.append(Shelf(shelf_id, facet, label, place, above.depth + 1))
    return shelves


def _continued(tree: Sequence[tuple[int, _Part]], units: Units, previous: Induced) -> dict[int, Shelf]:
    """Number of a part → the shelf of before that most of its chunks were on; below a shelf that continues no other.

    What was everything, or the rest, continues as nothing else.
    """
    members: defaultdict[str, set[str]] = defaultdict(set)
    for chunk_id, places in previous.attachments.items():
        for place in places:
            for shelf_id in accumulate(place.split("/"), "{}/{}".format):
                members[shelf_id].add(chunk_id)
    kept: dict[int, Shelf] = {}
    waiting = [(NONE, "")]
    while waiting:
        parent, above = waiting.pop()
        former = {
            shelf.shelf_id: shelf
            for shelf in previous.shelves
            if shelf.parent == above and shelf.label not in (WHOLE, REST)
        }
        parts = [at for at, (up, part) in enumerate(tree) if up == parent and part.label not in (WHOLE, REST)]
        new = [{chunk_id for row in tree[at][1].rows.tolist() for chunk_id in units.members[row]} for at in parts]
        for position, shelf_id in paired(new, {name: members[name] for name in former}, _STABLE).items():
            kept[parts[position]] = former[shelf_id]
            waiting.append((parts[position], shelf_id))
    return kept


def _extended(units: Units, graph: csr_array, previous: Induced) -> Labels:
    """(U,) the shelf of each unit in the tree of before.

    A known one stays; a new one goes where most of its neighbourhood is, among the shelves that hold others of its own
    folder if there are any. -1 where nothing is near.
    """
    numbers = {shelf.shelf_id: number for number, shelf in enumerate(previous.shelves)}
    labels = np.full(len(units.members), NONE, dtype=np.int64)
    at_home: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    for row, members in enumerate(units.members):
        places = [numbers[place] for member in members for place in previous.attachments.get(member, ())[:1]]
        if places:
            labels[row] = np.bincount(places).argmax()
            at_home[units.paths[row]].add(int(labels[row]))
    near = shares(graph, labels, len(numbers))
    placed = labels.copy()
    for row in np.flatnonzero(labels == NONE).tolist():
        home = sorted(at_home.get(units.paths[row], range(len(numbers))))
        best = home[int(near[row, home].argmax())]
        if near[row, best] > 0 or len(home) == 1:
            placed[row] = best
    return placed


def _placed(units: Units, shelves: Sequence[Shelf], leaves: Labels) -> Induced:
    """Count what stands where; shelves with nothing on or below them are gone."""
    numbers = {shelf.shelf_id: number for number, shelf in enumerate(shelves)}
    direct = np.bincount(leaves, units.weights, minlength=len(shelves)).astype(int)
    support = direct.copy()
    for number in sorted(range(len(shelves)), key=lambda at: -shelves[at].depth):
        if shelves[number].parent:
            support[numbers[shelves[number].parent]] += support[number]
    counted = [
        replace(shelf, direct=int(direct[number]), support=int(support[number]))
        for number, shelf in enumerate(shelves)
        if support[number]
    ]
    attachments = {
        member: (shelves[leaf].shelf_id,)
        for leaf, members in zip(leaves.tolist(), units.members, strict=True)
        for member in members
    }
    return Induced(tuple(counted), dict(sorted(attachments.items())))
