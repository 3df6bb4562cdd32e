"""Gates of reading: how well the main content of real pages is found, and that no real file breaks a reader."""

from __future__ import annotations

import ast
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from statistics import mean

import pytest

from tamis.acquire.files import find
from tamis.acquire.readers import read
from tamis.acquire.readers.apart import Reading
from tamis.acquire.readers.base import Body
from tamis.errors import UnreadableError
from tamis.settings import ReadSettings
from tamis.text.encoding import clean, decode

pytestmark = pytest.mark.gate

SHINGLE = 4
WORD = re.compile(r"\w+")
FENCE_LINE = re.compile(r"^\s*`{3,}\w*$", re.MULTILINE)
TABLE_RULE = re.compile(r"^\s*\|(?: --- \|)+$", re.MULTILINE)
LINE_MARK = re.compile(r"^\s*(?:#{1,6}|>|-) ", re.MULTILINE)
TABLE_LINE = re.compile(r"^\s*\|.*\|$", re.MULTILINE)
CELL_BORDER = re.compile(r"(?<!\\)\|")
SETTINGS = ReadSettings()


def page_text(html: bytes, url: str) -> str:
    """What tamis reads of a page as plain text: the benchmarks compare words, so Markdown's own marks are taken off."""
    try:
        page = read(html, url=url, media_type="text/html", settings=SETTINGS)
    except UnreadableError:
        return ""
    text = "\n".join(document.text for document in page.documents)
    text = LINE_MARK.sub("", TABLE_RULE.sub("", FENCE_LINE.sub("", text)))
    text = TABLE_LINE.sub(lambda line: CELL_BORDER.sub(" ", line.group()).replace("\\|", "|"), text)
    return text.replace("`", "")


def shingles(text: str) -> Counter[tuple[str, ...]]:
    words = WORD.findall(text)
    if not words:
        return Counter()
    return Counter(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)))


def shingle_scores(truth: str, found: str) -> tuple[float | None, float | None]:
    """Precision and recall of four-word shingles, with multiplicity; None where there is nothing to divide by."""
    true, pred = shingles(truth), shingles(found)
    common = sum((true & pred).values())
    precision = common / sum(pred.values()) if pred else None
    recall = common / sum(true.values()) if true else None
    return precision, recall


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def article_pages(data: Path) -> Iterator[tuple[bytes, str, str]]:
    folder = data / "article_extraction"
    truth = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    for name in sorted(truth):
        html = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
        yield html, truth[name].get("url") or f"https://example.org/{name}", truth[name]["articleBody"]


def article_scores(pages: Iterable[tuple[bytes, str, str]]) -> tuple[float, float, float]:
    """The benchmark's measure: F1 of the mean precision and the mean recall over pages."""
    precisions, recalls = [], []
    for html, url, truth in pages:
        precision, recall = shingle_scores(truth, page_text(html, url))
        if precision is not None:
            precisions.append(precision)
        if recall is not None:
            recalls.append(recall)
    return mean(precisions), mean(recalls), f1(mean(precisions), mean(recalls))


def test_article_extraction(data: Path, report: Callable[..., None]) -> None:
    precision, recall, score = article_scores(article_pages(data))
    report("content extraction F1, article_extraction", score, 0.950, f"precision {precision:.3f} recall {recall:.3f}")


def snippet_scores(data: Path) -> tuple[float, float, float]:
    """The set's measure over snippets: there as they must be (true positives), there though they must not (false)."""
    folder = data / "trafilatura_eval"
    cases = json.loads((folder / "evaldata.json").read_text(encoding="utf-8"))
    right = wrong = missed = 0
    for url, case in sorted(cases.items()):
        text = page_text((folder / "html" / case["file"]).read_bytes(), url)
        there = sum(snippet in text for snippet in case["with"])
        right += there
        missed += len(case["with"]) - there
        wrong += sum(snippet in text for snippet in case["without"])
    precision, recall = right / (right + wrong), right / (right + missed)
    return precision, recall, f1(precision, recall)


def test_trafilatura_eval(data: Path, report: Callable[..., None]) -> None:
    precision, recall, score = snippet_scores(data)
    report("content extraction F1, trafilatura_eval", score, 0.930, f"precision {precision:.3f} recall {recall:.3f}")


