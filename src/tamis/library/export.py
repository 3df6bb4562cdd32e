"""A library as GraphML, for Gephi, yEd and networkx: every shelf, theme, card and passage with all it knows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tamis.library.present import Present
from tamis.private import replacing
from tamis.schema.document import owner
from tamis.schema.library import Card, Shelf, Theme
from tamis.store.library import GraphStore
from tamis.store.protocols import CollectionReader

Value = str | int | float | bool
Fields = Mapping[str, Value]
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_TYPES: dict[type, str] = {bool: "boolean", int: "long", float: "double", str: "string"}
# XML 1.0 has no way to write these.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LIST = " | "


def write_graphml(graph: GraphStore, reader: CollectionReader, path: Path) -> int:
    """Write a library; the file is complete or not there.

    Edges bear the names of the graph: PARENT_OF, IN_SHELF, ATTACHED_TO, THEME_OF, DESCRIBES, FROM.

    Args:
        graph: of the library.
        reader: of the collection.
        path: of the file.

    Returns:
        How many passages were left out because the collection has them no more.
    """
    present = Present(reader)
    named = sorted({member.chunk_id for theme in graph.themes() for member in theme.members})
    chunks = [name for name in named if present.exists(name)]
    nodes = list(_nodes(graph, present, chunks))
    edges = list(_edges(graph, frozenset(chunks)))
    with replacing(path) as unfinished:
        _write(unfinished, nodes, edges)
    return len(named) - len(chunks)


def _nodes(graph: GraphStore, present: Present, chunks: Sequence[str]) -> Iterator[tuple[str, Fields]]:
    for shelf in graph.shelves():
        yield f"shelf:{shelf.shelf_id}", _of_shelf(shelf)
    for theme in graph.themes():
        yield f"theme:{theme.theme_id}", _of_theme(theme)
    for card in graph.cards():
        yield f"card:{card.about}", _of_card(card)
    for chunk in present.chunks(chunks):
        headings = _LIST.join(chunk.headings)
        yield (
            f"chunk:{chunk.chunk_id}",
            {"kind": "chunk", "label": headings or chunk.chunk_id, "text": chunk.text, "ordinal": chunk.ordinal},
        )
    for facts in present.signals(sorted({owner(name) for name in chunks})):
        yield (
            f"document:{facts.document_id}",
            {
                "kind": "document",
                "label": facts.title or facts.document_id,
                "url": facts.url,
                "published": facts.published or "",
            },
        )


def _of_shelf(shelf: Shelf) -> Fields:
    return {
        "kind": "shelf",
        "label": shelf.label,
        "facet": shelf.facet,
        "depth": shelf.depth,
        "term": shelf.term_id,
        "direct": shelf.direct,
        "support": shelf.support,
        "see_also": _LIST.join(shelf.see_also),
    }


def _of_theme(theme: Theme) -> Fields:
    return {
        "kind": "theme",
        "label": theme.label,
        "facet": theme.facet,
        "keywords": _LIST.join(theme.keywords),
        "size": len(theme.members),
        "outlier": theme.outlier,
    }


def _of_card(card: Card) -> Fields:
    basis = card.basis
    return {
        "kind": "card",
        "label": card.title,
        "facet": card.facet,
        "summary": card.summary,
        "tip": card.tip.text if card.tip else "",
        "evidence_quality": card.evidence_quality,
        "controversy_note": card.controversy_note,
        "confidence_note": card.confidence_note,
        "model_quality": card.model_quality,
        "safety_flagged": card.safety_flagged,
        "tier": card.tier,
        "model": card.model,
        "content_hash": card.content_hash,
        "chunks": basis.chunks,
        "documents": basis.documents,
        "origins": basis.origins,
        "source_types": _LIST.join(basis.source_types),
        "first_year": basis.years[0] if basis.years else 0,
        "last_year": basis.years[1] if basis.years else 0,
        "coverage": basis.coverage,
        **({} if basis.agreement is None else {"agreement": basis.agreement}),
    }


def _edges(graph: GraphStore, chunks: Collection[str]) -> Iterator[tuple[str, str, Fields]]:
    """Every edge whose both ends are written.

    Args:
        graph: of the library.
        chunks: ids of the passages that are.
    """
    for shelf in graph.shelves():
        if shelf.parent:
            yield f"shelf:{shelf.parent}", f"shelf:{shelf.shelf_id}", {"relation": "PARENT_OF"}
        for chunk in graph.attached(shelf.shelf_id):
            if chunk in chunks:
                yield f"chunk:{chunk}", f"shelf:{shelf.shelf_id}", {"relation": "ATTACHED_TO"}
    for theme in graph.themes():
        yield f"theme:{theme.theme_id}", f"shelf:{theme.shelf_id}", {"relation": "IN_SHELF"}
        for member in theme.members:
            if member.chunk_id in chunks:
                fields: Fields = {"relation": "THEME_OF", "weight": member.weight, "primary": member.primary}
                yield f"theme:{theme.theme_id}", f"chunk:{member.chunk_id}", fields
    for card in graph.cards():
        yield f"card:{card.about}", f"{card.kind}:{card.about}", {"relation": "DESCRIBES"}
    for chunk in sorted(chunks):
        yield f"chunk:{chunk}", f"document:{owner(chunk)}", {"relation": "FROM"}


def _write(path: Path, nodes: list[tuple[str, Fields]], edges: list[tuple[str, str, Fields]]) -> None:
    from lxml import etree

    keys = _keys("node", [fields for _, fields in nodes]) | _keys("edge", [fields for _, _, fields in edges])
    with etree.xmlfile(str(path), encoding="utf-8") as file:
        file.write_declaration()
        with file.element("graphml", nsmap={None: _NAMESPACE}):
            for (kind, name), (key, type_name) in keys.items():
                attributes = {"id": key, "for": kind, "attr.name": name, "attr.type": type_name}
                with file.element("key", attributes):
                    pass
            with file.element("graph", {"id": "library", "edgedefault": "directed"}):
                for name, fields in nodes:
                    with file.element("node", {"id": _written(name)}):
                        _data(file, "node", fields, keys)
                for number, (source, target, fields) in enumerate(edges):
                    ends = {"id": f"e{number}", "source": _written(source), "target": _written(target)}
                    with file.element("edge", ends):
                        _data(file, "edge", fields, keys)


def _keys(kind: str, every: list[Fields]) -> dict[tuple[str, str], tuple[str, str]]:
    """(node or edge, field) → (id of its key, its type), in the order in which fields first occur."""
    types: dict[str, str] = {}
    for fields in every:
        for name, value in fields.items():
            types.setdefault(name, _TYPES[type(value)])
    return {(kind, name): (f"{kind[0]}{number}", found) for number, (name, found) in enumerate(types.items())}


def _data(
    file: Any,  # noqa: ANN401 - lxml names no type for it
    kind: str,
    fields: Fields,
    keys: Mapping[tuple[str, str], tuple[str, str]],
) -> None:
    for name, value in fields.items():
        if value != "":
            with file.element("data", {"key": keys[kind, name][0]}):
                file.write(str(value).lower() if isinstance(value, bool) else _written(str(value)))


def _written(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
