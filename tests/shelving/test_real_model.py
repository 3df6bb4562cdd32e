"""Cards worded by a small real model, which errs often: each theme has a valid card, and one call was made for it."""

from __future__ import annotations

import re

import pytest
from village import Village

from services.llm import model_file, serving

pytestmark = [pytest.mark.service, pytest.mark.slow]
_NUMBER = re.compile(r"\d+")


def test_every_theme_has_a_valid_card_and_cost_one_call(village: Village) -> None:
    with serving(model_file()) as url:
        role = {"base_url": url, "model": "smollm2", "max_tokens": 160, "temperature": 0.0, "timeout_seconds": 240}
        library = village.library(llm={"main": role}, layer_c={"sentences": 3}, layer_b={"minimum_chunks": 60})
        summary = library.build(only=["build_layer_b", "build_layer_c"])
    graph = library.graph.graph
    cards = [card for card in graph.cards() if card.kind == "theme"]
    assert {card.about for card in cards} == {theme.theme_id for theme in graph.themes()}
    assert summary.ledger.calls_total == len(cards) > 2
    assert library.audit().breaches == ()
    for card in cards:
        shown = " ".join(quote.text for sentence in card.sentences for quote in sentence.quotes)
        assert card.title and card.sentences
        assert set(_NUMBER.findall(card.title + card.summary)) <= set(_NUMBER.findall(shown + card.about))
        assert all(sentence.support != "unsupported" and sentence.quotes for sentence in card.sentences)
        assert not card.controversy_note or card.basis.opposing
