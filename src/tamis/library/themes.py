"""Themes of a shelf: communities of its chunks, named, with ids that last (L4)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tamis.library.communities import (
    NONE,
    UNKNOWN,
    Labels,
    extended,
    leiden,
    merged,
    modularity,
    shares,
    without_small,
)
from tamis.library.density import dense_places
from tamis.library.labels import Name, names
from tamis.library.neighbours import entity_matrix, nearest_by_entity, nearest_by_vector
from tamis.library.paths import spoken
from tamis.library.slugs import free, unique_slug
from tamis.library.stable import former_places, kept_ids, primary_members
from tamis.library.vocabulary import Background, vocabulary
from tamis.models.protocols import Matrix
from tamis.schema.library import Member, Theme
from tamis.settings_library import LayerBSettings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

OUTLIERS = "other"
"""Label of the theme of chunks that belong to no community."""
_DECIMALS = 6
# A chunk is a member of a second theme when at least this part of its neighbourhood lies there.
_SECOND_SHARE = 0.25
# A division is given up for a new one only when that is better by more than chance makes it.
_BETTER = 0.02


@dataclass(frozen=True, slots=True)
class _Place:
    facet: str
    shelf_id: str
    label: str


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The chunks of a shelf in ascending order of their ids, and the graph between their distinct vectors."""

    place: _Place
    chunk_ids: tuple[str, ...]
    vectors: Matrix
    rows: npt.NDArray[np.int64]
    distinct: Matrix
    copies: npt.NDArray[np.int64]
    entities: csr_array
    graph: csr_array


def make_themes(
    facet: str,
    shelf_id: str,
    chunk_ids: Sequence[str],
    vectors: Matrix,
    entities: Sequence[frozenset[str]],
    texts: Sequence[str],
    settings: LayerBSettings,
    previous: Sequence[Theme] = (),
    *,
    taken: Collection[str] = (),
    shelf_label: str = "",
    common: Background | None = None,
) -> list[Theme]:
    """Divide the chunks of a shelf into themes.

    The same chunks give the same themes in any order and on any number of threads. Chunks with equal vectors stay
    together and count once. Where a former division still fits the chunks nearly as well as a new one would, it is
    kept, so that a changed document changes the themes it touches and no others.

    Args:
        facet: of the shelf.
        shelf_id: of the shelf.
        chunk_ids: N, none twice.
        vectors: (N, D) unit rows.
        entities: N sets of what each chunk names; all may be empty.
        texts: N.
        settings: how themes are made.
        previous: the themes of this shelf before, in any order.
        taken: ids that must not be given to a theme, such as those of shelves below this one.
        shelf_label: what the shelf's only theme is called, and themes that have no words of their own.
        common: how common words are in the whole library.

    Returns:
        The largest theme first, equally large ones by id, the outliers last. Every chunk is a primary member of
        exactly one.
    """
    if not chunk_ids:
        return []
    order = sorted(range(len(chunk_ids)), key=lambda row: chunk_ids[row])
    ids = tuple(chunk_ids[row] for row in order)
    former = sorted((theme for theme in previous if theme.shelf_id == shelf_id), key=lambda theme: theme.theme_id)
    place = _Place(facet, shelf_id, shelf_label)
    shelf = _shelf(place, ids, vectors[order], [entities[row] for row in order], settings)
    labels = _divided(shelf, former, settings)[shelf.rows]
    found = _names([texts[row] for row in order], labels, shelf_label, common)
    return _themes(shelf, labels, found, former, settings, taken)


def _shelf(
    place: _Place,
    ids: tuple[str, ...],
    vectors: Matrix,
    entities: Sequence[frozenset[str]],
    settings: LayerBSettings,
) -> _Shelf:
    numbers: dict[bytes, int] = {}
    rows = np.array([numbers.setdefault(vector.tobytes(), len(numbers)) for vector in vectors], dtype=np.int64)
    first = np.unique(rows, return_index=True)[1]
    named: list[frozenset[str]] = [frozenset()] * len(numbers)
    for row, some in zip(rows.tolist(), entities, strict=True):
        named[row] |= some
    distinct = vectors[first]
    graph = nearest_by_vector(distinct, settings.neighbours if len(ids) >= settings.minimum_chunks else 0).union()
    return _Shelf(place, ids, vectors, rows, distinct, np.bincount(rows), entity_matrix(named), graph)


def _divided(shelf: _Shelf, former: Sequence[Theme], settings: LayerBSettings) -> Labels:
    """(distinct vectors,) the community of each, -1 for outliers."""
    whole = np.zeros(len(shelf.distinct), dtype=np.int64)
    if len(shelf.chunk_ids) < settings.minimum_chunks or len(whole) == 1:
        return whole
    labels = _METHODS[settings.method](shelf, settings)
    if (labels == NONE).all():
        labels = whole
    if former:
        kept = _kept(shelf, former, settings)
        quality, before = (modularity(shelf.graph, some, settings.resolution) for some in (labels, kept))
        if (kept != NONE).any() and before >= quality - _BETTER:
            return kept
    return labels


def _by_communities(shelf: _Shelf, settings: LayerBSettings) -> Labels:
    """Both passes and their merge."""
    first = leiden(shelf.graph, resolution=settings.resolution, seed=settings.seed)
    first = without_small(first, shelf.copies, settings.minimum_size)
    if not shelf.entities.nnz:
        return first
    linked = nearest_by_entity(shelf.entities, settings.neighbours).union()
    second = leiden(linked, resolution=settings.resolution, seed=settings.seed)
    second = without_small(second, shelf.copies, settings.minimum_size)
    return without_small(
        merged(first, second, shelf.entities, settings.merge_overlap), shelf.copies, settings.minimum_size
    )


