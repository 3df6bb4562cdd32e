"""What can be told about a collection without reading its documents."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tamis.store.nouns import Calibration, CollectionInfo
from tamis.store.sqlite.database import SCHEMA_VERSION, get_meta, stored_identity
from tamis.store.sqlite.snapshot import VISIBLE


def summarise(connection: sqlite3.Connection, number: int) -> dict[str, Any]:
    """Count what a generation shows; kept at publish so that nobody has to count again."""
    at = {"generation": number}

    def tally(column: str) -> dict[str, int]:
        query = f"SELECT {column}, count(*) FROM documents WHERE {VISIBLE} GROUP BY 1 ORDER BY 1"
        return dict(connection.execute(query, at).fetchall())

    sources = tally("source")
    chunks = connection.execute(
        f"SELECT count(*) FROM documents JOIN chunks ON chunks.document = documents.row WHERE {VISIBLE}",
        at,
    ).fetchone()[0]
    languages = {language: count for language, count in tally("language").items() if language}
    return {"documents": sum(sources.values()), "chunks": chunks, "sources": sources, "languages": languages}


def read_information(connection: sqlite3.Connection, folder: Path) -> CollectionInfo:
    """What `collections show` prints."""
    summary = json.loads(get_meta(connection, "summary", "{}"))
    pages = dict(connection.execute("SELECT state, count(*) FROM pages GROUP BY 1 ORDER BY 1").fetchall())
    return CollectionInfo(
        name=folder.name,
        documents=summary.get("documents", 0),
        chunks=summary.get("chunks", 0),
        embedding=stored_identity(connection),
        sources=summary.get("sources", {}),
        schema_version=SCHEMA_VERSION,
        bytes=sum(path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file()),
        updated=get_meta(connection, "updated") or None,
        pages=pages,
        languages=summary.get("languages", {}),
    )


def read_calibration(connection: sqlite3.Connection) -> Calibration:
    """As stored at the last publish."""
    text = get_meta(connection, "calibration")
    if not text:
        return Calibration()
    value = json.loads(text)
    background = tuple(value.get("background", ()))
    return Calibration(tuple(value["own"]), value["sample"], value["parameters"], background)
