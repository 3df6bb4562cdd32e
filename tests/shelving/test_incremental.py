"""What a second build does: what changed, and nothing else."""

from __future__ import annotations

import pytest
from village import NAME, Village, app_at, built, cards_by_id, ingested, library_rows, page

from tamis.store.sqlite.library import SqliteLibrary


def themes_of(rows, documents):
    """Themes that have a passage of some documents, and the shelves above them."""
    themes = {row[0] for row in rows["members"] if row[2].rpartition("#c")[0] in documents}
    shelves = {row[2] for row in rows["themes"] if row[0] in themes}
    parents = {row[0]: row[3] for row in rows["shelves"]}
    while True:
        above = {parents[shelf] for shelf in shelves if parents[shelf]} - shelves
        if not above:
            return themes | shelves
        shelves |= above


def document_of(village: Village, file: str) -> str:
    with app_at(village.home).shelf.reader(NAME) as reader:
        return next(each.document_id for each in reader.iter_documents() if each.document_id.endswith(file))


def test_nothing_changed_writes_nothing(village: Village, monkeypatch: pytest.MonkeyPatch) -> None:
    before = library_rows(village.home)
    written = []
    monkeypatch.setattr(SqliteLibrary, "put_card", lambda self, card, vector: written.append(card))
    summary = village.library().build(use_llm=False)
    assert written == []
    assert [facet.made for facet in summary.facets] == [0]
    assert library_rows(village.home) == before


def test_one_changed_document_rewrites_its_cards_and_those_above(village: Village) -> None:
    rows, before = library_rows(village.home), cards_by_id(village.home)
    (village.pages / "bees-2.md").write_text(page("bees", 2, version=2), "utf-8")
    owner = document_of(village, "bees-2.md")
    ingested(village.home, village.pages)
    library = village.library()
    library.build(use_llm=False)
    after = cards_by_id(village.home)
    touched = themes_of(rows, {owner}) | themes_of(library_rows(village.home), {owner})
    assert {about for about in before.keys() | after.keys() if before.get(about) != after.get(about)} == touched
    assert 0 < len(touched) < len(before) / 2
    assert library.audit().breaches == ()


def test_a_document_moved_by_a_line_above_it_is_still_quoted_where_it_stands(village: Village) -> None:
    file = village.pages / "bread-1.md"
    title, _, rest = file.read_text("utf-8").partition("\n\n")
    file.write_text(f"{title}\n\nAdded above all else by the baker himself.\n\n{rest}", "utf-8")
    ingested(village.home, village.pages)
    library = village.library()
    library.build(use_llm=False)
    assert library.audit().breaches == ()


def test_a_forgotten_document_is_quoted_nowhere(village: Village) -> None:
    app = app_at(village.home)
    owners = {document_of(village, f"boats-{number}.md") for number in range(6)}
    rows = library_rows(village.home)
    alone = {
        theme
        for theme in {row[0] for row in rows["themes"]}
        if {row[2].rpartition("#c")[0] for row in rows["members"] if row[0] == theme} <= owners
    }
    assert alone
    with app.store.writer(NAME) as writer:
        for owner in sorted(owners):
            writer.forget(owner)
        writer.publish()
    assert village.library().audit().breaches
    library = village.library()
    library.build(use_llm=False)
    rows = library_rows(village.home)
    assert library.audit().breaches == ()
    assert not alone & ({row[0] for row in rows["cards"]} | {row[0] for row in rows["card_index"]})
    assert not any(
        owner in repr(row) for owner in owners for table in ("cards", "members", "attached") for row in rows[table]
    )


def test_one_forgotten_document_shrinks_its_themes(village: Village) -> None:
    owner = document_of(village, "cloth-0.md")
    with village.library() as library:
        before = {theme.theme_id: theme for theme in library.graph.graph.themes()}
    app = app_at(village.home)
    with app.store.writer(NAME) as writer:
        writer.forget(owner)
        writer.publish()
    library = village.library()
    library.build(use_llm=False)
    after = {theme.theme_id: theme for theme in library.graph.graph.themes()}
    shrunk = {name for name in before if name in after and len(after[name].members) < len(before[name].members)}
    assert after.keys() <= before.keys()
    assert shrunk | (before.keys() - after.keys())
    assert library.audit().breaches == ()


def test_a_second_facet_leaves_the_first_alone(village: Village) -> None:
    before = cards_by_id(village.home)
    rows = library_rows(village.home)
    library = village.library()
    summary = library.build("trades", ontology=village.ontology, use_llm=False)
    assert [facet.facet for facet in summary.facets] == ["trades"]
    assert summary.facets[0].links > 0
    assert library.audit().breaches == ()
    after = cards_by_id(village.home)
    assert {about: row for about, row in after.items() if about in before} == before
    later = library_rows(village.home)
    for table in ("shelves", "attached", "themes", "members", "settled", "linked"):
        assert set(map(repr, rows[table])) <= set(map(repr, later[table]))
    # It is remembered without being named in the settings, and gone when it was named there and is no more.
    assert {facet.facet for facet in village.library().build(use_llm=False).facets} == {"subjects", "trades"}


def test_a_facet_that_settings_no_longer_name_goes_with_its_cards(village: Village) -> None:
    before = library_rows(village.home)
    facets = {"subjects": {}, "trades": {"ontology": str(village.ontology)}}
    village.library(facets=facets).build(use_llm=False)
    assert library_rows(village.home) != before
    library = village.library()
    library.build(use_llm=False)
    assert library_rows(village.home) == before


def test_changed_settings_make_every_card_anew_and_the_same_ones_none(village: Village) -> None:
    settings = {"layer_c": {"sentences": 2}}
    total = len(cards_by_id(village.home))
    (entry,) = village.library(**settings).build(use_llm=False).facets
    assert (entry.made, entry.cards) == (total, total)
    assert village.library(**settings).build(use_llm=False).facets[0].made == 0


def test_steps_one_by_one_give_what_all_of_them_give(village: Village, first: Village) -> None:
    (village.home / "collections" / NAME / "library.sqlite").unlink()
    library = village.library()
    library.embed()
    library.build_entities()
    library.build_layer_a()
    library.attach()
    library.build_layer_b(facet="subjects")
    library.build_layer_c(facet="subjects", use_llm=False)
    assert library_rows(village.home) == library_rows(first.home)


def test_a_library_of_the_same_pages_is_the_same(first: Village, tmp_path) -> None:
    built(tmp_path / "again", first.pages).close()
    assert library_rows(tmp_path / "again") == library_rows(first.home)
