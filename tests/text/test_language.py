"""Languages."""

from __future__ import annotations

import pytest

from tamis.text.language import language, language_code


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
