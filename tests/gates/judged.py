"""The judged collections, ingested by the product itself and built once.

Run as a script it builds them ahead: ``python tests/gates/judged.py FOLDER [NAME…]``.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import tamis
from tamis.app import Tamis
from tamis.digest.finish import calibrate_collection
from tamis.models.embedder import load_embedder
from tamis.models.ner import load_recogniser
from tamis.models.protocols import Embedder, EmbeddingIdentity, EntityRecogniser, Matrix
from tamis.schema.entity import Mention
from tamis.settings import Settings

QRELS = {"nfcorpus": "qrels.dev.tsv", "cranfield": "qrels.test.tsv", "cisi": "qrels.test.tsv"}
_STORED_BY = (
    "digest",
    "acquire/readers",
    "store/postings.py",
    "store/sqlite/writer.py",
    "store/sqlite/database.py",
    "store/sqlite/rows.py",
    "store/sqlite/ann.py",
    "text",
    "models/ner.py",
    "models/gazetteer.py",
    "models/gazetteer.yaml",
    "schema/document.py",
    "schema/entity.py",
)
"""What decides how a corpus is stored: a change in any of them builds it anew."""
_CALIBRATED_BY = ("digest/calibration.py", "digest/foreign.yaml")
"""What decides its calibration, which is measured anew alone."""


def cache_folder() -> Path:
    """Where built collections are kept: ``TAMIS_GATES_CACHE``, else a folder for temporary files."""
    return Path(os.environ.get("TAMIS_GATES_CACHE") or Path(tempfile.gettempdir()) / "tamis-cache" / "gates")


class Memory:
    """Results kept on disk by text, so that a change elsewhere does not cost an hour of embedding."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._known = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=60)
        # A cache: losing its last rows to a power cut costs only time.
        self._known.execute("PRAGMA synchronous = OFF")
        self._known.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def get(self, maker: str, text: str) -> bytes | None:
        row = self._known.execute("SELECT vector FROM vectors WHERE key = ?", [_key(maker, text)]).fetchone()
        return row[0] if row else None

    def put(self, maker: str, text: str, value: bytes) -> None:
        self._known.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", [_key(maker, text), value])


def _key(maker: str, text: str) -> bytes:
    return hashlib.sha256(f"{maker}\0{text}".encode()).digest()


class RememberingEmbedder:
    """Embeds every passage once."""

    def __init__(self, embedder: Embedder, memory: Memory) -> None:
        self._embedder = embedder
        self._memory = memory

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._embedder.identity

    def passages(self, texts: Sequence[str]) -> Matrix:
        found: list[np.ndarray] = []
        for text in texts:
            known = self._memory.get(str(self.identity), text)
            if known is None:
                known = self._embedder.passages([text])[0].tobytes()
                self._memory.put(str(self.identity), text, known)
            found.append(np.frombuffer(known, dtype=np.float32))
        return np.stack(found) if found else np.zeros((0, self.identity.dimensions), dtype=np.float32)

    def queries(self, texts: Sequence[str]) -> Matrix:
        return self._embedder.queries(texts)


class RememberingRecogniser:
    """Reads every text once."""

    def __init__(self, recogniser: EntityRecogniser, maker: str, memory: Memory) -> None:
        self._recogniser = recogniser
        self._maker = maker
        self._memory = memory

    def mentions(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        found = []
        for text in texts:
            known = self._memory.get(self._maker, text)
            if known is None:
                known = pickle.dumps(tuple(self._recogniser.mentions([text])[0]))
                self._memory.put(self._maker, text, known)
            found.append(pickle.loads(known))
        return found


def _source_hash(paths: Sequence[str], *, without: Sequence[str] = ()) -> str:
    source = Path(tamis.__file__).parent
    digest = hashlib.sha256()
    for name in paths:
        place = source / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.suffix in {".py", ".yaml"} and path.relative_to(source).as_posix() not in without:
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _stamp(corpus: Path, settings: Settings, identity: EmbeddingIdentity) -> str:
    stored = _source_hash(_STORED_BY, without=_CALIBRATED_BY)
    numbers = f"{identity}{settings.chunks}{settings.digest}{settings.entities}{stored}"
    return hashlib.sha256(corpus.read_bytes() + numbers.encode()).hexdigest()[:16]


def collection_home(name: str, data: Path, cache: Path) -> Path:
    """The data folder that holds the collection ``name``, built first where it is not there yet."""
    settings = Settings()
    embedder = load_embedder(settings.embedding)
    corpus = data / name / "corpus.jsonl"
    home = cache / f"{name}-{_stamp(corpus, settings, embedder.identity)}"
    mark, calibrated = home / "built", _source_hash(_CALIBRATED_BY)
    memory = Memory(cache / "vectors.sqlite")
    app = Tamis(settings=settings, home=home)
    app.__dict__["embedder"] = RememberingEmbedder(embedder, memory)
    if not mark.exists():
        maker = _source_hash(("models/ner.py", "models/gazetteer.py", "models/gazetteer.yaml"))
        app.__dict__["recogniser"] = RememberingRecogniser(load_recogniser(), maker, memory)
        app.collection(name).ingest([corpus])
    elif mark.read_text("utf-8") != calibrated:
        with app.store.writer(name) as writer:
            calibrate_collection(writer, app.embedder)
            writer.publish()
    mark.write_text(calibrated, "utf-8")
    return home


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for wanted in sys.argv[2:] or sorted(QRELS):
        sys.stdout.write(f"{collection_home(wanted, folder, cache_folder())}\n")
        sys.stdout.flush()
