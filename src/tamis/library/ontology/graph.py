"""OWL and SKOS through `rdflib`: classes and concepts of one RDF graph, told apart by their types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tamis.errors import UsageError, with_extra
from tamis.library.ontology.draft import Draft, Source

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_OBO = "http://purl.obolibrary.org/obo/"
_OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_OBO_IRI = re.compile(re.escape(_OBO) + r"([A-Za-z]+)_(\w+)$")

_KINDS = (f"{_OWL}Class", f"{_RDFS}Class", f"{_SKOS}Concept")
_LABELS = (f"{_SKOS}prefLabel", f"{_RDFS}label")
_SYNONYMS = (
    f"{_OBO_IN_OWL}hasExactSynonym",
    f"{_OBO}IAO_0000118",
    f"{_SKOS}altLabel",
    f"{_OBO_IN_OWL}hasRelatedSynonym",
    f"{_SKOS}hiddenLabel",
)
_DEFINITIONS = (f"{_OBO}IAO_0000115", f"{_SKOS}definition", f"{_RDFS}comment")
_BROADER = (f"{_RDFS}subClassOf", f"{_SKOS}broader", f"{_SKOS}broadMatch")
_NARROWER = f"{_SKOS}narrower"
_THING = f"{_OWL}Thing"


def looks_like_rdf_xml(head: str) -> bool:
    """Whether a text begins as RDF in XML does."""
    return "<rdf:RDF" in head or "<RDF" in head or (head.lstrip().startswith("<?xml") and "rdf" in head.lower())


def looks_like_turtle(head: str) -> bool:
    """Whether a text begins as Turtle or N-Triples do."""
    return bool(
        re.search(r"(?im)^[^\S\n]*+(?:@?(?:prefix|base)\s++(?:\S*<|\S++\s++<)|<[^<>\s]++>\s++<[^<>\s]++>\s)", head)
    )


def read_rdf_xml(text: str) -> Source:
    """Read OWL or SKOS written as RDF/XML."""
    return _read(text, "xml")


def read_turtle(text: str) -> Source:
    """Read OWL or SKOS written as Turtle or N-Triples."""
    return _read(text, "turtle")


def _read(text: str, form: str) -> Source:
    graph = _parsed(text, form)
    nodes: set[Node] = set()
    for kind in _KINDS:
        nodes.update(graph.subjects(_iri(_RDF_TYPE), _iri(kind)))
    named = sorted((node for node in nodes if _is_named(node)), key=str)
    above = _above(graph)
    drafts = [_draft(graph, node, above) for node in named]
    return Source(name=_title(graph), drafts=drafts)


def _parsed(text: str, form: str) -> Graph:
    try:
        from rdflib import Graph
        from rdflib.exceptions import ParserError
        from rdflib.plugins.parsers.notation3 import BadSyntax
    except ModuleNotFoundError as error:
        raise UsageError(
            "OWL and SKOS are read with rdflib, which is not installed.", fix=with_extra("ontologies")
        ) from error
    from xml.sax import SAXException

    graph = Graph()
    try:
        # Text, never a URL: nothing here may open a connection.
        graph.parse(data=text, format=form, publicID="urn:tamis:ontology")
    except (SAXException, ParserError, BadSyntax, ValueError) as error:
        raise UsageError(
            f"it begins like {'RDF/XML' if form == 'xml' else 'Turtle'}, but is not: {_first_line(error)}",
            fix="Check the file with the program it comes from, or save it again as RDF/XML (.owl) or Turtle (.ttl).",
        ) from error
    return graph


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:160] if lines else type(error).__name__


def _iri(text: str) -> Node:
    from rdflib import URIRef

    return URIRef(text)


def _is_named(node: object) -> bool:
    from rdflib import URIRef

    return isinstance(node, URIRef) and str(node) != _THING


def _above(graph: Graph) -> dict[str, set[str]]:
    """Broader nodes of every node; a ``narrower`` says the same from the other side."""
    above: dict[str, set[str]] = {}
    for predicate in _BROADER:
        for low, high in graph.subject_objects(_iri(predicate)):
            if _is_named(high):
                above.setdefault(str(low), set()).add(str(high))
    for high, low in graph.subject_objects(_iri(_NARROWER)):
        if _is_named(high):
            above.setdefault(str(low), set()).add(str(high))
    return above


def _draft(graph: Graph, node: Node, above: dict[str, set[str]]) -> Draft:
    labels = _texts(graph, node, _LABELS)
    deprecated = {str(value).lower() for value in graph.objects(node, _iri(f"{_OWL}deprecated"))}
    definitions = _texts(graph, node, _DEFINITIONS)
    return Draft(
        term_id=_short(str(node)),
        label=labels[0] if labels else "",
        synonyms=labels[1:] + _texts(graph, node, _SYNONYMS),
        parents=sorted(_short(high) for high in above.get(str(node), ())),
        definition=definitions[0] if definitions else "",
        obsolete=bool(deprecated & {"true", "1"}),
    )


def _texts(graph: Graph, node: Node, predicates: Iterable[str]) -> list[str]:
    """Literals in the order of the predicates: English or unmarked ones, or all others where there are none."""
    found: list[tuple[int, int, str]] = []
    for rank, predicate in enumerate(predicates):
        for value in graph.objects(node, _iri(predicate)):
            language = (getattr(value, "language", None) or "en").lower()
            found.append((not language.startswith("en"), rank, " ".join(str(value).split())))
    foreign = min((entry[0] for entry in found), default=0)
    return [text for outside, _, text in sorted(found) if text and outside == foreign]


def _short(iri: str) -> str:
    """``CDNO:0000001`` for IRIs of the OBO library, others as they are."""
    found = _OBO_IRI.match(iri)
    return f"{found.group(1)}:{found.group(2)}" if found else iri


def _title(graph: Graph) -> str:
    for kind in (f"{_OWL}Ontology", f"{_SKOS}ConceptScheme"):
        for node in sorted(graph.subjects(_iri(_RDF_TYPE), _iri(kind)), key=str):
            titles = _texts(graph, node, ("http://purl.org/dc/terms/title", *_LABELS))
            if titles:
                return titles[0]
    return ""
