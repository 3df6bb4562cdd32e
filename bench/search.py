"""Searching 100,000 passages, beside a library that does full text alone."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np

import tamis
from bench.material import Bench, Spent, timed
from bench.table import Row, median, percentile
from bench.txtai_peer import interpreter, txtai
from tamis.app import Tamis
from tamis.digest.finish import calibrate_collection
from tamis.models.protocols import Embedder, EmbeddingIdentity, Matrix
from tamis.schema.document import Chunk, Document
from tamis.schema.entity import EntityCount
from tamis.store.nouns import StoredDocument
from tamis.store.protocols import CollectionReader
from tamis.text.fingerprints import sha256_hex
from tamis.text.sentences import sentences
from tamis.text.tokens import terms

_CHUNKS, _QUICK_CHUNKS = 100_000, 20_000
_PER_DOCUMENT = 10
_SENTENCES = 7
"""In a passage: about as long as a real one."""
_BASE, _QUICK_BASE = 1_000, 300
"""Real passages embedded; all other vectors are these, moved a little."""
_NOISE = 0.025
"""Standard deviation a dimension: a moved vector keeps a cosine of about .9 to the real one."""
_QUESTIONS, _QUICK_QUESTIONS = 200, 60
_DEPTH = 1_000


class RememberingQueries:
    """Embeds every question and every name in one once, so that a second search spends nothing on it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[str, str], np.ndarray] = {}

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._embedder.identity

    def passages(self, texts: Sequence[str]) -> Matrix:
        return self._known_or(texts, self._embedder.passages, "passage")

    def queries(self, texts: Sequence[str]) -> Matrix:
        return self._known_or(texts, self._embedder.queries, "query")

    def _known_or(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Matrix], kind: str) -> Matrix:
        for text in texts:
            if (kind, text) not in self._known:
                self._known[kind, text] = embed([text])[0]
        return np.stack([self._known[kind, text] for text in texts])


def measure(bench: Bench) -> list[Row]:
    """The 95th percentile of a search with its question already embedded, and of the full-text layer alone."""
    count = _QUICK_CHUNKS if bench.quick else _CHUNKS
    asked = bench.questions[: _QUICK_QUESTIONS if bench.quick else _QUESTIONS]
    home, built = built_collection(bench, count)
    app = Tamis(settings=bench.app.settings, home=home)
    app.embedder = RememberingQueries(bench.app.embedder)
    collection = app.collection("bench")
    for question in asked:
        collection.search(question)
    whole = [timed(collection.search, question) for question in asked]
    with app.store.reader("bench") as reader:
        texts = list(_texts(reader))
        peer = _Peer(texts)
        ours, theirs = [], []
        for question in asked:
            weights = dict.fromkeys(terms(question), 1.0)
            ours.append(timed(reader.search_text, weights, _DEPTH))
            theirs.append(timed(peer.search, question))
        beside_txtai = _beside_txtai(bench, reader, texts, asked, whole, built)
    size = f"{count:,} chunks, {len(asked)} questions"
    return [
        Row(
            "search, question embedded, p95",
            _p95(whole),
            "ms",
            at_most=25.0,
            note=f"{size}; median {_middle(whole):.1f} ms; cpu p95 {_p95_cpu(whole):.1f} ms",
        ),
        Row(
            f"full text alone, best {_DEPTH:,}, p95",
            _p95(ours),
            "ms",
            peer=_p95(theirs),
            peer_name="bm25s",
            note=f"{size}; median {_middle(ours):.1f} and {_middle(theirs):.1f} ms",
        ),
        Row(
            "store and index, vectors given",
            built["wall"],
            "s",
            peer=peer.built.wall,
            peer_name="bm25s (text in memory)",
            note=f"{count:,} chunks; cpu {built['cpu']:.0f} and {peer.built.cpu:.0f} s",
        ),
        *beside_txtai,
    ]


def _beside_txtai(
    bench: Bench,
    reader: CollectionReader,
    texts: Sequence[str],
    asked: Sequence[str],
    whole: Sequence[Spent],
    built: Mapping[str, float],
) -> list[Row]:
    """The whole search and the building again, beside text and vectors in txtai; nothing where it is not there."""
    try:
        python = interpreter()
        vectors = np.concatenate([_vectors(reader, document.document_id) for document in reader.iter_documents()])
        peer = txtai(python, bench.work / "txtai", texts, vectors, asked, bench.app.embedder.queries(asked))
    except RuntimeError as error:
        bench.say(f"txtai is left out: {error}")
        return []
    name = f"txtai {peer.version}"
    return [
        Row(
            "search of text and vectors, best 10, p95",
            _p95(whole),
            "ms",
            peer=_p95(peer.searches),
            peer_name=f"{name}, hybrid",
            note=f"{len(texts):,} chunks, {len(asked)} questions; median {_middle(whole):.1f} and "
            f"{_middle(peer.searches):.1f} ms; cpu p95 {_p95_cpu(whole):.1f} and {_p95_cpu(peer.searches):.1f} ms",
        ),
        Row(
            "store and index text and vectors",
            built["wall"],
            "s",
            peer=peer.built.wall,
            peer_name=f"{name}, saved",
            note=f"{len(texts):,} chunks; cpu {built['cpu']:.0f} and {peer.built.cpu:.0f} s",
        ),
    ]


