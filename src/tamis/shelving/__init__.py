"""The second walk: a collection becomes a library, step by step, each resumable and none undoing another (L1)."""

from __future__ import annotations

from tamis.shelving.build import STEPS, BuildSummary, FacetSummary, build
from tamis.shelving.facets import drop, facets_of

__all__ = ["STEPS", "BuildSummary", "FacetSummary", "build", "drop", "facets_of"]
