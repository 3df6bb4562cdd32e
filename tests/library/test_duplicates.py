import numpy as np
import pytest

from tamis.library.duplicates import content, origins, restatements, sameness

ORIGINAL = "Statins lowered cholesterol by 23 % in 412 patients with coronary disease over 5 years."
PARAPHRASE = "Over 5 years, cholesterol fell 23 % among 412 coronary disease patients who were given statins."
RELATED = "Garlic powder did not change cholesterol of 41 volunteers with hypertension within 12 weeks."


def _vectors(*angles):
    return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], dtype=np.float32)


def test_a_paraphrase_is_nearer_than_a_relative():
    one, other, relative = (content(text) for text in (ORIGINAL, PARAPHRASE, RELATED))
    assert sameness(0.96, one, other) > 1.115 > sameness(0.96, one, relative)


def test_other_numbers_make_another_study():
    changed = PARAPHRASE.replace("412", "97").replace("23", "8").replace("5", "2")
    one, same, other = (content(text) for text in (ORIGINAL, PARAPHRASE, changed))
    assert sameness(0.95, one, other) == pytest.approx(sameness(0.95, one, same) - 0.05)


def test_pairs_need_both_meaning_and_words():
    texts = [ORIGINAL, PARAPHRASE, RELATED, ORIGINAL]
    assert restatements(_vectors(0.0, 0.2, 0.2, 0.0), texts) == [(0, 1), (0, 3)]
    assert restatements(_vectors(0.0, 1.0, 0.2, 2.0), texts) == [(0, 3)]
    assert restatements(np.zeros((0, 2), dtype=np.float32), []) == []


def test_origins_are_counted_once():
    owners = ["b", "a", "c", "d"]
    texts = [ORIGINAL, PARAPHRASE, RELATED, ORIGINAL]
    found = origins(owners, _vectors(0.0, 0.1, 0.3, 0.0), texts)
    assert found == {"a": "a", "b": "a", "c": "c", "d": "a"}


def test_one_quoted_passage_does_not_make_a_copy():
    owners = ["long", "long", "long", "other", "other", "other"]
    own = ["Rye bread is sour.", "Oats have fibre.", "Millet has no gluten.", "Barley makes malt."]
    words = [ORIGINAL, own[0], own[1], ORIGINAL, own[2], own[3]]
    places = _vectors(0.0, 1.0, 2.0, 0.0, 3.0, 4.0)
    assert origins(owners, places, words) == {"long": "long", "other": "other"}


def test_a_short_document_taken_from_a_long_one_has_no_origin_of_its_own():
    owners = ["long", "long", "long", "short"]
    words = [ORIGINAL, "Rye bread is sour.", "Oats have fibre.", PARAPHRASE]
    assert origins(owners, _vectors(0.0, 1.0, 2.0, 0.1), words) == {"long": "long", "short": "long"}


def test_known_copies_are_taken_over():
    found = origins(["x", "y"], _vectors(0.0, 1.5), [ORIGINAL, RELATED], {"y": "x", "z": "x"})
    assert found == {"x": "x", "y": "x"}
