import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library.clouds import clouds, texts
from tamis.library.induced import WHOLE, Induced, induce_shelves
from tamis.library.paths import Passage, common_beginning, common_title, folders, is_index, own_titles, spoken
from tamis.library.support import supported
from tamis.settings_library import LayerASettings

SETTINGS = LayerASettings()


def _passages(labels, *, url="https://site.test/{label}/page{row}.html", title="Page {row}", chunks=1):
    return [
        Passage(
            f"d{row // chunks:03}#c{row % chunks}",
            f"d{row // chunks:03}",
            text,
            url.format(label="abcd"[label], row=row // chunks),
            title.format(row=row // chunks, label=label),
        )
        for row, (label, text) in enumerate(zip(labels, texts(labels), strict=True))
    ]


def _sound(made, passages):
    """Every passage on one shelf, every number right, every parent there."""
    ids = [shelf.shelf_id for shelf in made.shelves]
    assert sorted(made.attachments) == sorted(passage.chunk_id for passage in passages)
    assert len(set(ids)) == len(ids)
    for place, shelf in enumerate(made.shelves):
        below = [place for (place,) in made.attachments.values() if f"{place}/".startswith(f"{shelf.shelf_id}/")]
        assert shelf.support == len(below) > 0
        assert shelf.direct == below.count(shelf.shelf_id)
        assert shelf.label
        assert not shelf.parent or ids.index(shelf.parent) < place
        assert shelf.shelf_id.rsplit("/", 1)[0] == (shelf.parent or shelf.facet)
        assert shelf.depth == shelf.shelf_id.count("/")


def _tops(made):
    return [shelf.label for shelf in made.shelves if shelf.depth == 1]


def test_folders_that_hold_together_are_the_shelves():
    vectors, labels = clouds([40, 30, 30])
    passages = _passages(labels)
    made = induce_shelves("all", passages, vectors, SETTINGS)
    _sound(made, passages)
    assert _tops(made) == ["a", "b", "c"]


def test_a_folder_is_called_by_its_index_or_by_what_its_titles_share():
    vectors, labels = clouds([40, 30, 30])
    passages = _passages(labels, title="Chapter of {label} No. {row}")
    passages[0] = Passage("d000#c0", "d000", passages[0].text, "https://site.test/a/index.html", "The Manual")
    assert _tops(induce_shelves("all", passages, vectors, SETTINGS)) == [
        "The Manual",
        "Chapter of 1 No.",
        "Chapter of 2 No.",
    ]


def test_folders_by_date_are_not():
    vectors, labels = clouds([40, 30, 30])
    chance = np.random.default_rng(0).permutation(labels)
    passages = [
        Passage(p.chunk_id, p.document_id, p.text, f"https://site.test/200{number}/{p.document_id}", "")
        for p, number in zip(_passages(labels), chance, strict=True)
    ]
    made = induce_shelves("all", passages, vectors, SETTINGS)
    _sound(made, passages)
    assert len(_tops(made)) == 3
    assert "calcium" in _tops(made)[0].lower() or "bone" in _tops(made)[0].lower()


def test_without_addresses_communities_are_the_shelves():
    vectors, labels = clouds([60, 40, 30])
    passages = _passages(labels, url="", title="")
    made = induce_shelves("all", passages, vectors, SETTINGS)
    _sound(made, passages)
    assert [shelf.support for shelf in made.shelves if shelf.depth == 1] == [60, 40, 30]


def test_documents_stay_whole():
    vectors, labels = clouds([120, 90], spread=0.5)
    passages = _passages(labels, url="", chunks=3)
    made = induce_shelves("all", passages, vectors, SETTINGS)
    _sound(made, passages)
    homes = {}
    for passage in passages:
        homes.setdefault(passage.document_id, set()).add(made.attachments[passage.chunk_id])
    assert all(len(places) == 1 for places in homes.values())


def test_chapters_of_one_book():
    vectors, labels = clouds([30, 30, 30])
    passages = [
        Passage(f"book#c{row:03}", "book", text, "file:///book.md", "Book", ("Book", f"Part {label + 1}"))
        for row, (label, text) in enumerate(zip(labels, texts(labels), strict=True))
    ]
    made = induce_shelves("all", passages, vectors, SETTINGS)
    _sound(made, passages)
    assert sorted(_tops(made)) == ["Part 1", "Part 2", "Part 3"]


@pytest.mark.parametrize("size", [1, 2, 19, 45])
def test_too_little_is_one_shelf(size):
    vectors, labels = clouds([size])
    passages = _passages(labels)
    made = induce_shelves("all", passages, vectors, SETTINGS)
    _sound(made, passages)
    assert _tops(made) == [WHOLE]


def test_nothing_identical_and_wordless_passages():
    assert induce_shelves("all", [], np.zeros((0, 4), dtype=np.float32), SETTINGS) == Induced((), {})
    for text in ("Same words.", "| 1 | 2 |"):
        passages = [Passage(f"d{row:03}#c0", f"d{row:03}", text) for row in range(90)]
        for vectors in (
            np.tile(np.float32([0.6, 0.8]), (90, 1)),
            np.zeros((90, 4), dtype=np.float32),
            clouds([45, 45])[0],
        ):
            _sound(induce_shelves("all", passages, vectors, SETTINGS), passages)


def test_the_tree_is_kept_while_it_fits():
    vectors, labels = clouds([60, 40, 31])
    passages = _passages(labels, url="", title="")
    first = induce_shelves("all", passages[:-1], vectors[:-1], SETTINGS)
    assert induce_shelves("all", passages[:-1], vectors[:-1], SETTINGS, first) == first
    second = induce_shelves("all", passages, vectors, SETTINGS, first)
    _sound(second, passages)
    assert [shelf.shelf_id for shelf in second.shelves] == [shelf.shelf_id for shelf in first.shelves]
    assert second.attachments[passages[-1].chunk_id] == first.attachments[passages[-2].chunk_id]


def test_a_tree_that_fits_no_more_is_made_anew():
    vectors, labels = clouds([60, 40, 40])
    passages = _passages(labels, url="", title="")
    first = induce_shelves("all", passages[:60], vectors[:60], SETTINGS)
    second = induce_shelves("all", passages, vectors, SETTINGS, first)
    _sound(second, passages)
    assert len(_tops(second)) == 3


@settings(max_examples=5, deadline=None)
@given(st.permutations(range(130)))
def test_order_does_not_matter(order):
    vectors, labels = clouds([60, 40, 30], spread=0.3)
    passages = _passages(labels, url="", title="")
    again = induce_shelves("all", [passages[row] for row in order], vectors[list(order)], SETTINGS)
    assert again == induce_shelves("all", passages, vectors, SETTINGS)


def test_parts_of_addresses():
    assert folders("https://site.test/a%20b/c/page.html") == ("site.test", "a b", "c")
    assert folders("file:///home/x/doc.md") == ("", "home", "x")
    assert folders("") == ("",)
    assert is_index("https://site.test/a/")
    assert is_index("https://site.test/a/index.html")
    assert not is_index("https://site.test/a/b.html")
    assert spoken("whats-new_2") == "whats new 2"
    assert spoken("--") == "--"


def test_titles_lose_what_every_page_appends():
    titles = ["Kefir | Site", "Rye | Site", "Oats | Site", "Tea - brewed"]
    assert own_titles(titles) == ["Kefir", "Rye", "Oats", "Tea - brewed"]
    assert own_titles(["Site | Site"] * 3) == ["Site | Site"] * 3
    assert common_title(["Index — Site", "Index — Site", "Other"]) == "Index"
    assert common_title(["One"]) == ""
    assert common_beginning(["Site Syntax: a", "Site Syntax: b", "Site Syntax: c"]) == "Site Syntax"
    assert common_beginning(["Kefir", "Rye"]) == ""
    assert common_beginning(["Kefir"]) == ""


def test_a_small_folder_of_files_falls_into_its_subjects():
    vectors, labels = clouds([14, 13, 12, 12])
    for url, title in (("https://site.test/{label}/page{row}.html", "Page {row}"), ("", "")):
        passages = _passages(labels, url=url, title=title)
        made = induce_shelves("all", passages, vectors, SETTINGS)
        _sound(made, passages)
        assert [shelf.support for shelf in made.shelves] == [14, 13, 12, 12]


def test_a_support_that_somebody_set_stays():
    vectors, labels = clouds([14, 13, 12, 12])
    passages = _passages(labels)
    made = induce_shelves("all", passages, vectors, LayerASettings(minimum_support=20))
    assert _tops(made) == [WHOLE]


@pytest.mark.parametrize(("passages", "least"), [(1, 3), (60, 3), (100, 5), (381, 20), (4_000, 20), (10**6, 20)])
def test_support_grows_with_the_collection_up_to_twenty(passages, least):
    assert supported(SETTINGS, passages).minimum_support == least
    assert supported(LayerASettings(minimum_support=7), passages).minimum_support == 7


def test_shelves_keep_their_ids_while_most_of_their_passages_stay():
    vectors, labels = clouds([60, 40, 40])
    passages = _passages(labels, url="", title="")
    first = induce_shelves("all", passages, vectors, SETTINGS)
    # One subject vanishes and others come: the tree is made anew, and names are found among other siblings.
    some, more = clouds([60, 40, 0, 70], seed=3)
    others = [
        Passage(
            f"{'n' if label == 3 else ''}{passage.chunk_id}", f"{'n' if label == 3 else ''}{passage.document_id}", text
        )
        for label, passage, text in zip(more, _passages(more, url="", title=""), texts(more), strict=True)
    ]
    second = induce_shelves("all", others, some, SETTINGS, first)
    _sound(second, others)
    for chunk_id in ("d000#c0", "d070#c0"):
        assert second.attachments[chunk_id] == first.attachments[chunk_id]
    assert second.attachments["nd120#c0"] not in first.attachments.values()
    assert len({shelf.label for shelf in second.shelves}) == len(second.shelves) == 3


def test_everything_continues_as_nothing_else():
    vectors, labels = clouds([60, 40, 40])
    passages = _passages(labels, url="", title="")
    first = induce_shelves("all", passages[:60], vectors[:60], LayerASettings(minimum_support=30))
    assert _tops(first) == [WHOLE]
    second = induce_shelves("all", passages, vectors, SETTINGS, first)
    assert WHOLE not in _tops(second)
    assert len(_tops(second)) == 3
