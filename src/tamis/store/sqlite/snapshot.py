"""A published state as a folder of arrays: memory-mapped, immutable, rebuilt from the database at will.

The same documents give the same bytes, whatever order they came in: rows stand by document id, then ordinal.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tamis.models.protocols import Matrix
from tamis.store.coarse import Coarse, coarse
from tamis.store.nouns import FieldWeights, Rows
from tamis.store.postings import FIELDS, TERM, FieldPostings, Postings, Terms, field_factors, invert
from tamis.store.sqlite import ann
from tamis.store.sqlite.database import sync

_MANIFEST = "manifest.json"
_ARRAYS = (
    "vectors", "codes", "steps", "profiles", "id_bytes", "id_ends", "first_chunk",
    "term_hashes", "term_frequencies", "field_lengths",
    *(f"{field}_{part}" for field in FIELDS for part in ("starts", "rows", "tf")),
)  # fmt: skip
_PIECE = 1 << 20
_BLOCK = 4096
"""Vectors rounded at once."""
_UNFINISHED = "building-"
_loaded: dict[Path, tuple[int, Snapshot]] = {}
"""Folder of a generation → when it was written, and what this process mapped of it; the latest few, in order of use."""
_MOST_LOADED = 8
VISIBLE = """
    documents.born <= :generation AND (documents.died IS NULL OR documents.died > :generation) AND NOT documents.hidden
