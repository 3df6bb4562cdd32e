"""Languages."""

from __future__ import annotations

import pytest

from tamis.errors import UsageError
from tamis.text.language import asked_language, language, language_code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The committee decided yesterday that the bridge would be closed for repairs.", "en"),
        ("Der Ausschuss hat gestern beschlossen, die Brücke für Reparaturen zu sperren.", "de"),
        ("Le comité a décidé hier de fermer le pont pour des réparations urgentes.", "fr"),
        ("委员会昨天决定关闭这座桥进行维修，预计工程将持续三个星期左右的时间。", "zh"),
        ("x = 1", ""),
        ("", ""),
    ],
)
def test_language(text: str, code: str) -> None:
    assert language(text) == code


def test_declared_tags() -> None:
    assert [language_code(tag) for tag in ("en-GB", "DE", "pt_BR", "cmn", "english")] == ["en", "de", "pt", "", ""]


@pytest.mark.parametrize(("asked", "code"), [("de", "de"), ("en-GB", "en"), (" ZH_hant ", "zh")])
def test_a_language_may_be_asked_for_by_its_tag(asked: str, code: str) -> None:
    assert asked_language(asked) == code


@pytest.mark.parametrize("asked", ["xx", "klingon", "", "e", "en;rm", "d\u00e9", "zz-ZZ"])
def test_what_is_no_language_is_refused(asked: str) -> None:
    with pytest.raises(UsageError, match="no language has the code"):
        asked_language(asked)


def test_a_page_that_declares_no_language_is_looked_at() -> None:
    assert language_code("xx") == language_code("deu") == ""
