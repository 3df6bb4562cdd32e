"""Encodings and clean text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.text.encoding import clean, decode

SAMPLES = {
    "gbk": "这是一个关于维生素的中文文章，介绍食物的营养成分，以及健康的饮食习惯。",
    "shift_jis": "これは食べ物の栄養についての日本語の記事です。ビタミンとミネラルを紹介します。",
    "iso-8859-1": "Le café est très apprécié à la française, déjà vu, où l'été passé près d'ici.",
    "cp1251": "Это статья о витаминах и питании для взрослых людей, которые живут в городе.",
}


@pytest.mark.parametrize("encoding", sorted(SAMPLES))
@pytest.mark.parametrize("declared", [True, False])
def test_legacy_encodings_by_declaration_and_by_detection(encoding: str, declared: bool) -> None:
    text = SAMPLES[encoding]
    assert decode(text.encode(encoding), encoding if declared else "") == text


def test_meta_declaration_is_read() -> None:
    text = f"<html><head><meta charset=shift_jis></head>{SAMPLES['shift_jis']}"
    assert decode(text.encode("shift_jis")) == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
def test_wide_encodings_with_and_without_mark(encoding: str) -> None:
    text = "<p>plain text with é</p>"
    assert decode(text.encode(encoding)) == text


def test_utf8_wins_over_a_wrong_declaration() -> None:
    assert decode("naïve café".encode(), "iso-8859-1") == "naïve café"


def test_unknown_label_is_no_obstacle() -> None:
    assert decode(b"plain", "x-made-up") == "plain"


@given(st.binary(max_size=200), st.sampled_from(["", "utf-8", "gbk", "utf-16", "nonsense"]))
def test_decoding_never_fails(data: bytes, charset: str) -> None:
    assert isinstance(decode(data, charset), str)


@given(st.text())
def test_clean_is_idempotent_normal_and_printable(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)
    once.encode("utf-8")


def test_joiners_stay_where_they_shape_letters() -> None:
    assert clean("می\u200cخواهم") == "می\u200cخواهم"
    assert clean("ig\u200dnore") == "ignore"
