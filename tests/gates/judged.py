"""The judged collections, ingested by the product itself and built once.

Run as a script it builds them ahead: ``python tests/gates/judged.py FOLDER [NAME…]``.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import tamis
from tamis.app import Tamis
from tamis.models.embedder import load_embedder
from tamis.models.protocols import Embedder, EmbeddingIdentity, Matrix
from tamis.settings import Settings

QRELS = {"nfcorpus": "qrels.dev.tsv", "cranfield": "qrels.test.tsv", "cisi": "qrels.test.tsv"}
_ROOMS = ("digest", "acquire/readers", "store", "text", "models", "schema")
"""What decides how a corpus is stored: a change in any of them builds it anew."""


def cache_folder() -> Path:
    """Where built collections are kept: ``TAMIS_GATES_CACHE``, else a folder for temporary files."""
    return Path(os.environ.get("TAMIS_GATES_CACHE") or Path(tempfile.gettempdir()) / "tamis-cache" / "gates")


class RememberingEmbedder:
    """Keeps passage vectors on disk by text, so that a change elsewhere does not cost an hour of embedding."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        path.parent.mkdir(parents=True, exist_ok=True)
        self._known = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=60)
        # A cache: losing its last rows to a power cut costs only time.
        self._known.execute("PRAGMA synchronous = OFF")
        self._known.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._embedder.identity

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.identity}\0{text}".encode()).digest()

    def passages(self, texts: Sequence[str]) -> Matrix:
        found: list[np.ndarray] = []
        for text in texts:
            row = self._known.execute("SELECT vector FROM vectors WHERE key = ?", [self._key(text)]).fetchone()
            if row is None:
                vector = self._embedder.passages([text])[0]
                self._known.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", [self._key(text), vector.tobytes()])
            else:
                vector = np.frombuffer(row[0], dtype=np.float32)
            found.append(vector)
        return np.stack(found) if found else np.zeros((0, self.identity.dimensions), dtype=np.float32)

    def queries(self, texts: Sequence[str]) -> Matrix:
        return self._embedder.queries(texts)


def _stamp(corpus: Path, settings: Settings, identity: EmbeddingIdentity) -> str:
    digest = hashlib.sha256(corpus.read_bytes())
    digest.update(f"{identity}{settings.chunks}{settings.digest}{settings.entities}".encode())
    source = Path(tamis.__file__).parent
    for room in _ROOMS:
        for path in sorted((source / room).rglob("*")):
            if path.suffix in {".py", ".yaml"}:
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def collection_home(name: str, data: Path, cache: Path) -> Path:
    """The data folder that holds the collection ``name``, built first where it is not there yet."""
    settings = Settings()
    embedder = load_embedder(settings.embedding)
    corpus = data / name / "corpus.jsonl"
    home = cache / f"{name}-{_stamp(corpus, settings, embedder.identity)}"
    if not (home / "built").exists():
        app = Tamis(settings=settings, home=home)
        app.__dict__["embedder"] = RememberingEmbedder(embedder, cache / "vectors.sqlite")
        app.collection(name).ingest([corpus])
        (home / "built").touch()
    return home


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for wanted in sys.argv[2:] or sorted(QRELS):
        sys.stdout.write(f"{collection_home(wanted, folder, cache_folder())}\n")
        sys.stdout.flush()