"""
"""The documents that a generation shows."""


@dataclass(frozen=True)
class Snapshot:
    """The arrays of one generation, over M documents and N chunks.

    Attributes:
        vectors: (N, D) float32.
        rounded: the same in a byte a dimension, for a first look.
        profiles: (M, D) float32, zero rows for documents without entities.
        id_bytes: UTF-8 of all document ids, ascending, one behind the other.
        id_ends: (M + 1,) int64 offsets into them.
        first_chunk: (M + 1,) int64; the chunks of document m are rows ``first_chunk[m]:first_chunk[m + 1]``.
        postings: the inverted index over chunks.
        neighbours: the approximate index over ``vectors``, None where they are searched exactly.
    """

    vectors: Matrix
    rounded: Coarse
    profiles: Matrix
    id_bytes: npt.NDArray[np.uint8]
    id_ends: npt.NDArray[np.int64]
    first_chunk: npt.NDArray[np.int64]
    postings: Postings
    neighbours: ann.Neighbours | None = None

    @property
    def documents(self) -> int:
        """How many documents."""
        return len(self.id_ends) - 1

    @cached_property
    def _ids(self) -> bytes:
        return self.id_bytes.tobytes()

    @cached_property
    def _names(self) -> dict[int, str]:
        """Document ids met so far, by row."""
        return {}

    @cached_property
    def _factors(self) -> dict[FieldWeights, npt.NDArray[np.float32]]:
        return {}

    def factors(self, weights: FieldWeights) -> npt.NDArray[np.float32]:
        """(3, N): what the frequencies of terms are multiplied with; see `tamis.store.postings.field_factors`."""
        if weights not in self._factors:
            self._factors[weights] = field_factors(self.postings.lengths, weights)
        return self._factors[weights]

    def document_id(self, row: int) -> str:
        """The id of a document row."""
        name = self._names.get(row)
        if name is None:
            name = self._ids[int(self.id_ends[row]) : int(self.id_ends[row + 1])].decode("utf-8")
            self._names[row] = name
        return name

    def document_row(self, document_id: str) -> int:
        """The row of a document.

        Raises:
            KeyError: it is not in this snapshot.
        """
        wanted, ids, ends = document_id.encode("utf-8"), self._ids, self.id_ends
        low, high = 0, self.documents
        while low < high:
            middle = (low + high) // 2
            if ids[int(ends[middle]) : int(ends[middle + 1])] < wanted:
                low = middle + 1
            else:
                high = middle
        if low < self.documents and ids[int(ends[low]) : int(ends[low + 1])] == wanted:
            return low
        raise KeyError(document_id)

    def owners(self, rows: Rows) -> Rows:
        """The document rows of chunk rows."""
        # The last of equal edges: a document without chunks owns none.
        return np.searchsorted(self.first_chunk, rows, side="right") - 1

    def rows_of(self, documents: Rows) -> Rows:
        """The rows of all the chunks of document rows, one document behind the other."""
        starts, sizes = self.first_chunk[documents], np.diff(self.first_chunk)[documents]
        begun = np.cumsum(sizes) - sizes
        return np.repeat(starts - begun, sizes) + np.arange(sizes.sum())

    def document_ids(self, rows: Rows) -> tuple[str, ...]:
        """The ids of document rows."""
        return tuple(map(self.document_id, rows.tolist()))

    def chunk_ids(self, rows: Rows) -> tuple[str, ...]:
        """The ids of chunk rows."""
        owners = self.owners(rows)
        ordinals = (rows - self.first_chunk[owners]).tolist()
        return tuple(f"{name}#c{at}" for name, at in zip(self.document_ids(owners), ordinals, strict=True))

    def chunk_row(self, chunk_id: str) -> int:
        """The row of a chunk.

        Raises:
            KeyError: it is not in this snapshot.
        """
        document_id, _, ordinal = chunk_id.rpartition("#c")
        row = self.document_row(document_id)
        at = int(self.first_chunk[row]) + int(ordinal)
        if at >= int(self.first_chunk[row + 1]):
            raise KeyError(chunk_id)
        return at


def build(connection: sqlite3.Connection, index: Path, number: int, *, dimensions: int, exact_limit: int) -> Path:
    """Write the arrays of a generation and move them into place as one.

    Args:
        connection: the collection's database, in the state to be shown.
        index: folder of all generations.
        number: the generation.
        dimensions: of the vectors.
        exact_limit: more chunks than this get an approximate index too, where the library for it is installed.

    Returns:
        The generation's folder.
    """
    index.mkdir(mode=0o700, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f"{_UNFINISHED}{number}-", dir=index))
    try:
        _write_arrays(connection, building, number, dimensions)
        vectors = _map(building / "vectors.npy")
        if len(vectors) > exact_limit and ann.available():
            ann.build(vectors, building / ann.FILE_NAME)
        files = {path.name: [path.stat().st_size, _checksum(path)] for path in building.iterdir()}
        (building / _MANIFEST).write_text(json.dumps({"generation": number, "files": files}, sort_keys=True))
        for path in building.iterdir():
            path.chmod(0o600)
            sync(path)
        sync(building)
        final = index / str(number)
        # Only left by a publish that was killed before it was recorded, or damaged.
        if final.exists():
            shutil.rmtree(final)
        building.rename(final)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    sync(index)
    return final


def _write_arrays(connection: sqlite3.Connection, folder: Path, number: int, dimensions: int) -> None:
    at = {"generation": number}
    documents = connection.execute(
        f"SELECT id, (SELECT count(*) FROM chunks WHERE chunks.document = documents.row) "
        f"FROM documents WHERE {VISIBLE} ORDER BY id",
        at,
    ).fetchall()
    ids = [document_id.encode("utf-8") for document_id, _ in documents]
    first_chunk = np.concatenate(([0], np.cumsum([count for _, count in documents]))).astype(np.int64)
    _save(folder, "id_bytes", np.frombuffer(b"".join(ids), dtype=np.uint8))
    _save(folder, "id_ends", np.concatenate(([0], np.cumsum([len(name) for name in ids]))).astype(np.int64))
    _save(folder, "first_chunk", first_chunk)
    _save_matrix(folder, "vectors", _blobs(connection, "vectors", at), int(first_chunk[-1]), dimensions)
    _save_rounded(folder, _map(folder / "vectors.npy"))
    _save_matrix(folder, "profiles", _profiles(connection, at, dimensions), len(ids), dimensions)
    postings = _postings(connection, at, int(first_chunk[-1]))
    _save(folder, "term_hashes", postings.terms)
    _save(folder, "term_frequencies", postings.frequencies)
    _save(folder, "field_lengths", postings.lengths)
    for name, field in zip(FIELDS, postings.fields, strict=True):
        _save(folder, f"{name}_starts", field.starts)
        _save(folder, f"{name}_rows", field.rows)
        _save(folder, f"{name}_tf", field.tf)


def _blobs(connection: sqlite3.Connection, column: str, at: dict[str, int]) -> Iterator[bytes]:
    query = (
        f"SELECT digests.{column} FROM documents JOIN digests ON digests.document = documents.row "
        f"WHERE {VISIBLE} ORDER BY documents.id"
    )
    return (row[0] for row in connection.execute(query, at))


def _profiles(connection: sqlite3.Connection, at: dict[str, int], dimensions: int) -> Iterator[bytes]:
    query = (
        f"SELECT profiles.vector FROM documents LEFT JOIN profiles ON profiles.document = documents.row "
        f"WHERE {VISIBLE} ORDER BY documents.id"
    )
    return (row[0] or bytes(4 * dimensions) for row in connection.execute(query, at))


def _postings(connection: sqlite3.Connection, at: dict[str, int], chunks: int) -> Postings:
    lengths = np.frombuffer(b"".join(_blobs(connection, "lengths", at)), dtype="<u4").reshape(chunks, len(FIELDS))
    sizes = np.frombuffer(b"".join(_blobs(connection, "sizes", at)), dtype="<u4")
    joined = bytearray()
    for blob in _blobs(connection, "terms", at):
        joined += blob
    terms: Terms = np.frombuffer(joined, dtype=TERM)
    return invert(terms, sizes, np.ascontiguousarray(lengths.T))


def _save(folder: Path, name: str, array: npt.NDArray[Any]) -> None:
    # Not `np.save`: on a full disk it fails without saying why.
    with (folder / f"{name}.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        file.write(np.ascontiguousarray(array).tobytes())


def _save_matrix(folder: Path, name: str, blobs: Iterator[bytes], rows: int, dimensions: int) -> None:
    # Streamed: the vectors of a large collection never stand in memory twice.
    with (folder / f"{name}.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (rows, dimensions)}
        )
        for blob in blobs:
            file.write(blob)


def _save_rounded(folder: Path, vectors: Matrix) -> None:
    steps = np.zeros(len(vectors), dtype=np.float32)
    with (folder / "codes.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|i1", "fortran_order": False, "shape": vectors.shape})
        for start in range(0, len(vectors), _BLOCK):
            part = coarse(vectors[start : start + _BLOCK])
            steps[start : start + _BLOCK] = part.steps
            file.write(part.codes.tobytes())
    _save(folder, "steps", steps)


def damage(folder: Path, *, most: int | None = None) -> list[str]:
    """Names of a generation's files that are missing or not what they were written as.

    Args:
        folder: of the generation.
        most: bytes of all files together up to which their contents are looked at, not their sizes alone.
    """
    try:
        files = json.loads((folder / _MANIFEST).read_text())["files"]
        # One of another version lacks some: it is made again like a damaged one.
        wrong = [f"{name}.npy" for name in _ARRAYS if f"{name}.npy" not in files]
        wrong += [name for name, (size, _) in files.items() if _size(folder / name) != size]
        if not wrong and (most is None or sum(size for size, _ in files.values()) <= most):
            wrong = [name for name, (_, checksum) in files.items() if _checksum(folder / name) != checksum]
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return [_MANIFEST]
    return sorted(wrong)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else -1


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found = zlib.crc32(piece, found)
    return found


def load(folder: Path, *, checked_bytes: int) -> Snapshot | None:
    """Map the arrays of a generation; None where a file is missing or not what it was written as.

    Args:
        folder: of the generation.
        checked_bytes: see `tamis.settings.StoreSettings`; contents are looked at once a process.
    """
    try:
        written = (folder / _MANIFEST).stat().st_mtime_ns
        seen, found = _loaded.get(folder, (0, None))
        known = found if seen == written else None
        if damage(folder, most=0 if known else checked_bytes):
            return None
        found = known or _mapped(folder)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    _remember(folder, written, found)
    return found


def _remember(folder: Path, written: int, found: Snapshot) -> None:
    """Keep a generation mapped, no other one of its collection, and not too many in all; threads may do so at once."""
    _loaded.pop(folder, None)
    others = list(_loaded)
    crowd = others[: max(0, len(others) + 1 - _MOST_LOADED)]
    for other in {*crowd, *(path for path in others if path.parent == folder.parent)}:
        _loaded.pop(other, None)
    _loaded[folder] = written, found


def _mapped(folder: Path) -> Snapshot:
    arrays: dict[str, Any] = {name: _map(folder / f"{name}.npy") for name in _ARRAYS}
    return Snapshot(
        vectors=arrays["vectors"],
        rounded=Coarse(arrays["codes"], arrays["steps"]),
        profiles=arrays["profiles"],
        id_bytes=arrays["id_bytes"],
        id_ends=arrays["id_ends"],
        first_chunk=arrays["first_chunk"],
        postings=Postings(
            arrays["term_hashes"],
            arrays["term_frequencies"],
            tuple(FieldPostings(*(arrays[f"{name}_{part}"] for part in ("starts", "rows", "tf"))) for name in FIELDS),
            arrays["field_lengths"],
        ),
        neighbours=_neighbours(folder, arrays["vectors"]),
    )


def names(folder: Path) -> list[str]:
    """Ids of the documents that a generation shows, none where that cannot be read."""
    if {"id_bytes.npy", "id_ends.npy"} & set(damage(folder)):
        return []
    try:
        joined, ends = _map(folder / "id_bytes.npy").tobytes(), _map(folder / "id_ends.npy").tolist()
        return [joined[start:end].decode("utf-8") for start, end in pairwise(ends)]
    except (OSError, ValueError):
        return []


def _neighbours(folder: Path, vectors: Matrix) -> ann.Neighbours | None:
    path = folder / ann.FILE_NAME
    return ann.Neighbours(path, vectors) if path.is_file() and ann.available() else None


def _map(path: Path) -> npt.NDArray[Any]:
    # An empty file cannot be mapped; a header alone can be read.
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    return np.asarray(array)


def remove_others(index: Path, keep: int) -> None:
    """Delete every generation but one, and what killed builders left. Readers that have one mapped keep it.

    What bears no name of ours stays: the folder may be a link to a place that holds other things too.
    """
    for path in index.iterdir():
        ours = path.name.isdecimal() or path.name.startswith(_UNFINISHED)
        if ours and path.name != str(keep):
            shutil.rmtree(path, ignore_errors=True)
