"""Ranking quality on judged collections, through the same path as the product: ingest, digest, store, retrieve."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from gates.judged import QRELS, cache_folder, collection_home
from tamis.app import Tamis
from tamis.plan.interpret import interpret
from tamis.rank.answerable import judge
from tamis.rank.measure import evaluate, read_qrels, read_queries
from tamis.rank.recipes import RECIPES
from tamis.rank.retrieval import retrieve
from tamis.settings import Settings

pytestmark = [pytest.mark.gate, pytest.mark.slow]

FLOORS = {"nfcorpus": 0.350, "cranfield": 0.455, "cisi": 0.465}
FOREIGN_REFUSED, OWN_REFUSED = 0.85, 0.08


EVERY = 3
"""One of so many foreign questions is asked: passages are read with each, which takes its time."""


@lru_cache(maxsize=1)
def app_for(home: Path) -> Tamis:
    return Tamis(settings=Settings(), home=home)


@pytest.fixture(scope="module", params=sorted(QRELS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def judged_queries(name: str, data: Path) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    qrels = read_qrels(data / name / QRELS[name])
    queries = read_queries(data / name / "queries.jsonl")
    return {key: text for key, text in queries.items() if key in qrels}, qrels


def test_order_and_depth(name: str, data: Path, report: Callable[..., None]) -> None:
    app = app_for(collection_home(name, data, cache_folder()))
    queries, qrels = judged_queries(name, data)
    rows = {recipe: evaluate(app.collection(name).run(queries, recipe=recipe), qrels) for recipe in RECIPES}
    shown = " ".join(f"{recipe} {row['nDCG@10']:.4f}" for recipe, row in rows.items())
    report(f"{name} nDCG@10, auto", rows["auto"]["nDCG@10"], FLOORS[name], shown)
    single = max(rows["bm25"]["R@100"], rows["dense"]["R@100"])
    shown = " ".join(f"{recipe} {row['R@100']:.3f}" for recipe, row in rows.items())
    report(f"{name} R@100, auto against one layer", rows["auto"]["R@100"], single, shown)


def test_refuses_foreign_questions_and_answers_its_own(name: str, data: Path, report: Callable[..., None]) -> None:
    app = app_for(collection_home(name, data, cache_folder()))
    refused = {}
    with app.store.reader(name) as reader:
        for asked in sorted(QRELS):
            verdicts = []
            for text in list(judged_queries(asked, data)[0].values())[:: 1 if asked == name else EVERY]:
                question = interpret(text, recogniser=app.question_recogniser, settings=app.settings.interpret)
                ranking = retrieve(
                    question,
                    reader=reader,
                    embedder=app.embedder,
                    recogniser=app.question_recogniser,
                    settings=app.settings,
                )
                verdict = judge(question, ranking, reader=reader, settings=app.settings, reranker=app.reranker)
                verdicts.append(verdict.answered)
            refused[asked] = 1.0 - sum(verdicts) / len(verdicts)
    shown = " ".join(f"{asked} {share:.3f}" for asked, share in refused.items())
    foreign = min(share for asked, share in refused.items() if asked != name)
    report(f"{name} foreign questions refused", foreign, FOREIGN_REFUSED, shown)
    report(f"{name} own questions answered", 1.0 - refused[name], 1.0 - OWN_REFUSED, shown)


RUN_IT = """
import sys
from pathlib import Path
from tamis.app import Tamis
from tamis.rank.measure import read_queries, trec_run
from tamis.settings import Settings
app = Tamis(settings=Settings(), home=Path(sys.argv[1]))
queries = dict(list(read_queries(Path(sys.argv[2])).items())[:20])
sys.stdout.write(trec_run(app.collection(sys.argv[3]).run(queries)))
"""


def test_ranking_is_the_same_everywhere(data: Path, report: Callable[..., None]) -> None:
    home = collection_home("cisi", data, cache_folder())
    digests = set()
    for threads, seed in (("1", "0"), ("2", "1"), ("2", "123")):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads,
            "TAMIS_EMBEDDING__THREADS": threads,
        }
        run = subprocess.run(
            [sys.executable, "-c", RUN_IT, str(home), str(data / "cisi" / "queries.jsonl"), "cisi"],
            capture_output=True,
            check=True,
            env=environment,
        )
        assert len(run.stdout.splitlines()) > 20 * 900
        digests.add(hashlib.sha256(run.stdout).hexdigest())
    report(
        "identical runs (3 processes, 1 and 2 threads)", float(len(digests) == 1), 1.0, json.dumps(sorted(digests))[:40]
    )