def test_readability_pages(data: Path, report: Callable[..., None]) -> None:
    from lxml import html as lxml_html

    precisions, recalls = [], []
    for folder in sorted((data / "readability_testpages").iterdir()):
        expected = lxml_html.document_fromstring((folder / "expected.html").read_bytes()).text_content()
        found = page_text((folder / "source.html").read_bytes(), "http://fakehost/test/page.html")
        precision, recall = shingle_scores(expected, found)
        precisions.append(precision or 0.0)
        recalls.append(recall or 0.0)
    score = f1(mean(precisions), mean(recalls))
    report(
        "readability pages, shingle F1 (reported)",
        score,
        0.0,
        f"precision {mean(precisions):.3f} recall {mean(recalls):.3f}",
    )


@dataclass(frozen=True)
class Outcome:
    """How reading one real file went."""

    name: str
    kind: str
    reason: str
    seconds: float
    peak_bytes: int


def real_files(data: Path) -> Iterator[tuple[str, Body]]:
    """Every document, feed and test page of the data, as they would be read from disk or the web."""
    for found in find([data / "documents"]):
        body = Body(found.path.read_bytes(), found.path.as_uri(), document_id=found.document_id, settings=SETTINGS)
        yield found.path.suffix, body
    for path in sorted((data / "feeds").rglob("*.xml")):
        yield "feed", Body(path.read_bytes(), path.as_uri(), "text/xml", settings=SETTINGS)
    for path in sorted((data / "readability_testpages").glob("*/source.html")):
        yield "page", Body(path.read_bytes(), path.as_uri(), "text/html", settings=SETTINGS)


def peak(reading: Reading) -> int:
    """Most memory the child has had at once, bytes; 0 where the system does not tell or the child is gone."""
    for worker in reading._idle:
        status = Path(f"/proc/{worker._process.pid}/status")
        if status.is_file():
            return 1024 * int(re.findall(r"VmHWM:\s+(\d+)", status.read_text("ascii"))[0])
    return 0


def read_all(files: Iterable[tuple[str, Body]]) -> list[Outcome]:
    """Read files one after another with a child of one's own."""
    reading = Reading()
    outcomes: list[Outcome] = []
    try:
        for kind, body in files:
            began = time.monotonic()
            try:
                reason = "" if reading.read(body).documents else "holds no main text"
            except UnreadableError as error:
                reason = error.message
                assert reason.startswith(f"{body.url}: "), reason
            outcomes.append(Outcome(body.url, kind, reason, time.monotonic() - began, peak(reading)))
    finally:
        reading.close()
    return outcomes


def test_real_documents(data: Path, report: Callable[..., None]) -> None:
    """Every real file, malformed ones included, gives a page or says why not: soon, in little memory."""
    files = list(real_files(data))
    with ThreadPoolExecutor(2) as pool:
        outcomes = [outcome for part in pool.map(read_all, (files[::2], files[1::2])) for outcome in part]
    counts = Counter((outcome.kind, not outcome.reason) for outcome in outcomes)
    for kind, floor in ((".pdf", 0.70), (".docx", 0.75), (".epub", 0.90), ("feed", 0.95), ("page", 0.95)):
        good, bad = counts[kind, True], counts[kind, False]
        report(f"readable {kind} files", good / (good + bad), floor, f"{good} of {good + bad}")
    failed = [one for one in outcomes if re.search("took longer|crashed|broke its reader|memory", one.reason)]
    slowest = max(outcomes, key=lambda one: one.seconds)
    most = max(one.peak_bytes for one in outcomes)
    report(
        "real files without hang, crash or more than 1 GB",
        1 - len(failed) / len(outcomes),
        1.0,
        f"{len(outcomes)} files, slowest {slowest.seconds:.1f} s, most {most / 1e6:.0f} MB",
    )
    assert most < 1e9


FEED_TEXT = re.compile(r"==\s*u?('(?:[^'\\]|\\.)*')")


def test_encodings_of_feeds(data: Path, report: Callable[..., None]) -> None:
    """The text each feed of the encoding cases expects is in what is decoded of it; two hold text encoded twice."""
    right = wrong = 0
    for path in sorted((data / "feeds").rglob("encoding/*.xml")):
        raw = path.read_bytes()
        charset = re.search(rb"Content-type:[^\n]*charset=[\"']?([\w.-]+)", raw, re.IGNORECASE)
        text = unescape(clean(decode(raw, charset.group(1).decode() if charset else "")))
        head, _, body = text.partition("-->")
        expected = [
            ast.literal_eval(found) for line in re.findall("Expect:.*", head) for found in FEED_TEXT.findall(line)
        ]
        for words in expected:
            if not words.isascii():
                right += words in body
                wrong += words not in body
    report("feeds decoded as they expect", right / (right + wrong), 0.75, f"{right} of {right + wrong}")
