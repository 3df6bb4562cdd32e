"""Which facets to build, and from what."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tamis.errors import UnknownNameError, UsageError
from tamis.settings import Settings
from tamis.settings_library import FacetSettings
from tamis.store.library import GraphStore

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


def facets_to_build(
    settings: Settings, graph: GraphStore, *, only: str = "", ontology: str = ""
) -> dict[str, FacetSettings]:
    """Facet → how it is built, ascending by name.

    A facet that was built from a file named on the command line keeps that file until another is named.

    Args:
        settings: name the facets.
        graph: remembers what a facet was built from.
        only: build this one alone; it may be a new one where an ontology is named.
        ontology: a file to build it from, whatever settings say.

    Raises:
        UnknownNameError: no such facet.
        UsageError: a name that cannot begin the path of a shelf.
    """
    for name in (*settings.facets, only):
        if name and not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} cannot name a facet",
                fix="use lower-case letters, digits, '-' and '_'",
            )
    known = dict(settings.facets)
    for name in graph.facets():
        if remembered := graph.noted(f"{name}:facet"):
            known[name] = FacetSettings.model_validate_json(remembered)
    if not only and not ontology:
        return dict(sorted(known.items()))
    name = only or _only_one(known)
    if ontology:
        known[name] = known.get(name, FacetSettings()).model_copy(update={"ontology": ontology})
    if name not in known:
        raise UnknownNameError(
            f"there is no facet {name!r}",
            fix=f"name one of {', '.join(sorted(known))}, or say what it is made of with --ontology PATH",
        )
    return {name: known[name]}


def _only_one(known: Mapping[str, FacetSettings]) -> str:
    if len(known) == 1:
        return next(iter(known))
    raise UnknownNameError(
        f"an ontology is named, but not which of {', '.join(sorted(known))} it is for", fix="add --facet NAME"
    )
