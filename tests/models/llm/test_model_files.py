"""A GGUF file in this process: what is no model is named, and a context that is too small is said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.llm import model_file
from tamis.errors import ModelFilesError, ModelReplyError
from tamis.models.llm.local import LocalChat
from tamis.models.protocols import Message

pytestmark = pytest.mark.service


def ask(path: Path, *, context: int = 256, words: int = 1) -> str:
    chat = LocalChat(path, context_tokens=context, timeout_seconds=60)
    return chat.complete((Message("user", "sieve " * words),), max_tokens=4, temperature=0.0).text


def test_a_file_that_is_cut_short_or_altered_is_named(tmp_path: Path) -> None:
    with model_file().open("rb") as file:
        whole = file.read(3_000_000)
    for name, data in (("short.gguf", whole), ("altered.gguf", whole[:24] + bytes(range(256)) * 400)):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ModelFilesError, match=name) as caught:
            ask(path)
        assert caught.value.fix


def test_a_file_that_is_not_there_is_named_with_its_fix(tmp_path: Path) -> None:
    with pytest.raises(ModelFilesError, match=r"no model file at .*gone\.gguf") as caught:
        ask(tmp_path / "gone.gguf")
    assert "llm.main.model" in caught.value.fix


@pytest.mark.slow
def test_a_context_that_is_too_small_is_said_to_be() -> None:
    with pytest.raises(ModelReplyError, match="does not fit the model's context") as caught:
        ask(model_file(), words=400)
    assert "context_tokens" in caught.value.fix
