"""The command line: parse, call the app, show."""

from __future__ import annotations

from tamis.cli.entry import main

__all__ = ["main"]
