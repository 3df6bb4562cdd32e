"""Same documents, same bytes; same question, same answer: whatever the order, the process, the threads."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from toy_store import make, open_store

from tamis.store.dense import nearest

_BUILD = """
import sys
from pathlib import Path
import random
import numpy as np
from toy_store import make, open_store

root, seed = Path(sys.argv[1]), int(sys.argv[2])
words = "apple pear plum fig lime kiwi grape date olive nut".split()
rng = random.Random(5)
bodies = [" ".join(rng.choices(words, k=rng.randint(3, 40))) for _ in range(400)]
documents = [make(f"d{n}", bodies[n], bodies[-n], title=words[n % 10]) for n in range(400)]
random.Random(seed).shuffle(documents)
store = open_store(root)
with store.writer("docs") as writer:
    for document in documents[:200]:
        writer.put(document)
    if seed % 2:
        writer.publish()
    for document in documents[100:]:
        writer.put(document)
    profiles = np.stack([make("x", f"p{n}").vectors[0] for n in range(400)])
    writer.put_profiles([f"d{n}" for n in range(400)], profiles)
    writer.publish()
with store.reader("docs") as reader:
    print(reader.search_text({"appl": 1.0, "fig": 0.5, "oliv": 2.0}, 50))
    for n in range(20):
        vector = make("q", f"question {n}").vectors[0]
        hits = reader.search_vectors(vector, 50)
        print(hits.ids, hits.scores.tobytes().hex())
        print(reader.search_profiles(vector, 50, floor=0.1).ids)
"""


def digest(folder: Path) -> dict[str, str]:
    generation = max((folder / "index").iterdir(), key=lambda path: int(path.name))
    files = sorted(path for path in generation.iterdir() if path.name != "manifest.json")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_bytes_and_answers_do_not_depend_on_order_hash_seed_or_threads(tmp_path: Path) -> None:
    outcomes = []
    for seed, threads in ((1, "1"), (2, "2"), (3, "2")):
        root = tmp_path / str(seed)
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parent),
            "PYTHONHASHSEED": str(seed),
            "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads,
        }
        command = [sys.executable, "-c", _BUILD, str(root), str(seed)]
        printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        outcomes.append((printed, digest(root / "collections" / "docs")))
    assert len(outcomes[0][0].splitlines()) >= 40
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_large_matrices_give_the_same_order_on_one_and_two_threads(tmp_path: Path) -> None:
    script = """
import numpy as np
from tamis.store.dense import nearest
rng = np.random.default_rng(3)
base = rng.normal(size=(1, 384))
matrix = (base + 0.02 * rng.normal(size=(20_000, 384))).astype(np.float32)
matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
matrix[1::2] = matrix[::2]
for n in range(5):
    rows, scores = nearest(matrix, matrix[n], 1000)
    print(rows.tolist(), scores.tobytes().hex())
"""
    printed = set()
    for threads in ("1", "2"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        printed.add(done.stdout)
    assert len(printed) == 1
    assert "[0, 1," in printed.pop()


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 12), st.floats(-1, 1))
def test_nearest_is_exhaustive_search(seed: int, rows: int, k: int, floor: float) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rows, 4)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix[rows // 2] = matrix[0]
    vector = matrix[rng.integers(rows)]
    cosines = (matrix.astype(np.float64) * vector).sum(axis=1).round(6)
    expected = [row for row in sorted(range(rows), key=lambda row: (-cosines[row], row)) if cosines[row] >= floor][:k]
    found, scores = nearest(matrix, vector, k, floor=floor)
    assert found.tolist() == expected
    np.testing.assert_allclose(scores, cosines[expected], atol=1e-6)


def test_order_of_documents_is_by_id(tmp_path: Path) -> None:
    names = ["b", "a/2", "a/10", "ä", "z", "A"]
    random.Random(1).shuffle(names)
    with open_store(tmp_path).writer("docs") as writer:
        for name in names:
            writer.put(make(name, "same words"))
        writer.publish()
    with open_store(tmp_path).reader("docs") as reader:
        assert [document.document_id for document in reader.iter_documents()] == sorted(names)
        assert reader.search_text({"word": 1.0}, 10).ids == tuple(f"{name}#c0" for name in sorted(names))
