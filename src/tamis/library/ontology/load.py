"""Which reader takes a file, and the cache of what was read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tamis.errors import DiskError, UsageError
from tamis.library.ontology.check import checked
from tamis.library.ontology.draft import Source
from tamis.library.ontology.graph import looks_like_rdf_xml, looks_like_turtle, read_rdf_xml, read_turtle
from tamis.library.ontology.obo import looks_like_obo, read_obo
from tamis.library.ontology.tree import looks_like_tree, read_tree
from tamis.private import write_private
from tamis.schema.library import Ontology, Term
from tamis.text.encoding import decode

_HEAD = 4096
_VERSION = 2
"""Of the cached form and of what the readers make of a file: raise it when either changes."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form an ontology is written in.

    Attributes:
        name: what a person calls it.
        suffixes: usual endings of file names.
        recognises: whether the first characters of a text are in this form.
        read: text to drafts.
    """

    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[str], bool]
    read: Callable[[str], Source]


FORMS: tuple[Form, ...] = (
    Form("OBO", (".obo",), looks_like_obo, read_obo),
    Form("OWL or SKOS as RDF/XML", (".owl", ".rdf", ".xml"), looks_like_rdf_xml, read_rdf_xml),
    Form("OWL or SKOS as Turtle", (".ttl", ".nt", ".n3", ".skos"), looks_like_turtle, read_turtle),
    Form("YAML tree", (".yaml", ".yml"), looks_like_tree, read_tree),
)
"""In the order in which content is tried: what a file holds counts more than how it is named."""


def load_ontology(path: Path, cache: Path | None = None) -> Ontology:
    """Read an ontology, or take it from the cache when the same bytes were read before.

    Args:
        path: an OBO, OWL, SKOS or YAML file.
        cache: folder for what was read, None for no cache.

    Returns:
        A hierarchy without cycles, obsolete terms and parents that do not exist; what was left out is named.

    Raises:
        UsageError: no such file, a form nobody reads, or no usable term in it.
        DiskError: the file or the cache cannot be opened.
    """
    data = _bytes(path)
    sha256 = hashlib.sha256(data).hexdigest()
    # The name of an ontology that does not name itself comes from the path, so the path's stem is part of the key.
    key = hashlib.sha256(f"{_VERSION}\0{sha256}\0{path.stem}\0{path.suffix.lower()}".encode()).hexdigest()
    kept = cache / f"{key}.json" if cache is not None else None
    found = _from_cache(kept, sha256) if kept is not None else None
    if found is not None:
        return found
    ontology = _read(path, data, sha256)
    if kept is not None:
        _to_cache(kept, ontology)
    return ontology


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UsageError(f"No ontology at {path}.", fix="Check the facet's `ontology` setting.") from error
    except IsADirectoryError as error:
        raise UsageError(f"The ontology {path} is a folder.", fix="Name the file inside it.") from error
    except OSError as error:
        raise DiskError(f"The ontology {path} cannot be opened: {error.strerror}.") from error


def _read(path: Path, data: bytes, sha256: str) -> Ontology:
    form, text = _form(path, data)
    try:
        source = form.read(text)
    except UsageError as error:
        raise UsageError(f"The ontology {path} cannot be read: {error.message}", fix=error.fix) from error
    ontology = checked(source, path.stem, sha256)
    if not ontology.terms:
        reasons = "; ".join(ontology.problems[:3]) or "it is empty"
        raise UsageError(
            f"The ontology {path} ({form.name}) holds no usable term: {reasons}.",
            fix="Check that it is the right file; an empty `ontology` setting makes shelves from the texts themselves.",
        )
    return ontology


def _form(path: Path, data: bytes) -> tuple[Form, str]:
    fix = f"tamis reads {', '.join(f'{form.name} ({form.suffixes[0]})' for form in FORMS)}; save it as one of these."
    if data[:2] == b"\x1f\x8b" or data[:2] == b"PK":
        raise UsageError(f"The ontology {path} is compressed.", fix="Unpack it first.")
    text = decode(data)
    head = text[:_HEAD]
    if not text.strip() or "\x00" in head:
        raise UsageError(f"The ontology {path} {'is empty' if not text.strip() else 'is not text'}.", fix=fix)
    by_name = [form for form in FORMS if path.suffix.lower() in form.suffixes]
    for form in FORMS:
        # Almost any text could be a tree, so that form needs its name or, without a suffix, its looks.
        if form.recognises(head) and (form.read is not read_tree or not path.suffix or form in by_name):
            return form, text
    if by_name:
        return by_name[0], text
    raise UsageError(f"The ontology {path} is in no form that tamis knows.", fix=fix)


def _from_cache(kept: Path, sha256: str) -> Ontology | None:
    """What was kept, or None where there is nothing whole: a damaged file is only read and written anew."""
    try:
        raw: Any = json.loads(kept.read_bytes())
        terms = [
            Term(term_id, label, tuple(synonyms), tuple(parents), definition)
            for term_id, label, synonyms, parents, definition in raw["terms"]
        ]
        return Ontology(raw["name"], sha256, {term.term_id: term for term in terms}, tuple(raw["problems"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _to_cache(kept: Path, ontology: Ontology) -> None:
    """Write beside and rename, so that a reader sees a whole file or none."""
    raw = {
        "name": ontology.name,
        "problems": ontology.problems,
        "terms": [
            (term.term_id, term.label, term.synonyms, term.parents, term.definition) for term in ontology.terms.values()
        ],
    }
    try:
        write_private(kept, json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))
    except OSError as error:
        raise DiskError(f"The ontology cannot be kept in {kept.parent}: {error.strerror}.") from error
