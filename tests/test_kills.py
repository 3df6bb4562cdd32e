"""Killed crawls, ingests and re-embeds end as undisturbed ones (how: `bench.kills`; what a row is: `bench.rows`)."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from bench import kills
from bench.rows import differences, rows_of
from bench.toys import ToyEmbedder, ToyRecogniser

from tamis.app import Tamis
from tamis.settings import Settings


@pytest.mark.parametrize("operation", kills.OPERATIONS)
def test_a_killed_run_ends_as_an_undisturbed_one(operation: str) -> None:
    outcome = kills.apart(operation, moments=6, seed=11)
    assert outcome.faults == []
    assert outcome.kills >= 6 and outcome.collections >= 2


def test_the_comparison_sees_what_differs(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Sieve\n\nThe Avignon Tamis holds a drum of wire and cloth. " * 9)
    app = Tamis(settings=Settings(), home=tmp_path / "home")
    app.embedder, app.recogniser = ToyEmbedder(), ToyRecogniser()
    app.collection("torn").ingest([tmp_path / "a.md"])
    folder = tmp_path / "home" / "collections" / "torn"
    wanted = rows_of(folder)
    assert differences(wanted, wanted) == []
    assert len(wanted["documents"]) == len(wanted["profiles"]) == 1 and len(wanted["arrays"]) > 10
    for kind in ("documents", "chunks", "digests", "entities", "profiles", "arrays", "entity vectors"):
        found = copy.deepcopy(wanted)
        found[kind] = found[kind][1:]
        assert [line.partition(":")[0] for line in differences(found, wanted)] == [kind]
    (folder / "index" / "building-9-x").mkdir()
    assert [line.partition(":")[0] for line in differences(rows_of(folder), wanted)] == ["snapshots"]
