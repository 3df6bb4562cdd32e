from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toy_store import make, open_store

from tamis.store.sqlite import ann

pytestmark = pytest.mark.skipif(not ann.available(), reason="needs the extra `ann`")


def test_above_the_limit_an_approximate_index_answers_with_exact_scores(tmp_path: Path) -> None:
    documents = [make(f"d{n:03}", f"passage {n}", f"other {n}") for n in range(150)]
    answers = []
    for limit in (10, 10_000):
        store = open_store(tmp_path / str(limit), exact_limit=limit)
        with store.writer("docs") as writer:
            for document in documents:
                writer.put(document)
            writer.publish()
        with store.reader("docs") as reader:
            answers.append([reader.search_vectors(make("q", f"q {n}").vectors[0], 10) for n in range(20)])
    assert (tmp_path / "10/collections/docs/index/1" / ann.FILE_NAME).is_file()
    assert not (tmp_path / "10000/collections/docs/index/1" / ann.FILE_NAME).exists()
    same = [len(set(near.ids) & set(exact.ids)) for near, exact in zip(*answers, strict=True)]
    assert np.mean(same) >= 9.5
    for near, exact in zip(*answers, strict=True):
        known = dict(zip(exact.ids, exact.scores, strict=True))
        assert all(known.get(name, score) == score for name, score in zip(near.ids, near.scores, strict=True))


def test_the_embedder_can_be_loaded_after_the_index() -> None:
    script = """
import numpy as np
from pathlib import Path
from tempfile import mkdtemp
from tamis.store.sqlite import ann
path = Path(mkdtemp()) / "index"
vectors = np.eye(8, dtype=np.float32)
ann.build(vectors, path)
print(ann.Neighbours(path, vectors).nearest(vectors[3], 1)[0])
import onnxruntime
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[3]"


def test_the_index_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    vectors = np.concatenate([make("d", *(f"p{n}" for n in range(200))).vectors])
    for name in ("one", "two"):
        ann.build(vectors, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    rows, scores = ann.Neighbours(tmp_path / "one", vectors).nearest(vectors[7], 3)
    assert rows[0] == 7 and scores[0] == pytest.approx(1.0)
    assert len(ann.Neighbours(tmp_path / "one", vectors).nearest(vectors[7], 0)[0]) == 0
