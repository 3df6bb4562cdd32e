"""Readers of ontologies: OBO, OWL, SKOS and plain YAML trees become one noun (L3)."""

from tamis.library.ontology.load import load_ontology

__all__ = ["load_ontology"]