def _by_density(shelf: _Shelf, settings: LayerBSettings) -> Labels:
    return dense_places(shelf.distinct, shelf.copies, settings.minimum_size)


_METHODS = {"communities": _by_communities, "density": _by_density}


def _kept(shelf: _Shelf, former: Sequence[Theme], settings: LayerBSettings) -> Labels:
    """The division of before with the new chunks added."""
    places = former_places(former, shelf.chunk_ids)
    labels = np.full(len(shelf.distinct), UNKNOWN, dtype=np.int64)
    for row, chunk_id in zip(shelf.rows.tolist()[::-1], shelf.chunk_ids[::-1], strict=True):
        labels[row] = places.get(chunk_id, labels[row])
    return without_small(extended(shelf.graph, labels), shelf.copies, settings.minimum_size)


def _names(texts: Sequence[str], labels: Labels, shelf_label: str, common: Background | None) -> list[Name]:
    """Of each community, and at the end of the outliers if there are any."""
    number = int(labels.max()) + 1
    outliers = bool((labels == NONE).any())
    classes = np.where(labels == NONE, number, labels)
    found = names(vocabulary(texts), classes, number + outliers, taken=[OUTLIERS], common=common, texts=texts)
    if number == 1 and shelf_label:
        found[0] = Name(shelf_label, found[0].keywords)
    return [*found[:number], Name(OUTLIERS, found[number].keywords)] if outliers else found


def _themes(
    shelf: _Shelf,
    labels: Labels,
    found: Sequence[Name],
    former: Sequence[Theme],
    settings: LayerBSettings,
    taken: Collection[str],
) -> list[Theme]:
    """Themes with the ids and labels they had, or with new ones."""
    shelf_id = shelf.place.shelf_id
    members = _members(shelf, labels, len(found))
    primary = [frozenset(member.chunk_id for member in some if member.primary) for some in members]
    before = [theme for theme in former if not theme.outlier]
    inner = int(labels.max()) + 1
    continued = kept_ids(primary[:inner], before, settings.stable_overlap)
    slugs = {name for place, _, name in (theme_id.rpartition("/") for theme_id in taken) if place == shelf_id}
    other = unique_slug(OUTLIERS, slugs, OUTLIERS)
    slugs |= {other, *(theme.theme_id.rsplit("/", 1)[-1] for theme in former)}
    used = {theme.label.casefold() for theme in continued.values()} | {OUTLIERS}
    themes = []
    for position in sorted(range(len(found)), key=lambda at: (-len(primary[at]), min(primary[at]))):
        theme_id, label, keywords = f"{shelf_id}/{other}", found[position].label, found[position].keywords
        if same := continued.get(position):
            theme_id, label = same.theme_id, same.label
            keywords = same.keywords if primary_members(same) == primary[position] else keywords
        elif position < inner:
            label = free(label or shelf.place.label or spoken(shelf_id.rsplit("/", 1)[-1]), used)
            used.add(label.casefold())
            slug = unique_slug(label, slugs, min(primary[position]))
            slugs.add(slug)
            theme_id = f"{shelf_id}/{slug}"
        themes.append(
            Theme(theme_id, shelf.place.facet, shelf_id, label, keywords, members[position], position >= inner)
        )
    return sorted(themes, key=lambda theme: (theme.outlier, -len(primary_members(theme)), theme.theme_id))


def _members(shelf: _Shelf, labels: Labels, number: int) -> list[tuple[Member, ...]]:
    """Primary members by their cosine to the theme's mean; members of a second theme weigh their share of it."""
    outliers = int(labels.max()) + 1
    places = np.where(labels == NONE, outliers, labels)
    distinct = np.empty(len(shelf.distinct), dtype=np.int64)
    distinct[shelf.rows] = labels
    near = shares(shelf.graph, distinct, max(outliers, 1))[shelf.rows]
    near[np.arange(len(labels)), np.minimum(places, near.shape[1] - 1)] = 0.0
    near[labels == NONE] = 0.0
    found = []
    for place in range(number):
        own = np.flatnonzero(places == place)
        second = np.flatnonzero(near[:, place] >= _SECOND_SHARE) if place < outliers else own[:0]
        central = _central(shelf.vectors, own, np.concatenate([own, second]))
        weights = central * np.concatenate([np.ones(len(own)), near[second, min(place, near.shape[1] - 1)]])
        rows = [*own.tolist(), *second.tolist()]
        some = [
            Member(shelf.chunk_ids[row], round(float(weight), _DECIMALS), at < len(own))
            for at, (row, weight) in enumerate(zip(rows, weights, strict=True))
        ]
        found.append(tuple(sorted(some, key=lambda member: (-member.weight, member.chunk_id))))
    return found


def _central(vectors: Matrix, own: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Cosine of rows to the mean of some, at least 0; summed without BLAS, so the same on any number of threads."""
    mean = vectors[own].sum(axis=0, dtype=np.float64)
    length = float(np.sqrt((mean * mean).sum()))
    products = (vectors[rows].astype(np.float64) * (mean / length if length else mean)).sum(axis=1)
    clipped: npt.NDArray[np.float64] = np.clip(products, 0.0, 1.0)
    return clipped
