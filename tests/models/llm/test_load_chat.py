"""From settings to a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.errors import ModelFilesError, SettingsError
from tamis.models.llm import load_chat
from tamis.models.llm.client import ChatClient
from tamis.models.llm.local import LocalChat
from tamis.models.llm.tokens import estimate_tokens
from tamis.models.protocols import Message
from tamis.settings import ModelRole


def test_nothing_configured_is_no_model():
    assert load_chat(ModelRole()) is None


def test_an_endpoint_is_a_client(tmp_path):
    chat = load_chat(ModelRole(base_url="http://127.0.0.1:1/v1", model="qwen3:4b"))
    assert isinstance(chat, ChatClient) and chat.name == "qwen3:4b"


def test_a_file_is_run_here(tmp_path):
    path = tmp_path / "tiny.GGUF"
    path.write_bytes(b"GGUF")
    chat = load_chat(ModelRole(model=str(path)))
    assert isinstance(chat, LocalChat) and chat.name == "tiny.GGUF"


@pytest.mark.parametrize(
    "role",
    [
        ModelRole(model="gpt"),
        ModelRole(base_url="http://127.0.0.1:1/v1"),
        ModelRole(base_url="127.0.0.1", model="m"),
    ],
)
def test_half_a_configuration_is_named_with_its_fix(role):
    with pytest.raises(SettingsError) as caught:
        load_chat(role)
    assert caught.value.fix


def test_a_missing_runtime_says_how_to_get_it(tmp_path, monkeypatch):
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setattr("tamis.models.llm.local.find_spec", lambda name: None)
    chat = load_chat(ModelRole(model=str(path)))
    with pytest.raises(ModelFilesError, match="xllamacpp") as caught:
        chat.complete((Message("user", "hi"),), max_tokens=5, temperature=0.0)
    assert ".[local]" in caught.value.fix


@given(st.text(max_size=200), st.text(max_size=200))
def test_an_estimate_never_shrinks_when_text_is_added(left, right):
    assert estimate_tokens(left + " " + right) >= max(estimate_tokens(left), estimate_tokens(right))


def test_the_estimate_is_above_a_real_tokenizer(embedder):
    tokenizer = embedder._network._tokenizer
    for text in (
        "Bind values with placeholders instead of formatting them into the statement.",
        'cur.execute("SELECT * FROM stocks WHERE symbol = ?", (symbol,))',
        "| a | b |\n|---|---|\n| 1.25 mg | 3,400 IU |",
        "Größe und Höhe, naïve café",
    ):
        assert estimate_tokens(text) >= len(tokenizer.encode(text).ids) - 2
