"""Every command against a real collection in a data folder of its own."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tamis.cli import main

_NOTES = {
    "tea.md": "# Brewing tea\n\nGreen tea is brewed at 80 degrees for two minutes. Boiling water makes it bitter.\n",
    "coffee.md": "# Brewing coffee\n\nFilter coffee takes 60 grams of coarse grounds a litre of water.\n",
    "bread.md": "# Keeping bread\n\nBread goes stale faster in the refrigerator. Keep it in a bread box.\n",
    "rice.txt": "Storing cooked rice\n\nCool cooked rice within an hour and keep it in the refrigerator for a day.\n",
}
_ROWS = [
    {
        "_id": "n1",
        "title": "Kettles",
        "text": "An electric kettle boils a litre of water in three minutes.",
        "year": "2021",
    },
    {"_id": "n2", "title": "Teapots", "text": "A warmed teapot keeps green tea hot for longer.", "year": "2019"},
]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    for name, text in _NOTES.items():
        (folder / name).write_text(text)
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in _ROWS))
    return folder


@pytest.fixture(scope="module")
def home(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAMIS_HOME", str(folder))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        assert main(["ingest", str(notes), "--name", "kitchen", "--quiet"]) == 0
    return folder


@pytest.fixture(autouse=True)
def workplace(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)


def printed_json(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    assert main([*words, "--json"]) == code
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)
    return value


def test_ingest_again_changes_nothing(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed_json(["ingest", str(notes), "--name", "kitchen"], capsys)
    assert (found["new"], found["changed"], found["unchanged"], found["skipped"]) == (0, 0, 6, [])


def test_a_bad_file_is_reported_and_the_rest_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.md").write_text("# Good\n\nA page with something to say about kettles.\n")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 cut off")
    assert main(["ingest", str(tmp_path), "--name", "mixed"]) == 0
    out, err = capsys.readouterr()
    assert "1 new" in out
    assert "bad.pdf" in err
    assert main(["collections", "delete", "mixed"]) == 0


def test_a_skipped_file_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.md").write_text("# Good\n\nA page with something to say about kettles.\n")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 cut off")
    skipped = printed_json(["ingest", str(tmp_path), "--name", "mixed"], capsys)["skipped"]
    assert [each["path"] for each in skipped] == [str(tmp_path / "bad.pdf")]
    assert "bad.pdf" not in skipped[0]["reason"]
    assert main(["collections", "delete", "mixed"]) == 0


@pytest.mark.parametrize("command", ["page", "summarize"])
def test_a_file_that_is_not_there_is_wrong_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "nowhere.html"]) == 2
    assert "no such file: nowhere.html\n       check the path" in capsys.readouterr().err


def test_ingest_of_an_address_names_crawl(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ingest", "https://e.org/docs/", "--name", "fresh"]) == 2
    assert "`tamis crawl URL" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc")
def test_a_place_that_takes_no_folders_is_named(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAMIS_HOME", "/proc/tamis")
    assert main(["ingest", str(notes), "--name", "fresh"]) == 1
    assert "/proc/tamis" in capsys.readouterr().err


def test_a_page_that_shows_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "blank.html").write_text("<title>Blank</title><p hidden>secret words</p>")
    assert main(["page", str(tmp_path / "blank.html")]) == 0
    out, err = capsys.readouterr()
    assert not out.strip()
    assert "no text is shown" in err


def test_an_empty_path_is_not_the_folder_one_stands_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "diary.md").write_text("# Diary\n\nNobody asked for this to be read.\n")
    assert main(["ingest", "", "--name", "fresh"]) == 2
    assert "a path is empty" in capsys.readouterr().err
    assert main(["collections", "show", "fresh"]) == 2


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_data_folder_that_cannot_be_made_is_named(
    place: str, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TAMIS_HOME", str(tmp_path / place))
    assert main(["ingest", str(notes), "--name", "fresh"]) == 1
    err = capsys.readouterr().err
    assert f"tamis: {tmp_path / 'file'}" in err
    assert "check the permissions" in err


@pytest.mark.parametrize("target", ["nowhere", "empty"])
def test_nothing_to_read_is_wrong_usage(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["ingest", str(tmp_path / target), "--name", "fresh"]) == 2
    assert target in capsys.readouterr().err
    assert "fresh" not in [each["name"] for each in printed_json(["collections"], capsys)["collections"]]


def test_search_json_has_its_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed_json(["search", "green tea temperature", "--name", "kitchen", "-k", "3", "--explain"], capsys)
    results = found["results"]
    assert [result["rank"] for result in results] == list(range(1, len(results) + 1))
    assert 1 <= len(results) <= 3
    assert results[0]["title"] == "Brewing tea"
    for result in results:
        assert {"rank", "document_id", "title", "url", "score", "via", "snippet", "signals"} <= set(result)
        assert all({"rank", "contribution"} <= set(share) for share in result["signals"].values())


def test_search_prints_results_on_stdout_and_the_tree_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "stale bread", "--name", "kitchen", "--debug"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split(maxsplit=1) == ["1", "Keeping bread"]
    assert "├─ matches" in err


@pytest.mark.parametrize("recipe", ["bm25", "dense", "rrf", "convex", "auto"])
def test_every_recipe_finds_the_obvious(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed_json(["search", "cooked rice refrigerator", "--name", "kitchen", "--recipe", recipe], capsys)
    assert "rice" in found["results"][0]["document_id"]


def test_an_unknown_recipe_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "tea", "--name", "kitchen", "--recipe", "convx"]) == 2
    assert "convex" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["search", "tea", "--name", "kichen"],
        ["scroll", "tea?", "--name", "kichen"],
        ["collections", "show", "kichen"],
        ["collections", "delete", "kichen"],
        ["reembed", "--name", "kichen"],
    ],
    ids=lambda words: words[0],
)
def test_an_unknown_collection_gets_the_nearest_name(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "kichen" in err
    assert "kitchen" in err


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, Path]:
    queries, qrels = tmp_path / "queries.jsonl", tmp_path / "qrels.tsv"
    queries.write_text('{"_id": "q1", "text": "boil water"}\n{"_id": "q2", "text": "green tea"}\n')
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\tn1\t1\nq2\tn2\t1\n")
    return queries, qrels


def test_a_batch_of_questions_becomes_a_trec_run(
    judged: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.trec"
    words = ["search", "--queries", str(judged[0]), "--run", str(out), "--name", "kitchen", "-k", "5"]
    assert main(words) == 0
    rows = [line.split() for line in out.read_text().splitlines()]
    assert {row[0] for row in rows} == {"q1", "q2"}
    assert all(len(row) == 6 and row[1] == "Q0" and row[5] == "tamis" for row in rows)
    assert [int(row[3]) for row in rows if row[0] == "q1"] == list(range(1, len(rows) // 2 + 1))


def test_eval_has_one_row_a_recipe(judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "--name", "kitchen", "--queries", str(judged[0]), "--qrels", str(judged[1])]
    rows = printed_json([*words, "--recipe", "bm25", "--recipe", "auto"], capsys)["rows"]
    assert [row["recipe"] for row in rows] == ["bm25", "auto"]
    assert all(0 < row["nDCG@10"] <= 1 and 0 < row["MRR@10"] <= 1 and row["R@100"] == 1 for row in rows)


@pytest.mark.parametrize("rows", ["q1 n1\n", "q9 0 n1 1\n"])
def test_eval_without_a_judged_question_is_wrong_usage(
    rows: str, judged: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = tmp_path / "other.qrels"
    qrels.write_text(rows)
    assert main(["eval", "--name", "kitchen", "--queries", str(judged[0]), "--qrels", str(qrels)]) == 2
    assert "is judged in" in capsys.readouterr().err


def test_collections_are_listed_shown_and_deleted(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ingest", str(notes / "tea.md"), "--name", "brief", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert [each["name"] for each in printed_json(["collections"], capsys)["collections"]] == ["brief", "kitchen"]
    shown = printed_json(["collections", "show", "brief"], capsys)
    assert (shown["name"], shown["documents"], shown["chunks"]) == ("brief", 1, 1)
    assert shown["embedding"]["dimensions"] == 384
    assert printed_json(["collections", "delete", "brief"], capsys) == {"deleted": "brief"}
    assert [each["name"] for each in printed_json(["collections"], capsys)["collections"]] == ["kitchen"]


def test_a_damaged_collection_is_a_line_in_the_list(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "torn"
    monkeypatch.setenv("TAMIS_HOME", str(home))
    assert main(["ingest", str(notes / "tea.md"), "--name", "whole", "--quiet"]) == 0
    (home / "collections" / "torn").mkdir()
    (home / "collections" / "torn" / "collection.sqlite").write_bytes(b"torn" * 1000)
    assert main(["collections"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[0] == "whole"
    assert lines[2].startswith("cannot be read: torn: ")
    listed = printed_json(["collections"], capsys)
    assert [each["name"] for each in listed["collections"]] == ["whole"]
    assert [each["name"] for each in listed["damaged"]] == ["torn"]
    # What is asked elsewhere suggests the whole ones only.
    assert main(["scroll", "Who won the 1998 regatta of Lisbon?", "--name", "whole"]) == 3


def test_without_collections_it_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAMIS_HOME", str(tmp_path / "fresh"))
    assert main(["collections"]) == 0
    assert "tamis ingest" in capsys.readouterr().err
    assert main(["search", "tea", "--name", "kitchen"]) == 2
    assert "tamis ingest" in capsys.readouterr().err


def test_page_shows_markdown_and_as_json_its_metadata(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<html lang=en><head><title>Kettles</title></head><body><nav><a href='/x'>Menu</a></nav><main><h1>Kettles</h1>"
        "<p>An electric kettle boils a litre of water in three minutes, which is faster than most hobs.</p>"
        "<p>Descale it with vinegar once a month, then rinse it well before the next pot.</p></main></body></html>"
    )
    assert main(["page", str(page)]) == 0
    assert "boils a litre" in capsys.readouterr().out
    found = printed_json(["page", str(page)], capsys)
    assert found["title"] == "Kettles"
    assert "boils a litre" in found["markdown"]
    assert found["media_type"] == "text/html"


def test_page_of_a_dataset_lists_its_rows(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed_json(["page", str(notes / "rows.jsonl")], capsys)
    assert [row["document_id"] for row in found["documents"]] == ["n1", "n2"]
    assert found["documents"][0]["metadata"]["year"] == "2021"


def test_page_refuses_private_addresses_unless_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", "http://127.0.0.1:9/"]) == 2
    assert "127.0.0.1" in capsys.readouterr().err
    assert main(["page", "http://127.0.0.1:9/", "--allow-host", "127.0.0.1"]) == 1


def test_interpret_shows_intent_and_entities(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed_json(["interpret", "compare green tea and coffee in Japan"], capsys)
    assert found["intent"] == "comparison"
    assert found["entities"] == ["Japan"]
    assert found["subqueries"]
    assert main(["interpret", "compare green tea and coffee in Japan"]) == 0
    assert "comparison" in capsys.readouterr().out


def test_config_shows_value_source_and_purpose(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAMIS_CRAWL__DEPTH", "9")
    assert main(["config", "crawl.depth"]) == 0
    out = capsys.readouterr().out
    assert "crawl.depth = 9   (from TAMIS_CRAWL__DEPTH)" in out
    assert "most clicks" in out
    found = printed_json(["config"], capsys)
    assert {"name", "value", "source", "description"} == set(found["settings"][0])


def test_a_settings_mistake_stops_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAMIS_CRAWL__DEPHT", "9")
    assert main(["search", "tea", "--name", "kitchen"]) == 2
    assert "crawl.depth" in capsys.readouterr().err


def test_reembed_keeps_everything(capsys: pytest.CaptureFixture[str]) -> None:
    before = printed_json(["collections", "show", "kitchen"], capsys)
    found = printed_json(["reembed", "--name", "kitchen"], capsys)
    assert (found["documents"], found["chunks"]) == (before["documents"], before["chunks"])
    assert (
        printed_json(["search", "stale bread", "--name", "kitchen"], capsys)["results"][0]["title"] == "Keeping bread"
    )


_TEXT = (
    "The kettle was invented long ago. A kettle boils water for tea. Tea needs water that a kettle boils hot. "
    "My neighbour owns a dog. Water from the kettle makes the tea taste of tea.\n\n"
    "| kettle | litres |\n|---|---|\n| small | 1 |\n"
)


@pytest.mark.parametrize("method", ["lexrank", "lsa", "luhn", "nltk_freq", "textrank"])
def test_summarize_picks_sentences_of_the_text_in_its_order(
    method: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(_TEXT))
    printed = printed_json(["summarize", "-", "--method", method, "--sentences", "2"], capsys)
    assert (printed["method"], printed["of"]) == (method, 5)
    found = printed["sentences"]
    assert all(each["score"] > 0 for each in found)
    spans = [each["span"] for each in found]
    assert len(found) == 2
    assert spans == sorted(spans)
    assert [_TEXT[start:end] for start, end in spans] == [each["text"] for each in found]


@pytest.mark.parametrize("text", ["", "\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "# Heading"])
def test_summarize_of_no_sentence_says_so(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main(["summarize", "-"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("no sentence to pick")) == ("", 1)


def test_summarize_decodes_what_is_piped_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    piped = io.TextIOWrapper(io.BytesIO("Der Kessel ist heiß und schön. Müller trinkt Tee.".encode("cp1252")), "utf-8")
    monkeypatch.setattr("sys.stdin", piped)
    assert main(["summarize", "-"]) == 0
    assert "heiß und schön" in capsys.readouterr().out


def test_summarize_reads_files_and_names_its_methods(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summarize", str(notes / "tea.md"), "--sentences", "1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert main(["summarize", str(notes / "tea.md"), "--method", "lexrnk"]) == 2
    assert "lexrank" in capsys.readouterr().err


def test_what_cannot_be_asked_says_what_can(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "", "--name", "kitchen"]) == 2
    err = capsys.readouterr().err
    assert "the question is empty" in err
    assert "scroll" not in err
    assert main(["eval", "--name", "kitchen", "--queries", "nofile", "--qrels", "nofile"]) == 2
    err = capsys.readouterr().err.splitlines()
    assert err == ["tamis: cannot read nofile: No such file or directory", "       name a readable file of UTF-8 text"]
