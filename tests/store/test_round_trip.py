from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from toy_store import make

from tamis.errors import StoreError, UsageError
from tamis.schema.document import Anchor
from tamis.schema.entity import EntityCount
from tamis.store.nouns import Calibration, PageRecord
from tamis.store.protocols import CollectionReader
from tamis.store.sqlite import SqliteStore
from tamis.text.fingerprints import document_digest
from tamis.text.tokens import terms


def boosts(text: str) -> dict[str, float]:
    return dict.fromkeys(terms(text), 1.0)


def found(reader: CollectionReader, *phrases: str) -> tuple[str, ...]:
    return reader.chunk_ids(reader.phrase_rows(phrases))


def test_what_was_put_comes_back_equal(store: SqliteStore) -> None:
    stored = make("Ünï/cødé#c", "First passage, with é and 漢字.", "Second \0 passage 😀.", title="T")
    document = dataclasses.replace(
        stored.document,
        keywords=("k", "ö"),
        anchors=(Anchor(0, "top"), Anchor(9, "page=2")),
        metadata={"b": "2", "a": "1"},
        published="2020-02-03",
        author="A",
        language="en",
    )
    stored = dataclasses.replace(stored, document=document, entities=(EntityCount("x", "ORG", 2, 0.5),))
    with store.writer("docs") as writer:
        writer.put(stored)
        writer.publish()
    with store.reader("docs") as reader:
        assert reader.documents([document.document_id]) == [document]
        assert list(reader.iter_documents()) == [document]
        assert reader.chunks_of([document.document_id]) == [stored.chunks]
        assert reader.chunks([stored.chunks[1].chunk_id]) == [stored.chunks[1]]
        assert reader.entities([document.document_id]) == [stored.entities]
        np.testing.assert_array_equal(reader.vectors([chunk.chunk_id for chunk in stored.chunks]), stored.vectors)
        signals = reader.signals([document.document_id])[0]
        assert (signals.title, signals.published, signals.quality, signals.topic) == ("T", "2020-02-03", 0.25, "topic")


def test_layers_find_by_word_vector_phrase_and_entity(filled: SqliteStore) -> None:
    with filled.reader("docs") as reader:
        assert reader.search_text(boosts("sleeping"), 10).ids == ("b#c1", "b#c0")
        assert reader.search_text(boosts("sleeping"), 1).ids == ("b#c1",)
        assert reader.search_text(boosts("unheard of"), 10).ids == ()
        assert reader.search_text({}, 10).ids == ()
        wanted = reader.vectors(["b#c1"])[0]
        hits = reader.search_vectors(wanted, 2)
        assert hits.ids[0] == "b#c1"
        assert hits.scores[0] == pytest.approx(1.0, abs=1e-6)
        assert found(reader, "brown fox") == ("a#c0",)
        assert found(reader, 'fox "brown') == ()
        assert reader.search_entities(["reynard", "nobody"], minimum=1).ids == ("a",)
        assert reader.search_entities(["reynard", "nobody"], minimum=2).ids == ()
        assert reader.document_frequency([*terms("sleep fox"), "unheard"]).tolist() == [2, 1, 0]


def test_the_rows_of_documents_are_those_of_their_chunks(filled: SqliteStore) -> None:
    with filled.reader("docs") as reader:
        asked = reader.document_rows(["b", "a"])
        assert reader.chunk_ids(reader.rows_of(asked)) == ("b#c0", "b#c1", "a#c0")
        assert reader.document_ids(reader.owners(reader.rows_of(asked))) == ("b", "b", "a")
        assert len(reader.rows_of(asked[:0])) == 0


def test_unknown_ids_are_key_errors(filled: SqliteStore) -> None:
    with filled.reader("docs") as reader:
        for ask in (reader.documents, reader.chunks_of, reader.entities, reader.signals, reader.profiles):
            with pytest.raises(KeyError):
                ask(["nobody"]) if ask != reader.entities else reader.documents(["nobody"])
        with pytest.raises(KeyError):
            reader.chunks(["a#c1"])
        with pytest.raises(KeyError):
            reader.vectors(["a#c1"])


