"""tamis reads a lot so that a small model has little to read."""

from __future__ import annotations

from tamis.app import Tamis, scroll
from tamis.collection import Collection
from tamis.libraries import Library

__version__ = "0.1.0"

__all__ = ["Collection", "Library", "Tamis", "__version__", "scroll"]
