"""SIGKILL at any moment: the collection opens, and what `put` returned from is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toy_store import make, open_store

_WRITE = """
import sys
from pathlib import Path
from toy_store import make, open_store

with open_store(Path(sys.argv[1])).writer("docs") as writer:
    for number in range(int(sys.argv[2]), 100_000):
        writer.put(make(f"d{number:05}", f"word{number} common text"))
        print(number, flush=True)
        if number % 7 == 6:
            writer.publish()
            print("published", number + 1, flush=True)
"""


def start(root: Path, first: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", _WRITE, str(root), str(first)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def kill_after(process: subprocess.Popen[str], lines: int, pause: float) -> list[str]:
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(lines)]
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    seen += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    return [line.strip() for line in seen if line.strip()]


@pytest.mark.parametrize(("lines", "pause"), [(1, 0.0), (7, 0.001), (8, 0.004), (20, 0.012), (33, 0.003)])
def test_nothing_that_was_put_is_lost(tmp_path: Path, lines: int, pause: float) -> None:
    seen = kill_after(start(tmp_path, 0), lines, pause)
    stored = [int(line) for line in seen if line.isdigit()]
    store = open_store(tmp_path)
    # The reader finds the lock free and brings the snapshot up to what is stored.
    with store.reader("docs") as reader:
        ids = [document.document_id for document in reader.iter_documents()]
        assert len(ids) in {len(stored), len(stored) + 1}
        assert ids == [f"d{number:05}" for number in range(len(ids))]
        assert reader.search_text({f"word{len(ids) - 1}": 1.0}, 5).ids == (f"{ids[-1]}#c0",)
        assert len(reader.search_text({"common": 1.0}, 10_000).ids) == len(ids)
        assert reader.chunk_ids(reader.phrase_rows(["common text"])) == tuple(f"{name}#c0" for name in ids)
    with store.writer("docs") as writer:
        assert writer.digest_of(ids[-1])
        writer.put(make("e", "more"))
        assert writer.publish().documents == len(ids) + 1
    index = tmp_path / "collections" / "docs" / "index"
    assert len(list(index.iterdir())) == 1


def test_killed_again_and_again(tmp_path: Path) -> None:
    count = 0
    for lines in (3, 5, 9):
        seen = kill_after(start(tmp_path, count), lines, 0.002)
        assert any(line.isdigit() for line in seen)
        with open_store(tmp_path).reader("docs") as reader:
            ids = [document.document_id for document in reader.iter_documents()]
        assert len(ids) > count
        assert ids == [f"d{number:05}" for number in range(len(ids))]
        count = len(ids)


@pytest.mark.parametrize("damage", ["remove", "truncate", "manifest", "all"])
def test_a_lost_snapshot_is_rebuilt(filled, tmp_path: Path, damage: str) -> None:
    index = tmp_path / "collections" / "docs" / "index"
    vectors = index / "1" / "vectors.npy"
    before = vectors.read_bytes()
    if damage == "remove":
        vectors.unlink()
    elif damage == "truncate":
        vectors.write_bytes(before[:-4])
    elif damage == "manifest":
        (index / "1" / "manifest.json").write_text("{")
    else:
        import shutil

        shutil.rmtree(index)
    with filled.reader("docs") as reader:
        assert reader.search_text({"fox": 1.0}, 5).ids == ("a#c0",)
    assert vectors.read_bytes() == before


def test_a_lost_snapshot_is_rebuilt_as_it_was_published(filled, tmp_path: Path) -> None:
    with filled.writer("docs") as writer:
        writer.put(make("a", "Otters swim."))
    (tmp_path / "collections" / "docs" / "index" / "1" / "term_hashes.npy").unlink()
    with filled.reader("docs") as reader:
        assert reader.search_text({"fox": 1.0}, 5).ids == ("a#c0",)
        assert reader.documents(["a"])[0].text == "The quick brown fox jumps."