def test_replacing_and_forgetting(filled: SqliteStore) -> None:
    with filled.writer("docs") as writer:
        assert writer.digest_of("a") == document_digest(make("a", "The quick brown fox jumps.", title="Foxes").document)
        writer.put(make("a", "Otters swim."))
        writer.put(make("a", "Badgers dig."))
        writer.forget("b")
        writer.forget("nobody")
        assert writer.digest_of("b") == ""
        info = writer.publish()
    assert (info.documents, info.chunks) == (1, 1)
    with filled.reader("docs") as reader:
        assert reader.search_text(boosts("badger"), 5).ids == ("a#c0",)
        assert reader.search_text(boosts("fox otter sleep"), 5).ids == ()
        assert found(reader, "otters swim") == ()
        assert found(reader, "BADGERS dig") == ("a#c0",)


def test_a_reader_keeps_its_state_while_the_collection_moves_on(filled: SqliteStore) -> None:
    with filled.reader("docs") as old:
        for text in ("One.", "Two."):
            with filled.writer("docs") as writer:
                writer.put(make("a", text))
                writer.forget("b")
                writer.publish()
        assert old.search_text(boosts("fox sleep"), 5).ids == ("a#c0", "b#c1", "b#c0")
        assert old.documents(["a"])[0].text == "The quick brown fox jumps."
        assert [chunk.text for chunk in old.chunks(["b#c1"])] == ["Cats sleep too."]
        assert found(old, "quick brown") == ("a#c0",)
        with filled.reader("docs") as new:
            assert new.documents(["a"])[0].text == "Two."


def test_what_is_not_published_is_not_seen_but_kept(filled: SqliteStore) -> None:
    with filled.writer("docs") as writer:
        writer.put(make("a", "Otters swim."))
        assert writer.changed
        with filled.reader("docs") as reader:
            assert reader.documents(["a"])[0].text == "The quick brown fox jumps."
    with filled.reader("docs") as reader:
        assert reader.documents(["a"])[0].text == "The quick brown fox jumps."
        assert reader.search_text(boosts("fox"), 5).ids == ("a#c0",)
    with filled.writer("docs") as writer:
        assert writer.changed
        writer.publish()
        assert not writer.changed
    with filled.reader("docs") as reader:
        assert reader.documents(["a"])[0].text == "Otters swim."


def test_a_second_publish_without_changes_writes_no_new_snapshot(filled: SqliteStore, tmp_path) -> None:
    index = tmp_path / "collections" / "docs" / "index"
    before = [path.name for path in index.iterdir()]
    with filled.writer("docs") as writer:
        writer.note("run", "2")
        writer.put_pages([PageRecord("https://example.org/a", "done", 0, "a")])
        writer.publish()
    assert [path.name for path in index.iterdir()] == before == ["1"]


def test_documents_of_vanished_pages_are_hidden_and_come_back(filled: SqliteStore) -> None:
    url = "https://example.org/a"
    for state, visible in (("vanished", ["b"]), ("done", ["a", "b"])):
        with filled.writer("docs") as writer:
            writer.put_pages([PageRecord(url, state, 1, "a", links=("https://example.org/b",), seen=7)])
            assert writer.pages()[url] == PageRecord(url, state, 1, "a", links=("https://example.org/b",), seen=7)
            info = writer.publish()
        assert info.pages == {state: 1}
        with filled.reader("docs") as reader:
            assert [document.document_id for document in reader.iter_documents()] == visible
            assert reader.info.documents == len(visible)


