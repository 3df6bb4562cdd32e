"""A collection as rows that can be compared, whatever way they came to be.

A *row* here is a logical one. Of the database: every document with its metadata, text, topic, sentiment, quality,
fingerprint, near-duplicate and whether it is hidden; its chunks with their spans and headings; its vectors, term
tables and entities; its profile; every page record of a crawl; every note; the vectors of entity names; identity,
calibration and summary of the collection. Of the snapshot: the bytes of every array, so that every search gives the
same results. Left out are the numbers SQLite gives its rows, the number of the snapshot and the date of its making:
a run that was interrupted may publish more often. Besides, nothing may be left over: no row that no reader can see,
no second snapshot, no unfinished file; and both SQLite and its full-text index find themselves in order.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from tamis.store.sqlite.database import FILE_NAME

Rows = dict[str, list[tuple[object, ...]]]

_DOCUMENT = (
    "id, hidden, url, title, sha256, source, media_type, language, published, author, keywords, anchors, metadata, "
    "topic, sentiment, quality, authority, fingerprint, duplicate_of"
)
_OF_DOCUMENT = {
    "texts": "text",
    "chunks": "ordinal, start, stop, headings",
    "digests": "vectors, lengths, sizes, terms",
    "entities": "position, key, label, mentions, confidence",
    "profiles": "vector",
}
_EMPTY = {"dead documents": "SELECT id FROM documents WHERE died IS NOT NULL", "restaged": "SELECT * FROM restaged"}
_KEPT_META = "('embedding', 'calibration', 'summary', 'changed', 'writing')"


def notes_of(folder: Path) -> list[tuple[object, ...]]:
    """The notes alone; none where there is no collection yet."""
    if not (folder / FILE_NAME).exists():
        return []
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return sorted(connection.execute("SELECT * FROM notes").fetchall(), key=repr)


def rows_of(folder: Path) -> Rows:
    """Everything that must be equal, sorted, by kind.

    Args:
        folder: of a collection that nobody writes.
    """
    rows: Rows = {}
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:

        def fetch(query: str) -> list[tuple[object, ...]]:
            return sorted(connection.execute(query).fetchall(), key=repr)

        rows["documents"] = fetch(f"SELECT {_DOCUMENT} FROM documents")
        for table, columns in _OF_DOCUMENT.items():
            named = ", ".join(f"{table}.{column.strip()}" for column in columns.split(","))
            rows[table] = fetch(f"SELECT id, {named} FROM {table} JOIN documents ON documents.row = {table}.document")
        rows["pages"] = fetch("SELECT * FROM pages")
        rows["notes"] = fetch("SELECT * FROM notes")
        rows["entity vectors"] = fetch("SELECT * FROM entity_vectors")
        rows["meta"] = fetch(f"SELECT * FROM meta WHERE key IN {_KEPT_META}")
        for name, query in _EMPTY.items():
            rows[name] = fetch(query)
        generation = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0]
        rows["integrity"] = fetch("PRAGMA integrity_check")
        connection.execute("INSERT INTO passages_fts (passages_fts) VALUES ('integrity-check')")
    index = folder / "index"
    rows["snapshots"] = [(path.name == generation,) for path in sorted(index.iterdir())]
    rows["arrays"] = [
        (path.name, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted((index / generation).iterdir())
        if path.suffix != ".json"
    ]
    rows["files"] = [(path.name,) for path in sorted(folder.iterdir()) if not path.name.endswith(("-wal", "-shm"))]
    return rows


def differences(
    found: Mapping[str, list[tuple[object, ...]]], wanted: Mapping[str, list[tuple[object, ...]]]
) -> list[str]:
    """One line for each kind of row that is not the same."""
    return [
        f"{kind}: {len(set(map(repr, found[kind])) ^ set(map(repr, wanted[kind])))} rows differ, "
        f"{len(found[kind])} found, {len(wanted[kind])} wanted"
        for kind in wanted
        if found[kind] != wanted[kind]
    ]
