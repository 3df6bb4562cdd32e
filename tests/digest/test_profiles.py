from __future__ import annotations

import numpy as np
import pytest

from tamis.digest.digest import count_entities
from tamis.digest.names import embed_names
from tamis.digest.profiles import entity_weight, profiles
from tamis.models.embedder import OnnxEmbedder
from tamis.models.ner import load_recogniser
from tamis.schema.entity import EntityCount, Mention
from tamis.settings import EntitySettings

SETTINGS = EntitySettings()


@pytest.mark.parametrize(
    ("entity", "frequency", "expected"),
    [
        (EntityCount("a", "ORG", 1, 1.0), 1, 1.2 * (np.log(11 / 2) + 1)),
        (EntityCount("a", "PER", 3, 0.5), 10, 1.1 * (1 + np.log(3)) * 0.5),
        (EntityCount("a", "LOC", 1, 0.01), 10, 0.2),
        (EntityCount("a", "MISC", 2, 1.7), 4, 0.9 * (1 + np.log(2)) * (np.log(11 / 5) + 1)),
    ],
)
def test_weight_is_the_formula(entity: EntityCount, frequency: int, expected: float) -> None:
    assert entity_weight(entity, documents=10, frequency=frequency, settings=SETTINGS) == pytest.approx(expected)


def test_profiles_are_unit_sums_and_absent_without_entities() -> None:
    axes = {"x": np.array([1.0, 0.0], dtype=np.float32), "y": np.array([0.0, 1.0], dtype=np.float32)}
    x, y = EntityCount("x", "LOC", 1, 1.0), EntityCount("y", "LOC", 1, 1.0)
    ids, rows = profiles([("a", [x, y]), ("b", []), ("c", [y, x]), ("d", [y])], axes, SETTINGS)
    assert ids == ("a", "c", "d")
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    assert rows[0, 0] > rows[0, 1]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert profiles([("b", [])], {}, SETTINGS)[0] == ()


def test_mentions_are_counted_by_what_they_stand_for() -> None:
    def mention(key: str, label: str, confidence: float) -> Mention:
        return Mention(key.title(), key, label, 0, 1, confidence)

    found = count_entities(
        [mention("b", "ORG", 0.3), mention("a", "PER", 0.4), mention("b", "LOC", 0.9), mention("b", "LOC", 0.5)]
    )
    assert found == (EntityCount("b", "LOC", 3, 0.9), EntityCount("a", "PER", 1, 0.4))


def test_a_common_place_does_not_make_two_stories_alike(embedder: OnnxEmbedder) -> None:
    texts = [
        "OpenAI's California office announces safety team",
        "California almond farmers face drought",
        "California passes a budget.",
        "Wildfires spread through California.",
        "Voters in California reject the proposal.",
        "California and Nevada agree on water from the Colorado River.",
        "OpenAI publishes a report on model safety.",
        "Sam Altman of OpenAI speaks in Washington.",
        *(f"California builds road number {number}." for number in range(20)),
    ]
    recogniser = load_recogniser()
    counted = [(f"d{n}", count_entities(mentions)) for n, mentions in enumerate(recogniser.mentions(texts))]
    keys = sorted({entity.key for _, entities in counted for entity in entities})
    ids, rows = profiles(counted, dict(zip(keys, embed_names(keys, embedder), strict=True)), SETTINGS)
    where = {name: row for row, name in enumerate(ids)}
    assert {"d0", "d1", "d6", "d7"} <= where.keys()
    office, farmers, report, altman = (rows[where[name]] for name in ("d0", "d1", "d6", "d7"))
    assert float(office @ farmers) < 0.45
    assert float(office @ report) > 0.75
    assert float(office @ farmers) < float(office @ altman)
