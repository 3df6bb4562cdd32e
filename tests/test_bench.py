"""The measurements run, on next to nothing, and make a table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from bench import search
from bench.__main__ import MEASUREMENTS, main, run
from bench.material import Bench, command, timed
from bench.table import Row, format_table, median, percentile
from bench.txtai_peer import VARIABLE, txtai

_ROOT = Path(__file__).resolve().parents[1]


def test_a_row_is_held_to_its_aim():
    assert Row("a", 20.0, "ms", at_most=25.0).verdict == "ok"
    assert Row("a", 26.0, "ms", at_most=25.0).verdict == "missed"
    assert Row("a", 9.0, "/s", peer=10.0, ratio_at_least=0.9).verdict == "ok"
    assert Row("a", 8.9, "/s", peer=10.0, ratio_at_least=0.9).verdict == "missed"
    assert Row("a", 8.9, "/s").verdict == ""


def test_the_table_lines_up_and_shows_ratios():
    rows = [
        Row("search", 12.345, "ms", peer=24.69, peer_name="other", at_most=25.0),
        Row("a longer name", 1234.5, "s", note="of something"),
    ]
    lines = format_table(rows).splitlines()
    assert len({len(line) for line in lines}) == 1
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[2] == ["search", "12.3", "ms", "24.7", "other", "0.50", "≤ 25 ms", "ok", ""]
    assert cells[3] == ["a longer name", "1234", "s", "", "", "", "", "", "of something"]


def test_percentiles_are_values_that_occurred():
    assert percentile([float(value) for value in range(1, 101)], 0.95) == 95.0
    assert percentile([3.0], 0.95) == 3.0
    assert percentile([2.0, 1.0], 0.5) == 1.0
    assert median([1.0, 2.0, 6.0]) == 2.0


def test_clocks_and_memory_of_a_process():
    spent = command((sys.executable, "-c", "x = bytearray(30_000_000)"))
    assert spent.wall > 0 and spent.peak_mb > 30
    assert timed(sum, range(100_000)).wall > 0
    with pytest.raises(RuntimeError, match="exit code 3"):
        command((sys.executable, "-c", "raise SystemExit(3)"))


class _Embedder:
    """Vectors that depend on the text, at once."""

    def __init__(self, real):
        self.identity = real.identity

    def passages(self, texts):
        rows = [np.random.default_rng(len(text)).normal(size=self.identity.dimensions) for text in texts]
        return np.stack([row / np.linalg.norm(row) for row in rows]).astype(np.float32)

    queries = passages


def test_searching_a_tiny_collection_beside_a_peer(tmp_path, monkeypatch, embedder):
    pytest.importorskip("bm25s")
    monkeypatch.delenv(VARIABLE, raising=False)
    said = []
    bench = Bench(tmp_path / "work", tmp_path / "cache", quick=True, say=said.append)
    bench.app.embedder = _Embedder(embedder)
    monkeypatch.setattr(search, "_QUICK_CHUNKS", 200)
    monkeypatch.setattr(search, "_QUICK_QUESTIONS", 3)
    rows = run(["search"], bench)
    assert [row.unit for row in rows] == ["ms", "ms", "s"]
    assert all(row.tamis > 0 for row in rows) and rows[1].peer > 0
    assert "200 chunks" in rows[0].note
    assert not any("txtai" in row.peer_name for row in rows)
    assert f"txtai is left out: {VARIABLE} names no Python interpreter that has it" in said
    home, _ = search.built_collection(bench, 200)
    stored = home.stat().st_mtime_ns
    assert search.built_collection(bench, 200)[0].stat().st_mtime_ns == stored


def test_an_interpreter_without_txtai_is_a_reason_too(tmp_path):
    vectors = np.eye(2, dtype=np.float32)
    given = (["one passage", "another"], vectors, ["a question"], vectors[:1])
    with pytest.raises(RuntimeError, match=r"exit code 1: .*'txtai'"):
        txtai(sys.executable, tmp_path / "txtai", *given)
    with pytest.raises(RuntimeError, match="nowhere"):
        txtai(str(tmp_path / "nowhere"), tmp_path / "txtai", *given)


def test_an_unknown_measurement_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["speed"])
    assert "'speed'" in capsys.readouterr().err and len(MEASUREMENTS) == 7


def test_it_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--help"], cwd=_ROOT, capture_output=True, text=True, check=True
    )
    assert all(name in done.stdout for name in MEASUREMENTS)
