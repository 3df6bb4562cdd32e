"""The commands of the library, on the shipped example."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kitchens import KITCHEN
from tamis.cli import main


@pytest.fixture(autouse=True)
def workplace(kitchen_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_HOME", str(kitchen_home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for section in ("layer_a", "layer_b"):
        for name, value in KITCHEN[section].items():
            monkeypatch.setenv(f"TAMIS_{section.upper()}__{name.upper()}", str(value))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def own(kitchen_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data folder, to be changed."""
    home = tmp_path / "home"
    shutil.copytree(kitchen_home, home, ignore=shutil.ignore_patterns("*-shm"))
    monkeypatch.setenv("TAMIS_HOME", str(home))
    return home


def printed(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    assert main([*words, "--json"]) == code
    value = json.loads(capsys.readouterr().out)
    assert isinstance(value, dict)
    return value


def refused(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err


def test_build_again_writes_nothing_and_says_what_there_is(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(["build", "--name", "kitchen", "--no-llm"], capsys)
    facets = {facet["facet"]: facet for facet in found["facets"]}
    assert sorted(facets) == ["allergies", "foods", "subjects"]
    assert all(facet["made"] == 0 and facet["cards"] > 0 for facet in facets.values())
    assert found["ledger"]["calls_total"] == 0
    assert main(["build", "--name", "kitchen", "--no-llm", "--facet", "foods"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("foods: ")
    assert "0 model calls" in out


def test_build_of_one_step(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "collections" / "kitchen" / "library.sqlite").unlink()
    found = printed(["build", "--name", "kitchen", "--only", "build_layer_a"], capsys)["facets"]
    assert [(facet["facet"], facet["themes"], facet["cards"]) for facet in found] == [("subjects", 0, 0)]
    assert found[0]["shelves"] > 0


def test_what_cannot_be_built_is_said(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "tamis ingest" in refused(["build", "--name", "nowhere"], capsys)
    assert "subjects" in refused(["build", "--name", "kitchen", "--facet", "drinks"], capsys)
    assert "build_layer_a" in refused(["build", "--name", "kitchen", "--only", "paint"], capsys)
    assert "--facet" in refused(["build", "--name", "kitchen", "--ontology", "other/foods.yaml"], capsys)
    words = ["build", "--name", "kitchen", "--facet", "foods", "--ontology", "nowhere.yaml"]
    assert "nowhere.yaml" in refused(words, capsys)
    Path("torn.yaml").write_text("terms: [a, {", "utf-8")
    assert "torn.yaml" in refused([*words[:-1], "torn.yaml"], capsys)


def test_shelves_are_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(["shelves", "--name", "kitchen", "--facet", "foods"], capsys)["shelves"]
    assert {shelf["facet"] for shelf in found} == {"foods"}
    assert main(["shelves", "--name", "kitchen", "--facet", "foods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(found)
    below = next(shelf for shelf in found if shelf["parent"])
    line = next(line for line in lines if line.endswith(f" {below['shelf_id']}"))
    assert line.startswith("  " * (below["depth"] - 1) + below["label"])


def test_themes_of_all_of_a_facet_and_of_a_shelf(capsys: pytest.CaptureFixture[str]) -> None:
    every = printed(["themes", "--name", "kitchen"], capsys)["themes"]
    foods = printed(["themes", "--name", "kitchen", "--facet", "foods"], capsys)["themes"]
    assert 0 < len(foods) < len(every)
    shelf = foods[0]["shelf_id"]
    here = printed(["themes", shelf, "--name", "kitchen"], capsys)["themes"]
    assert {theme["shelf_id"] for theme in here} == {shelf}
    assert main(["themes", shelf, "--name", "kitchen"]) == 0
    assert here[0]["theme_id"] in capsys.readouterr().out
    assert shelf in refused(["themes", shelf[:-1], "--name", "kitchen"], capsys)


def test_a_card_shows_its_grade_its_passages_and_where_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    about = printed(["themes", "--name", "kitchen", "--facet", "foods"], capsys)["themes"][0]["theme_id"]
    card = printed(["card", about, "--name", "kitchen"], capsys)
    assert card["about"] == about
    assert card["summary"] == " ".join(sentence["text"] for sentence in card["sentences"])
    assert all(sentence["chunk_ids"] for sentence in card["sentences"])
    assert main(["card", about, "--name", "kitchen"]) == 0
    out = capsys.readouterr().out
    assert f"evidence: {card['evidence_quality']}" in out
    assert "[c1]" in out
    assert all(chunk_id in out for sentence in card["sentences"] for chunk_id in sentence["chunk_ids"])


def test_a_card_of_a_shelf_and_by_label(capsys: pytest.CaptureFixture[str]) -> None:
    shelf = printed(["shelves", "--name", "kitchen", "--facet", "subjects"], capsys)["shelves"][0]
    card = printed(["card", shelf["shelf_id"], "--name", "kitchen"], capsys)
    assert card["kind"] == "shelf"


def test_an_unknown_card_brings_the_nearest_names(capsys: pytest.CaptureFixture[str]) -> None:
    about = printed(["themes", "--name", "kitchen"], capsys)["themes"][0]["theme_id"]
    err = refused(["card", about[:-2], "--name", "kitchen"], capsys)
    assert "did you mean" in err
    assert about in err


def test_cards_by_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cards", "how long do eggs keep", "--name", "kitchen"]
    found = printed([*words, "-k", "3"], capsys)["cards"]
    assert len(found) == 3
    assert [card["score"] for card in found] == sorted((card["score"] for card in found), reverse=True)
    assert main(words) == 0
    assert found[0]["about"] in capsys.readouterr().out
    assert all(not card["safety_flagged"] for card in printed([*words, "-k", "50", "--safe"], capsys)["cards"])
    flagged = printed([*words, "--facet", "allergies"], capsys)["cards"]
    assert flagged
    assert all(card["safety_flagged"] for card in flagged)
    assert main([*words, "--facet", "allergies", "--safe"]) == 0
    assert "no card matches" in capsys.readouterr().err
    assert "high" in refused([*words, "--quality", "excellent"], capsys)


def test_audit_is_clean_and_fails_loudly_where_it_is_not(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import sqlite3
    from contextlib import closing

    assert printed(["audit", "--name", "kitchen"], capsys)["breaches"] == []
    assert main(["audit", "--name", "kitchen"]) == 0
    assert capsys.readouterr().out.endswith("clean\n")
    with closing(sqlite3.connect(own / "collections" / "kitchen" / "library.sqlite")) as opened, opened:
        about = opened.execute("SELECT about FROM cards ORDER BY about").fetchone()[0]
        opened.execute("DELETE FROM card_index WHERE about = ?", [about])
    found = printed(["audit", "--name", "kitchen"], capsys, 6)["breaches"]
    assert [(breach["rule"], breach["where"]) for breach in found] == [("card-index", about)]
    assert main(["audit", "--name", "kitchen"]) == 6
    out, err = capsys.readouterr()
    assert about in out
    assert "tamis build" in err
    assert main(["build", "--name", "kitchen", "--no-llm", "--quiet"]) == 0
    capsys.readouterr()
    assert printed(["audit", "--name", "kitchen"], capsys)["breaches"] == []


def test_exports_are_written_where_they_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "--name", "kitchen", "--graphml", "k.graphml", "--html", "k.html"]
    found = printed(words, capsys)["written"]
    assert [(entry["path"], entry["bytes"]) for entry in found] == [
        (name, Path(name).stat().st_size) for name in ("k.graphml", "k.html")
    ]
    assert main(words) == 0
    assert "wrote k.graphml" in capsys.readouterr().out
    assert "--graphml" in refused(["export", "--name", "kitchen"], capsys)
    assert "nowhere" in refused(["export", "--name", "kitchen", "--html", "nowhere/k.html"], capsys)
    assert "directory" in refused(["export", "--name", "kitchen", "--graphml", "."], capsys)
    assert sorted(path.name for path in Path().iterdir()) == ["k.graphml", "k.html"]


def test_without_a_library_every_command_says_how_to_make_one(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "collections" / "kitchen" / "library.sqlite").unlink()
    for words in (["shelves"], ["themes"], ["cards", "eggs"], ["audit"], ["export", "--graphml", "out.graphml"]):
        for more in ([], ["--json"]):
            err = refused([*words, "--name", "kitchen", *more], capsys)
            assert "kitchen has no library yet" in err
            assert "`tamis build --name kitchen`" in err
    assert "tamis build" in refused(["card", "foods/eggs", "--name", "kitchen"], capsys)
    assert not Path("out.graphml").exists()
    for words in (["shelves"], ["themes"], ["cards", "eggs"], ["audit"], ["card", "eggs"]):
        assert "nowhere" in refused([*words, "--name", "nowhere"], capsys)
    # Reading makes no file.
    assert not (own / "collections" / "kitchen" / "library.sqlite").exists()


def test_a_damaged_library_is_said_and_the_collection_still_answers(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "collections" / "kitchen" / "library.sqlite").write_bytes(b"no database" * 500)
    for words in (["shelves"], ["build"], ["audit"]):
        err = refused([*words, "--name", "kitchen"], capsys, 1)
        assert "library.sqlite" in err
        assert "tamis build --name kitchen" in err
    assert main(["search", "eggs", "--name", "kitchen"]) == 0


def test_a_card_that_is_near_by_chance_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cards", "who won the chess olympiad?", "--name", "kitchen"]
    found = printed(words, capsys)["cards"]
    assert found and all(card["weak"] for card in found)
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.startswith("no card is about this")
    assert err == ""
    assert out.count("(weak match)") == len(found)


def test_a_card_that_holds_a_word_of_the_query_is_no_weak_match(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(["cards", "thawing", "--name", "kitchen", "-k", "1"], capsys)["cards"]
    assert not found[0]["weak"]


@pytest.mark.parametrize("words", [["shelves"], ["themes"], ["cards", "eggs"]])
def test_an_unknown_facet_brings_those_there_are(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    err = refused([*words, "--name", "kitchen", "--facet", "drinks"], capsys)
    assert "allergies, foods, subjects" in err


def forgotten(home: Path, about: str) -> str:
    """Remove from the collection the document that a card quotes first."""
    from tamis.app import Tamis

    app = Tamis(home=home)
    with app.store.library("kitchen") as library:
        card = library.graph.card(about)
        assert card is not None
        document_id = card.sentences[0].quotes[0].document_id
    with app.store.writer("kitchen") as writer:
        writer.forget(document_id)
        writer.publish()
    return document_id


def test_a_card_whose_source_is_gone_is_shown_with_a_note(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    about = printed(["themes", "--name", "kitchen", "--facet", "foods"], capsys)["themes"][0]["theme_id"]
    document_id = forgotten(own, about)
    assert printed(["card", about, "--name", "kitchen"], capsys)["outdated"] == [document_id]
    assert main(["card", about, "--name", "kitchen"]) == 0
    out = capsys.readouterr().out
    assert f"A source is gone since, or reads otherwise: {document_id}" in out
    assert "`tamis build --name kitchen`" in out
    assert "(gone since)" in out
    assert main(["export", "--name", "kitchen", "--html", "k.html", "--graphml", "k.graphml"]) == 0
    assert capsys.readouterr().err.count("gone from the collection since") == 2


def test_a_card_that_is_not_built_yet_says_so_and_audit_counts_it(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "collections" / "kitchen" / "library.sqlite").unlink()
    assert main(["build", "--name", "kitchen", "--only", "build_layer_a", "--only", "attach", "--quiet"]) == 0
    shelf = printed(["shelves", "--name", "kitchen"], capsys)["shelves"][0]["shelf_id"]
    assert f"the card of {shelf!r} is not built yet" in refused(["card", shelf, "--name", "kitchen"], capsys)
    found = printed(["audit", "--name", "kitchen"], capsys, 6)
    assert found["unfinished"] == found["shelves"] + found["themes"]
    assert main(["audit", "--name", "kitchen"]) == 6
    assert "unfinished: " in capsys.readouterr().err
    assert main(["cards", "eggs", "--name", "kitchen"]) == 0
    assert "the library is unfinished" in capsys.readouterr().err


def test_a_name_that_is_nearly_right_brings_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    shelf = next(
        shelf for shelf in printed(["shelves", "--name", "kitchen"], capsys)["shelves"] if len(shelf["label"]) > 4
    )
    err = refused(["card", f"{shelf['label']}x", "--name", "kitchen"], capsys)
    assert "there is no shelf or theme" in err
    assert shelf["shelf_id"] in err.partition("did you mean")[2]
    theme = printed(["themes", "--name", "kitchen"], capsys)["themes"][0]
    assert theme["theme_id"] in refused(["card", theme["label"][:-1], "--name", "kitchen"], capsys)
    err = refused(["card", "qqqq", "--name", "kitchen"], capsys)
    assert "`tamis shelves --name kitchen` and `tamis themes --name kitchen` list" in err


def test_themes_of_a_shelf_that_has_none_are_those_below(
    own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAMIS_LAYER_A__MINIMUM_SUPPORT", "3")
    tree = "- xylem:\n  - egg | eggs\n  - garlic\n- phloem:\n  - rice\n  - salt\n"
    Path("plants.yaml").write_text(tree, "utf-8")
    assert main(["build", "--name", "kitchen", "--no-llm", "--quiet", "--ontology", "plants.yaml"]) == 0
    below = printed(["themes", "plants/xylem", "--name", "kitchen"], capsys)["themes"]
    assert {theme["shelf_id"] for theme in below} == {"plants/xylem/egg", "plants/xylem/garlic"}
    assert main(["themes", "xylem", "--name", "kitchen"]) == 0
    out = capsys.readouterr().out
    assert "egg  plants/xylem/egg:\n" in out
    assert all(theme["theme_id"] in out for theme in below)


def test_shelves_of_several_facets_stand_under_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shelves", "--name", "kitchen"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.endswith(":")] == ["allergies:", "foods:", "subjects:"]
    assert lines[0] == "allergies:"
    assert not any("(1 passages" in line or "1 themes" in line for line in lines)


def test_a_query_without_words_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "the query is empty" in refused(["cards", " ", "--name", "kitchen"], capsys)


def test_a_build_without_a_shelf_says_why_and_ends_with_3(
    own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("few.yaml").write_text("name: Few\nterms:\n  - egg | eggs\n  - garlic\n", "utf-8")
    monkeypatch.setenv("TAMIS_LAYER_A__MINIMUM_SUPPORT", "90")
    assert main(["build", "--name", "kitchen", "--no-llm", "--ontology", "few.yaml"]) == 3
    out, err = capsys.readouterr()
    assert "no term of Few reaches 90 passages (layer_a.minimum_support); the nearest: egg " in err
    assert out.startswith("few: 0 shelves")
    assert main(["shelves", "--name", "kitchen"]) == 0
    assert "few has no shelf: no term of Few" in capsys.readouterr().err
    assert printed(["build", "--name", "kitchen", "--drop", "few"], capsys)["shelves"] == 0
    assert "--drop builds nothing" in refused(["build", "--name", "kitchen", "--drop", "few", "--facet", "x"], capsys)


def test_a_facet_is_dropped(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--name", "kitchen", "--drop", "allergies"]) == 0
    assert capsys.readouterr().out.startswith("dropped allergies: ")
    assert "foods, subjects" in refused(["shelves", "--name", "kitchen", "--facet", "allergies"], capsys)
    assert printed(["audit", "--name", "kitchen"], capsys)["breaches"] == []
    assert "no facet 'allergies'" in refused(["build", "--name", "kitchen", "--drop", "allergies"], capsys)


def test_a_folder_has_no_sentences_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts").mkdir()
    for command in ("summarize", "page"):
        assert "texts is a folder" in refused([command, "texts"], capsys)
