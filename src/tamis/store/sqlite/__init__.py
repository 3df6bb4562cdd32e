"""The embedded store: one folder a collection, no service."""

from tamis.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
