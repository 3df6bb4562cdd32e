"""Which facets a library has, which to build, and from what."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tamis.errors import UnknownNameError, UsageError
from tamis.library.slugs import slug
from tamis.settings import Settings
from tamis.settings_library import FacetSettings
from tamis.store.library import GraphStore, LibraryStore

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_OF_ONE = ("facet", "said", "why", "build_layer_c")
"""What a library notes of each facet: how it was built, what settings said then, why it has no shelf, its cards."""


def facets_of(graph: GraphStore) -> tuple[str, ...]:
    """Names of the facets that were built, those without a shelf too, ascending."""
    return tuple(sorted({*graph.facets(), *graph.noted("facets").split()}))


def facets_to_build(
    settings: Settings, graph: GraphStore, *, only: str = "", ontology: str | None = None
) -> dict[str, FacetSettings]:
    """Facet → how it is built, ascending by name.

    A facet that was built from a file named on the command line keeps that file until another is named, there or, since
    then, in the settings.

    Args:
        settings: name the facets.
        graph: remembers what a facet was built from, and which were dropped.
        only: build this one alone; it may be a new one where an ontology is named.
        ontology: a file to build it from, whatever settings say; empty for shelves from the texts, None where none is
            named. Without ``only`` it makes the facet that is made of it already, else one that is called like it.

    Raises:
        UnknownNameError: no such facet, or not known which.
        UsageError: a name that cannot begin the path of a shelf, or that another facet has; or every facet was dropped.
    """
    for name in (*settings.facets, only):
        if name:
            _check(name)
    known = _known(settings, graph)
    if not only and ontology is None:
        return _not_dropped(known, graph)
    name = only or (_made_of(known, ontology) if ontology else _only_one(known))
    if ontology is not None:
        known[name] = known.get(name, FacetSettings()).model_copy(update={"ontology": ontology})
    if name not in known:
        raise UnknownNameError(
            f"there is no facet {name!r}",
            fix=f"name one of {', '.join(sorted(known))}, or say what it is made of with --ontology PATH",
        )
    return {name: known[name]}


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a facet", fix="use lower-case letters, digits, '-' and '_'")


def _known(settings: Settings, graph: GraphStore) -> dict[str, FacetSettings]:
    known = dict(settings.facets)
    for name in facets_of(graph):
        kept, now = graph.noted(f"{name}:facet"), _said(settings, name)
        if kept and (not now or now == graph.noted(f"{name}:said")):
            there = FacetSettings.model_validate_json(kept)
            known[name] = known.get(name, there).model_copy(update={"ontology": there.ontology})
    return known


def _said(settings: Settings, name: str) -> str:
    """What settings themselves say a facet is made of, be it nothing; empty where they do not say."""
    told = settings.facets.get(name)
    return json.dumps(told.ontology) if told is not None and "ontology" in told.model_fields_set else ""


def _not_dropped(known: Mapping[str, FacetSettings], graph: GraphStore) -> dict[str, FacetSettings]:
    dropped = graph.noted("dropped").split()
    left = {name: how for name, how in sorted(known.items()) if name not in dropped}
    if known and not left:
        raise UsageError(
            "every facet of this library was dropped",
            fix=f"make one again with --facet NAME: {', '.join(sorted(known))}",
        )
    return left


def _made_of(known: Mapping[str, FacetSettings], ontology: str) -> str:
    """The facet that is made of a file already, else a new one that is called like the file."""
    same = [name for name, how in known.items() if how.ontology and _place(how.ontology) == _place(ontology)]
    if len(same) == 1:
        return same[0]
    if same:
        raise UnknownNameError(f"{', '.join(sorted(same))} are all made of {ontology}", fix="add --facet NAME")
    name = slug(Path(ontology).stem)
    _check(name)
    if name in known:
        now = known[name].ontology or "the texts themselves"
        raise UsageError(
            f"{Path(ontology).name} would make a facet {name!r}, and there is one, made of {now}",
            fix=f"add --facet {name} to make it of this file from now on, or another --facet NAME to have both",
        )
    return name


def _place(path: str) -> Path:
    return Path(path).expanduser().absolute()


def _only_one(known: Mapping[str, FacetSettings]) -> str:
    if len(known) == 1:
        return next(iter(known))
    raise UnknownNameError(
        f"no ontology is wanted, but not for which of {', '.join(sorted(known))}", fix="add --facet NAME"
    )


def remember(graph: GraphStore, settings: Settings, facet: str, how: FacetSettings, why: str = "") -> None:
    """Keep how a facet is built where settings do not say the same, and why it has no shelf.

    Args:
        graph: of the library.
        settings: what they say of the facet.
        facet: its name.
        how: it was built.
        why: it has no shelf; empty where it has some.
    """
    graph.note("facets", " ".join(sorted({*facets_of(graph), facet})))
    graph.note("dropped", " ".join(name for name in graph.noted("dropped").split() if name != facet))
    kept = how != settings.facets.get(facet)
    graph.note(f"{facet}:facet", how.model_dump_json() if kept else "")
    graph.note(f"{facet}:said", _said(settings, facet) if kept else "")
    graph.note(f"{facet}:why", why)


def forget(library: LibraryStore, facet: str) -> None:
    """Take a facet out of a library, with its cards and all that is known of it."""
    graph = library.graph
    with library.together():
        library.forget_cards([card.about for card in graph.cards(facet)])
        graph.drop_facet(facet)
        graph.forget_notes(f"reply:{facet}:")
        for what in _OF_ONE:
            graph.note(f"{facet}:{what}", "")
        graph.note("facets", " ".join(name for name in facets_of(graph) if name != facet))


def drop(library: LibraryStore, facet: str) -> dict[str, int]:
    """Take a facet out of a library for good: no build makes it again that does not name it.

    Args:
        library: opened for writing.
        facet: its name.

    Returns:
        How many shelves, themes and cards went.

    Raises:
        UnknownNameError: the library has no such facet.
    """
    graph = library.graph
    there = facets_of(graph)
    if facet not in there:
        raise UnknownNameError(
            f"the library has no facet {facet!r}",
            fix=f"it has {', '.join(there)}" if there else "nothing was built yet",
        )
    went = {
        "shelves": len(graph.shelves(facet)),
        "themes": sum(not theme.outlier for theme in graph.themes(facet=facet)),
        "cards": len(graph.cards(facet)),
    }
    with library.together():
        forget(library, facet)
        graph.note("dropped", " ".join(sorted({*graph.noted("dropped").split(), facet})))
    return went
