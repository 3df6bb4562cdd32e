"""Layers A and B: entities, shelves, what stands on them, themes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.errors import UsageError
from tamis.library.settle import MOST_CHANGED, nearest_homes, settle
from tamis.schema.document import Chunk
from tamis.schema.library import Ontology
from tamis.shelving.workshop import Workshop
from tamis.store.library import LinkedChunk
from tamis.text.fingerprints import sha256_hex

if TYPE_CHECKING:
    from tamis.library.cards import Origin
    from tamis.library.paths import Passage
    from tamis.library.shelves import Projection

_AT_ONCE = 200
"""Documents linked before what was found is stored: losing them costs a second or two."""
_NEAREST = 3
"""Terms that are named where none has enough passages."""
LINKING = "1"
"""Changes when equal text links differently, so that it is linked anew."""


def build_entities(shop: Workshop) -> list[str]:
    """Link what the passages name to the terms of the facet's ontology; only in documents that changed (L2).

    Returns:
        What was left out, one line each.
    """
    if not shop.how.ontology:
        return []
    from tamis.library.linking import Linker
    from tamis.library.shelves import scope

    ontology = read_ontology(shop)
    _check_root(ontology, shop)
    known = shop.library.graph.links(shop.facet)
    settings = shop.app.settings.link
    base = f"{LINKING} {ontology.sha256} {settings.model_dump_json()} {shop.how.model_dump_json()}"
    linker: Linker | None = None
    waiting: dict[str, LinkedChunk] = {}
    shop.progress.stage(f"linking {shop.facet}", len(shop.corpus.told))
    for number, chunks in enumerate(shop.corpus.documents(), 1):
        key = sha256_hex(base + "\n".join(shop.corpus.hashes[chunk.chunk_id] for chunk in chunks))
        if any(chunk.chunk_id not in known or known[chunk.chunk_id].key != key for chunk in chunks):
            linker = linker or Linker(ontology, settings, shop.app.embedder, scope(ontology, shop.how))
            kinds = shop.how.entity_types
            # The recogniser reads only where its labels decide: it is slower than all the rest of linking.
            mentions = shop.app.recogniser.mentions([chunk.text for chunk in chunks]) if kinds else ()
            found = zip(chunks, linker.links(chunks, mentions, kinds), strict=True)
            waiting.update((chunk.chunk_id, LinkedChunk(key, links)) for chunk, links in found)
        if waiting and number % _AT_ONCE == 0:
            shop.library.graph.put_links(shop.facet, waiting)
            waiting = {}
        shop.progress.advance()
    shop.library.graph.put_links(shop.facet, waiting, gone=sorted(known.keys() - shop.corpus.rows.keys()))
    if any(entry.links for entry in shop.library.graph.links(shop.facet).values()):
        return list(ontology.problems)
    return [*ontology.problems, _unnamed(ontology)]


def _unnamed(ontology: Ontology) -> str:
    return f"no passage names any of the {len(ontology.terms)} terms of {ontology.name}"


def read_ontology(shop: Workshop) -> Ontology:
    """The ontology of the facet.

    Raises:
        UsageError: no such file, or none that can be read.
    """
    return _ontology(shop.how.ontology, str(shop.app.home / "ontologies"))


@lru_cache(maxsize=8)
def _ontology(path: str, cache: str) -> Ontology:
    from tamis.library.ontology import load_ontology

    return load_ontology(Path(path).expanduser(), Path(cache))


def _check_root(ontology: Ontology, shop: Workshop) -> None:
    root = shop.how.root
    if root and root not in ontology.terms:
        raise UsageError(
            f"facet {shop.facet!r}: {root!r} is no term of {ontology.name}", fix=f"set facets.{shop.facet}.root"
        )


def build_shelves(shop: Workshop) -> list[str]:
    """Make the shelves of the facet: from its ontology, or from the corpus itself (L3)."""
    shop.progress.stage(f"shelves of {shop.facet}")
    graph = shop.library.graph
    if shop.how.ontology:
        stood, shelves = len(graph.shelves(shop.facet)), _projected(shop).shelves
        graph.replace_shelves(shop.facet, shelves)
        if shelves:
            return []
        shop.why[shop.facet] = _too_few(shop)
        went = "the shelf it had is gone" if stood == 1 else f"the {stood} shelves it had are gone"
        return [f"{went}; `--facet {shop.facet} --ontology ''` makes shelves from the texts"] if stood else []
    if _little_changed(shop):
        return []
    from tamis.library.induced import Induced, induce_shelves

    before = Induced((), {})
    if not _from_terms(shop):
        before = Induced(tuple(graph.shelves(shop.facet)), graph.attachments(shop.facet))
    passages = [_passage(chunk, shop.corpus.told[chunk.document_id]) for chunk in shop.corpus.chunks]
    made = induce_shelves(shop.facet, passages, shop.corpus.vectors, shop.app.settings.layer_a, before)
    with shop.library.together():
        graph.replace_shelves(shop.facet, made.shelves)
        graph.replace_attachments(shop.facet, made.attachments)
        _keep_texts(shop)
    return []


def _from_terms(shop: Workshop) -> bool:
    """Whether the shelves there are were made from an ontology: their names say nothing of induced ones."""
    return any(shelf.term_id for shelf in shop.library.graph.shelves(shop.facet))


def _passage(chunk: Chunk, origin: Origin) -> Passage:
    from tamis.library.paths import Passage

    return Passage(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        text=chunk.text,
        url=origin.url,
        title=origin.title,
        headings=chunk.headings,
    )


def _projected(shop: Workshop, least: int | None = None) -> Projection:
    """The shelves of the facet's ontology, and what stands on them.

    Args:
        shop: the links.
        least: support of a shelf; None for what settings say.
    """
    from tamis.library.shelves import project

    links = [link for entry in shop.library.graph.links(shop.facet).values() for link in entry.links]
    settings, passages = shop.app.settings.layer_a, len(shop.corpus.chunks)
    if least is not None:
        settings = settings.model_copy(update={"minimum_support": least})
    return project(read_ontology(shop), links, settings, shop.facet, shop.how, passages=passages)


def _too_few(shop: Workshop) -> str:
    """Why an ontology makes no shelf, and what would be one next."""
    from tamis.library.support import supported

    ontology = read_ontology(shop)
    least = supported(shop.app.settings.layer_a, len(shop.corpus.chunks)).minimum_support
    nearest = sorted(_projected(shop, 1).shelves, key=lambda shelf: (-shelf.support, shelf.shelf_id))
    if not nearest:
        return _unnamed(ontology)
    told = ", ".join(f"{shelf.label} {shelf.support}" for shelf in nearest[:_NEAREST])
    return (
        f"no term of {ontology.name} reaches {least} passages (layer_a.minimum_support); the nearest: {told}; "
        f"lower it in the settings: layer_a.minimum_support = {nearest[0].support}"
    )


def _little_changed(shop: Workshop) -> bool:
    """Whether the shelves induced before still stand for the corpus."""
    graph = shop.library.graph
    if _from_terms(shop):
        return False
    then = {name: entry.key for name, entry in graph.links(shop.facet).items()}
    now = {name: _stamp(shop, name) for name in shop.corpus.rows}
    same = sum(then.get(name) == text for name, text in now.items())
    changes = max(len(then), len(now)) - same
    return bool(graph.shelves(shop.facet)) and changes <= max(1.0, MOST_CHANGED * len(now))


def _stamp(shop: Workshop, chunk_id: str) -> str:
    return f"{shop.corpus.hashes[chunk_id]} {shop.app.settings.layer_a.model_dump_json()}"


def _keep_texts(shop: Workshop) -> None:
    """Remember what the corpus was when its passages were put on induced shelves."""
    graph = shop.library.graph
    gone = sorted(graph.links(shop.facet).keys() - shop.corpus.rows.keys())
    graph.put_links(shop.facet, {name: LinkedChunk(_stamp(shop, name), ()) for name in shop.corpus.rows}, gone=gone)


def put_on_shelves(shop: Workshop) -> list[str]:
    """Put every passage on its shelves, and count what stands where."""
    graph, facet = shop.library.graph, shop.facet
    shelves = graph.shelves(facet)
    attachments = _projected(shop).attachments if shop.how.ontology else _placed(shop)
    with shop.library.together():
        graph.replace_attachments(facet, attachments)
        counted = [replace(shelf, support=len(graph.attached(shelf.shelf_id, below=True))) for shelf in shelves]
        kept = [shelf for shelf in counted if shelf.support]
        if kept != shelves:
            graph.replace_shelves(facet, kept)
        if not shop.how.ontology:
            _keep_texts(shop)
    return []


def _placed(shop: Workshop) -> dict[str, tuple[str, ...]]:
    """Where passages stand on induced shelves: where they stood, or where their nearest neighbours stand."""
    graph = shop.library.graph
    then = {name: entry.key for name, entry in graph.links(shop.facet).items()}
    stood = graph.attachments(shop.facet)
    same = {name: stood[name] for name in shop.corpus.rows if name in stood and then.get(name) == _stamp(shop, name)}
    fresh = [name for name in shop.corpus.rows if name not in same]
    if not fresh or not same:
        return same
    homes = {name: shelves[0] for name, shelves in same.items()}
    found = nearest_homes(homes, list(shop.corpus.rows), shop.corpus.vectors)
    return same | {name: (shelf_id,) for name, (shelf_id, _) in found.items()}


def build_themes(shop: Workshop) -> list[str]:
    """Find the themes of every shelf whose passages changed (L4)."""
    from tamis.library.themes import make_themes

    graph, facet, settings = shop.library.graph, shop.facet, shop.app.settings.layer_b
    shelves = graph.shelves(facet)
    paths = {shelf.shelf_id for shelf in shelves}
    links = graph.links(facet)
    vanished = sorted({theme.shelf_id for theme in graph.themes(facet=facet)} - paths)
    if vanished:
        graph.drop_themes(vanished)
    how = settings.model_dump_json()
    shop.progress.stage(f"themes of {facet}", len(shelves))
    for shelf in shelves:
        ids = graph.attached(shelf.shelf_id)
        now = {name: f"{shop.corpus.hashes[name]} {how}" for name in ids}
        then = graph.settled(shelf.shelf_id)
        if now != then or not ids:
            chunks, vectors = shop.corpus.some(ids)
            previous = graph.themes(shelf_id=shelf.shelf_id)
            themes = settle(previous, then, now, ids, vectors)
            if themes is None:
                named = [_named(shop, chunk, links) for chunk in chunks]
                texts = [chunk.text for chunk in chunks]
                themes = make_themes(
                    facet, shelf.shelf_id, ids, vectors, named, texts, settings, previous,
                    taken=paths, shelf_label=shelf.label, common=shop.corpus.common,
                )  # fmt: skip
            graph.replace_themes(shelf.shelf_id, themes, now)
        shop.progress.advance()
    return []


def _named(shop: Workshop, chunk: Chunk, links: Mapping[str, LinkedChunk]) -> frozenset[str]:
    """What a passage is about by its entities: terms of the facet, and names that the recogniser found."""
    found = links.get(chunk.chunk_id)
    terms = frozenset(link.term_id for link in found.links) if found else frozenset()
    return terms | shop.corpus.named(chunk)
