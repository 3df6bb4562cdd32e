"""Measuring a ranking against judgements: nDCG@10, MRR@10, R@100, and the files they are kept in.

Runs are TREC runs (``qid Q0 docid rank score tag``), judgements are TREC qrels (``qid 0 docid grade``) or BEIR TSV with
a header, questions are JSONL, CSV or TSV with the columns ``_id`` and ``text``.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2
from pathlib import Path

from tamis.errors import UsageError

Run = Mapping[str, Sequence[tuple[str, float]]]
"""Question id → (document id, score), best first."""
Qrels = Mapping[str, Mapping[str, int]]
"""Question id → document id → grade; above 0 is relevant."""

RUN_TAG = "tamis"
_RUN_SHAPE = "a run line is `qid Q0 docid rank score tag`"
_QUERY_SHAPE = (
    'one question a line: {"_id": "q1", "text": "…"} in a .jsonl file, or the columns _id,text in .csv or .tsv'
)
_ID_NAMES = ("_id", "id", "qid", "query-id", "query_id")
_TEXT_NAMES = ("text", "query", "question")


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """Normalised discounted cumulative gain with linear gain, as trec_eval's ``ndcg_cut``.

    Args:
        ranked: document ids, best first.
        grades: document id → grade; missing or negative counts as 0.
        k: depth.

    Returns:
        [0, 1]; 0 where nothing is relevant.

    Source: Järvelin & Kekäläinen, 2002, with log2(rank + 1) from rank 1.
    """
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    if not ideal:
        return 0.0
    gained = sum(max(grades.get(doc, 0), 0) / log2(place + 2) for place, doc in enumerate(ranked[:k]))
    return gained / sum(grade / log2(place + 2) for place, grade in enumerate(ideal))


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """1 / rank of the first relevant document within ``k``, else 0."""
    for place, doc in enumerate(ranked[:k]):
        if grades.get(doc, 0) > 0:
            return 1.0 / (place + 1)
    return 0.0


def recall(ranked: Sequence[str], grades: Mapping[str, int], k: int = 100) -> float:
    """Share of the relevant documents within ``k``; 0 where nothing is relevant."""
    relevant = {doc for doc, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


Measure = Callable[[Sequence[str], Mapping[str, int]], float]
MEASURES: Mapping[str, Measure] = {
    "nDCG@10": lambda ranked, grades: ndcg(ranked, grades, 10),
    "MRR@10": lambda ranked, grades: reciprocal_rank(ranked, grades, 10),
    "R@100": lambda ranked, grades: recall(ranked, grades, 100),
}


def evaluate(run: Run, qrels: Qrels) -> dict[str, float]:
    """Means over the questions that have at least one relevant document.

    Args:
        run: question id → (document id, score), best first. A judged question missing from it counts as 0.
        qrels: the judgements. Questions of the run without judgements are ignored.

    Returns:
        Measure name → mean in [0, 1], and ``questions`` → how many were averaged.
    """
    judged = sorted(qid for qid, grades in qrels.items() if any(grade > 0 for grade in grades.values()))
    result = dict.fromkeys(MEASURES, 0.0)
    for qid in judged:
        ranked = [doc for doc, _ in run.get(qid, ())]
        for name, measure in MEASURES.items():
            result[name] += measure(ranked, qrels[qid])
    means = {name: total / len(judged) if judged else 0.0 for name, total in result.items()}
    return {**means, "questions": float(len(judged))}


def trec_run(run: Run, tag: str = RUN_TAG) -> str:
    """The text of a TREC run, questions in the run's order, documents by descending score.

    Scores are printed with 6 decimals and made strictly decreasing where two would print alike, so that tools which
    sort by score keep this order.

    Args:
        run: question id → (document id, score), best first.
        tag: last column.

    Returns:
        Lines ``qid Q0 docid rank score tag``, each ended by a newline.

    Raises:
        UsageError: an id contains white space, which the format cannot hold.
    """
    lines = []
    for qid, ranked in run.items():
        above = None
        for place, (doc, score) in enumerate(ranked, start=1):
            if len(qid.split()) != 1 or len(doc.split()) != 1:
                bad = qid if len(qid.split()) != 1 else doc
                raise UsageError(f"a TREC run cannot hold the id {bad!r}", fix="use ids without white space")
            micro = round(score * 1_000_000)
            micro = micro if above is None else min(micro, above - 1)
            above = micro
            lines.append(f"{qid} Q0 {doc} {place} {micro / 1_000_000:.6f} {tag}\n")
    return "".join(lines)


def read_run(path: Path) -> dict[str, list[tuple[str, float]]]:
    """A TREC run, each question's documents by descending score, then rank.

    Raises:
        UsageError: the file cannot be read or a line has not six columns.
    """
    rows: dict[str, list[tuple[float, int, str]]] = {}
    for number, line in enumerate(_lines(path), start=1):
        parts = line.split()
        if len(parts) != 6:
            raise UsageError(f"{path}:{number}: a run line has 6 columns, this one {len(parts)}", fix=_RUN_SHAPE)
        try:
            rows.setdefault(parts[0], []).append((-float(parts[4]), int(parts[3]), parts[2]))
        except ValueError as error:
            raise UsageError(f"{path}:{number}: rank or score is not a number: {line!r}", fix=_RUN_SHAPE) from error
    return {qid: [(doc, -score) for score, _, doc in sorted(ranked)] for qid, ranked in rows.items()}


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Judgements: four columns (TREC) or three with a header (BEIR).

    Raises:
        UsageError: the file cannot be read, or a line fits neither form.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), start=1):
        parts = line.split("\t") if "\t" in line else line.split()
        parts = [part.strip() for part in parts]
        if number == 1 and not _is_int(parts[-1]):
            continue
        if len(parts) not in {3, 4} or not _is_int(parts[-1]):
            raise UsageError(
                f"{path}:{number}: not a judgement: {line!r}",
                fix="TREC: `qid 0 docid grade`; BEIR: tab-separated `query-id corpus-id score`",
            )
        qrels.setdefault(parts[0], {})[parts[-2]] = int(parts[-1])
    return qrels


def read_queries(path: Path) -> dict[str, str]:
    """Questions by id, in the file's order.

    JSONL rows hold ``_id`` (or ``id``) and ``text`` (or ``query``, ``question``). CSV and TSV have the same columns,
    with a header or as two bare columns.

    Raises:
        UsageError: the file cannot be read, a row lacks id or text, or an id occurs twice.
    """
    read = _json_queries if path.suffix.lower() in {".jsonl", ".ndjson", ".json"} else _table_queries
    queries: dict[str, str] = {}
    for number, (qid, text) in read(path):
        if qid in queries:
            raise UsageError(
                f"{path}:{number}: the question id {qid!r} occurs twice", fix="give each question its own id"
            )
        queries[qid] = text
    if not queries:
        raise UsageError(f"{path} holds no questions", fix=_QUERY_SHAPE)
    return queries


def _json_queries(path: Path) -> Iterable[tuple[int, tuple[str, str]]]:
    for number, line in enumerate(_lines(path), start=1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageError(f"{path}:{number}: not JSON: {error.msg}", fix=_QUERY_SHAPE) from error
        if not isinstance(row, dict):
            raise UsageError(f"{path}:{number}: expected an object with `_id` and `text`", fix=_QUERY_SHAPE)
        yield number, _query(path, number, {str(key): value for key, value in row.items()})


def _table_queries(path: Path) -> Iterable[tuple[int, tuple[str, str]]]:
    lines = _lines(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" or (lines and "\t" in lines[0]) else ","
    table = list(csv.reader(lines, delimiter=delimiter))
    header = [cell.strip().lower() for cell in table[0]] if table else []
    named = any(name in header for name in _ID_NAMES) and any(name in header for name in _TEXT_NAMES)
    names = header if named else ["_id", "text"]
    for number, cells in enumerate(table[1:] if named else table, start=2 if named else 1):
        yield number, _query(path, number, dict(zip(names, cells, strict=False)))


def _query(path: Path, number: int, row: Mapping[str, object]) -> tuple[str, str]:
    qid = next((str(row[name]).strip() for name in _ID_NAMES if row.get(name) is not None), "")
    text = next((str(row[name]).strip() for name in _TEXT_NAMES if row.get(name) is not None), "")
    if not qid or not text:
        raise UsageError(f"{path}:{number}: a question needs `_id` and `text`", fix=_QUERY_SHAPE)
    return qid, text


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"cannot read {path}: {why}", fix="name a readable file of UTF-8 text") from error
    # Not splitlines: JSON may hold U+2028 and its kin unescaped inside a string.
    return [line.rstrip("\r") for line in text.split("\n") if line.strip()]


def _is_int(text: str) -> bool:
    return text.lstrip("-").isdigit()