def test_collection_wide_facts(filled: SqliteStore) -> None:
    with filled.writer("docs") as writer:
        assert [name for name, _ in writer.entity_counts()] == ["a", "b"]
        keys, vectors = writer.entity_vectors(["reynard"])
        assert (keys, vectors.shape) == ((), (0, 8))
        vector = np.eye(8, dtype=np.float32)[:1]
        writer.put_entity_vectors(["reynard"], vector)
        keys, vectors = writer.entity_vectors(["nobody", "reynard"])
        assert keys == ("reynard",)
        np.testing.assert_array_equal(vectors, vector)
        writer.put_profiles(["a"], vector)
        writer.put_duplicates({"b": "a"})
        writer.put_calibration(Calibration((0.1, 0.5), 2, {"x": 1.0}))
        writer.publish()
    with filled.reader("docs") as reader:
        assert reader.search_profiles(vector[0], 5, floor=0.25).ids == ("a",)
        np.testing.assert_array_equal(reader.profiles(["b", "a"]), np.vstack([np.zeros((1, 8)), vector]))
        assert reader.signals(["b"])[0].duplicate_of == "a"
        assert reader.calibration == Calibration((0.1, 0.5), 2, {"x": 1.0})


def test_sampling_is_even_and_carries_owners(store: SqliteStore) -> None:
    with store.writer("docs") as writer:
        for number in range(10):
            writer.put(make(f"d{number}", *(f"passage {number} {part}" for part in range(number % 3 + 1))))
        owners, vectors = writer.sample_vectors(5)
        everyone, all_vectors = writer.sample_vectors(1000)
    assert len(owners) == 5 and vectors.shape == (5, 8)
    assert (owners[0], owners[-1]) == ("d0", "d9")
    assert len(everyone) == 19
    expected = np.concatenate(
        [make(f"d{n}", *(f"passage {n} {p}" for p in range(n % 3 + 1))).vectors for n in range(10)]
    )
    np.testing.assert_array_equal(all_vectors, expected)


def test_vectors_of_another_shape_are_refused(store: SqliteStore) -> None:
    wrong = dataclasses.replace(make("a", "Text."), vectors=np.zeros((2, 8), dtype=np.float32))
    with store.writer("docs") as writer, pytest.raises(StoreError, match=r"shape \(2, 8\), expected \(1, 8\)"):
        writer.put(wrong)


def test_an_empty_collection_answers_nothing(store: SqliteStore) -> None:
    with store.writer("docs") as writer:
        assert writer.publish().documents == 0
    with store.reader("docs") as reader:
        assert reader.search_text(boosts("fox"), 5).ids == ()
        assert reader.search_vectors(np.zeros(8, dtype=np.float32), 5).ids == ()
        assert reader.search_profiles(np.zeros(8, dtype=np.float32), 5, floor=0.2).ids == ()
        assert list(reader.iter_documents()) == []


def test_a_document_without_text_has_no_chunks(store: SqliteStore) -> None:
    with store.writer("docs") as writer:
        writer.put(make("empty"))
        writer.put(make("full", "Words."))
        writer.publish()
    with store.reader("docs") as reader:
        assert reader.chunks_of(["empty", "full"])[0] == ()
        assert reader.search_text(boosts("words"), 5).ids == ("full#c0",)


def test_a_folder_of_generations_that_is_a_link_loses_nothing_of_others(filled: SqliteStore, tmp_path) -> None:
    index = tmp_path / "collections" / "docs" / "index"
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "photos").mkdir(parents=True)
    (elsewhere / "photos" / "one").write_text("kept")
    for generation in index.iterdir():
        generation.rename(elsewhere / generation.name)
    index.rmdir()
    index.symlink_to(elsewhere)
    with filled.writer("docs") as writer:
        writer.put(make("added", "one more toy"))
        number = writer.publish().documents
    with filled.reader("docs") as reader:
        assert reader.info.documents == number
    assert (elsewhere / "photos" / "one").read_text() == "kept"
    assert len(list(elsewhere.iterdir())) == 2


def test_a_collection_behind_a_link_is_not_said_to_be_deleted(filled: SqliteStore, tmp_path) -> None:
    folder = tmp_path / "collections" / "docs"
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="elsewhere"):
        filled.delete("docs")
    with filled.reader("docs") as reader:
        assert reader.info.documents > 0