def _vectors(reader: CollectionReader, document_id: str) -> Matrix:
    """Those of its chunks, in their order."""
    (chunks,) = reader.chunks_of([document_id])
    return reader.vectors([chunk.chunk_id for chunk in chunks])


def _p95(spent: Sequence[Spent]) -> float:
    return 1000 * percentile([one.wall for one in spent], 0.95)


def _p95_cpu(spent: Sequence[Spent]) -> float:
    return 1000 * percentile([one.cpu for one in spent], 0.95)


def _middle(spent: Sequence[Spent]) -> float:
    return 1000 * median([one.wall for one in spent])


def _texts(reader: CollectionReader) -> Iterator[str]:
    """Title and text of every passage, which is what tamis searches too."""
    for document in reader.iter_documents():
        (chunks,) = reader.chunks_of([document.document_id])
        yield from (f"{document.title}\n{chunk.text}" for chunk in chunks)


class _Peer:
    """bm25s with the same stemmer: tokenising and ranking, nothing stored."""

    def __init__(self, texts: list[str]) -> None:
        import bm25s  # type: ignore[import-untyped]
        import Stemmer

        self._stemmer = Stemmer.Stemmer("english")
        self._index = bm25s.BM25(k1=1.2, b=0.75)
        self._tokenize = bm25s.tokenize
        self._k = min(_DEPTH, len(texts))
        self.built = timed(lambda: self._index.index(self._tokens(texts), show_progress=False))

    def _tokens(self, texts: list[str] | str) -> object:
        return self._tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def search(self, question: str) -> object:
        return self._index.retrieve(self._tokens(question), k=self._k, show_progress=False)


def built_collection(bench: Bench, count: int) -> tuple[Path, dict[str, float]]:
    """The home of a collection ``bench`` of so many passages, and what building it took; kept between runs."""
    place = bench.cache / f"search-{count}-{_stamp(bench)}"
    mark = place / "built.json"
    if not mark.exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        app = Tamis(settings=bench.app.settings, home=place)
        app.embedder = bench.app.embedder
        bench.say(f"building a collection of {count:,} chunks")
        documents = list(_synthetic(bench, count))
        spent = timed(_store, app, documents)
        # Not timed: it embeds.
        with app.store.writer("bench") as writer:
            calibrate_collection(writer, app.embedder)
            writer.publish()
        mark.write_text(json.dumps({"wall": spent.wall, "cpu": spent.cpu}), "utf-8")
    return place, json.loads(mark.read_text("utf-8"))


def _store(app: Tamis, documents: Sequence[StoredDocument]) -> None:
    with app.store.writer("bench") as writer:
        for stored in documents:
            writer.put(stored)
        profiles = np.stack([stored.vectors.mean(axis=0) for stored in documents])
        profiles /= np.linalg.norm(profiles, axis=1, keepdims=True)
        writer.put_profiles([stored.document.document_id for stored in documents], profiles.astype(np.float32))
        writer.publish()


def _stamp(bench: Bench) -> str:
    """Changes with whatever decides how the collection is made and stored."""
    source = Path(tamis.__file__).parent
    made = (bench.app.embedder.identity, bench.corpus_name, _PER_DOCUMENT, _SENTENCES, _BASE, _NOISE)
    digest = hashlib.sha256(repr(made).encode())
    for path in [*sorted((source / "store").rglob("*.py")), *sorted((source / "text").rglob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _synthetic(bench: Bench, count: int) -> Iterator[StoredDocument]:
    """Documents of real sentences in a new order, with real vectors moved a little."""
    rng = np.random.default_rng(0)
    pool = [text[a:b] for _, text in bench.texts for a, b in sentences(text)]
    titles = [title for title, _ in bench.texts]
    base = _base_vectors(bench)
    for number in range(count // _PER_DOCUMENT):
        name, title = f"d{number:06}", titles[number % len(titles)]
        picked = rng.integers(len(pool), size=(_PER_DOCUMENT, _SENTENCES))
        parts = [" ".join(pool[at] for at in row) for row in picked]
        starts = [0, *accumulate(len(part) + 2 for part in parts)]
        chunks = tuple(
            Chunk(f"{name}#c{at}", name, at, start, start + len(part), part, (title,))
            for at, (start, part) in enumerate(zip(starts, parts, strict=False))
        )
        text = "\n\n".join(parts)
        near = rng.integers(len(base), size=_PER_DOCUMENT)
        vectors = base[near] + rng.normal(0, _NOISE, (_PER_DOCUMENT, base.shape[1]))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        entities = tuple(EntityCount(word.casefold(), "ORG", 2, 0.9) for word in title.split()[:3])
        yield StoredDocument(
            Document(name, "", title, text, sha256_hex(text), "file"),
            chunks,
            vectors.astype(np.float32),
            entities=tuple({entity.key: entity for entity in entities}.values()),
            fingerprint=number,
        )


def _base_vectors(bench: Bench) -> Matrix:
    wanted = _QUICK_BASE if bench.quick else _BASE
    texts = [f"{title}\n{text}"[:1500] for title, text in bench.texts[:wanted]]
    kept = bench.cache / f"base-{hashlib.sha256(f'{bench.app.embedder.identity}{texts}'.encode()).hexdigest()[:12]}.npy"
    if not kept.exists():
        bench.say(f"embedding {len(texts):,} passages")
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, bench.app.embedder.passages(texts))
    found: Matrix = np.load(kept)
    return found
