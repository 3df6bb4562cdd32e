from __future__ import annotations

from itertools import pairwise

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.errors import UsageError
from tamis.rank.measure import evaluate, read_qrels, read_queries, read_run, trec_run

documents = st.integers(0, 40).map(lambda n: f"d{n}")
qrels = st.dictionaries(
    st.integers(0, 5).map(lambda n: f"q{n}"),
    st.dictionaries(documents, st.integers(0, 3), min_size=1, max_size=12),
    min_size=1,
    max_size=6,
)
runs = st.dictionaries(
    st.integers(0, 6).map(lambda n: f"q{n}"), st.lists(documents, unique=True, max_size=30), min_size=1, max_size=7
)


@given(runs, qrels)
def test_the_measures_are_those_of_ir_measures(ranked, judged):
    judged = {q: grades for q, grades in judged.items() if any(grades.values())}
    run = {q: [(d, 1.0 - place / 100) for place, d in enumerate(ids)] for q, ids in ranked.items()}
    ours = evaluate(run, judged)
    if not judged:
        assert ours["questions"] == 0
        return
    names = {"nDCG@10": ir_measures.nDCG @ 10, "MRR@10": ir_measures.RR @ 10, "R@100": ir_measures.R @ 100}
    flat = [ir_measures.ScoredDoc(q, d, s) for q, found in run.items() for d, s in found]
    grades = [ir_measures.Qrel(q, d, g) for q, given_ in judged.items() for d, g in given_.items()]
    per = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(list(names.values()), grades, flat)}
    for name, measure in names.items():
        theirs = sum(per.get((q, str(measure)), 0.0) for q in judged) / len(judged)
        assert ours[name] == pytest.approx(theirs, abs=1e-9)


@given(runs)
def test_a_run_survives_writing_and_reading(tmp_path_factory, ranked):
    run = {q: [(d, 0.5) for d in ids] for q, ids in ranked.items() if ids}
    path = tmp_path_factory.mktemp("run") / "run.txt"
    path.write_text(trec_run(run))
    back = read_run(path)
    assert {q: [d for d, _ in found] for q, found in back.items()} == {q: [d for d, _ in r] for q, r in run.items()}
    for found in back.values():
        scores = [score for _, score in found]
        assert all(a > b for a, b in pairwise(scores))


def test_the_line_of_a_run():
    assert trec_run({"q1": [("d2", 0.75)]}) == "q1 Q0 d2 1 0.750000 tamis\n"
    with pytest.raises(UsageError, match="white space"):
        trec_run({"q1": [("a b", 1.0)]})


def test_judgements_in_both_forms(tmp_path):
    trec, beir = tmp_path / "a.txt", tmp_path / "b.tsv"
    trec.write_text("q1 0 d1 2\nq1 0 d2 0\n")
    beir.write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n")
    assert read_qrels(trec) == read_qrels(beir) == {"q1": {"d1": 2, "d2": 0}}
    beir.write_text("query-id\tcorpus-id\tscore\nq1\td1\n")
    with pytest.raises(UsageError, match=r"b\.tsv:2"):
        read_qrels(beir)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.jsonl", '{"_id": "1", "text": "a\u2028b?"}\n{"_id": 2, "text": "c, d?"}\n'),
        ("q.csv", '_id,text\n1,a\u2028b?\n2,"c, d?"\n'),
        ("q.tsv", "1\ta\u2028b?\n2\tc, d?\n"),
    ],
)
def test_questions_in_three_forms(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_queries(path) == {"1": "a\u2028b?", "2": "c, d?"}


@pytest.mark.parametrize("text", ["", '{"_id": "1"}\n', "{oops\n", '{"_id":"1","text":"a"}\n{"_id":"1","text":"b"}\n'])
def test_unusable_questions_name_the_file(tmp_path, text):
    path = tmp_path / "q.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"q\.jsonl"):
        read_queries(path)
