"""Names with exact spans, honest confidence and one key a thing."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.errors import SettingsError
from tamis.models.gazetteer import load_gazetteer, load_question_recogniser, plain_key
from tamis.models.ner import SpacyRecogniser, confidence, load_recogniser
from tamis.models.protocols import EntityRecogniser


@pytest.fixture(scope="module")
def recogniser() -> SpacyRecogniser:
    return load_recogniser()


def test_known_and_unknown_names_come_with_their_labels(recogniser):
    text = "OpenAI's California office hired Maria Gonzalez from the World Health Organization in Geneva."
    found = {m.key: m.label for m in recogniser.mentions([text])[0]}
    assert found["openai"] == "ORG" and found["california"] == "LOC"
    assert found["world health organization"] == "ORG" and found["maria gonzalez"] == "PER"


def test_spellings_share_a_key(recogniser):
    texts = ["The WHO met in the U.S. on Monday.", "The World Health Organization met in the United States."]
    first, second = ({m.key for m in found} for found in recogniser.mentions(texts))
    assert first == second == {"world health organization", "united states"}


def test_dates_and_amounts_are_no_entities(recogniser):
    assert recogniser.mentions(["On 3 May 2020 about 40 percent of 300 people paid ten dollars."]) == [()]


def test_code_and_addresses_are_not_read(recogniser):
    text = "Angela Merkel spoke.\n\n```python\nimport Paris\n```\n\nSee [Berlin](https://London.example/Rome)."
    assert [m.text for m in recogniser.mentions([text])[0]] == ["Angela Merkel", "Berlin"]


def test_long_texts_are_read_to_their_end(recogniser):
    text = "Nothing happened here today. " * 1500 + "Then Angela Merkel left Berlin."
    found = recogniser.mentions([text])[0]
    assert [text[m.start : m.end] for m in found[-2:]] == ["Angela Merkel", "Berlin"]


def test_neighbours_and_threads_change_nothing(recogniser):
    texts = [f"Tim Cook of Apple met Anna Keller in Boston, said item {n}." for n in range(12)]
    alone = [recogniser.mentions([text])[0] for text in texts]
    results: list[list] = []
    threads = [threading.Thread(target=lambda: results.append(recogniser.mentions(texts))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == alone for result in results) and len(results) == 3


@given(st.lists(st.text(max_size=120), max_size=3))
@settings(max_examples=25, deadline=None)
def test_spans_are_exact_whatever_the_text(recogniser, texts):
    for text, found in zip(texts, recogniser.mentions(texts), strict=True):
        for mention in found:
            assert text[mention.start : mention.end] == mention.text and mention.key
            assert 0.2 <= mention.confidence <= 1.0 and mention.label in ("ORG", "PER", "LOC", "MISC")
        assert list(found) == sorted(found, key=lambda m: m.start)


def test_confidence_rises_with_what_speaks_for_a_name():
    low = confidence("chunder", agreement=0.5, repeats=1, opens_sentence=True)
    high = confidence("Anna Keller", agreement=1.0, repeats=4, opens_sentence=False)
    assert 0.2 <= low < high <= 1.0


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("how does openai compare to anthropic?", ["openai", "anthropic"]),
        ("who told us about the WHO?", ["WHO"]),
        ("What is the Marrow Bridge made of?", ["Marrow Bridge"]),
        ("how do i go home?", []),
        ("tell me about bob dylan", ["bob dylan"]),
    ],
)
def test_questions_are_read_without_a_model(question, names):
    reader = load_question_recogniser({"bob dylan": "PER"})
    assert isinstance(reader, EntityRecogniser)
    assert [m.text for m in reader.mentions([question])[0]] == names


def test_a_file_of_one_s_own_is_added_and_mistakes_are_named(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("ORG:\n  - Acme Widgets | AW\n")
    assert load_gazetteer(str(path)).key("AW") == "acme widgets"
    path = tmp_path / "wrong.yaml"
    path.write_text("COMPANY:\n  - Acme\n")
    with pytest.raises(SettingsError, match="COMPANY"):
        load_gazetteer(str(path))
    with pytest.raises(SettingsError):
        load_gazetteer(str(tmp_path / "none.yaml"))


def test_keys_are_plain():
    assert plain_key("  the “World  Bank’s” ") == "world bank"
