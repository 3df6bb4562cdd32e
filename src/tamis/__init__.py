"""tamis reads a lot so that a small model has little to read."""

from __future__ import annotations

__version__ = "0.1.0"
