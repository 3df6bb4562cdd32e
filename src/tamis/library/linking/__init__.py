"""Mentions in texts to terms of an ontology (L2)."""

from tamis.library.linking.linker import Linker

__all__ = ["Linker"]
