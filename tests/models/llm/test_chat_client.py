"""The client against a real loopback endpoint that plays every trick."""

from __future__ import annotations

import json
import socket

import pytest
from pydantic import SecretStr

from services.scripted_llm import answering, dripping, failing, half, raw, scripted, slow
from tamis.errors import ModelAuthError, ModelReplyError, ModelUnreachableError, SettingsError
from tamis.models.llm.client import MAX_REPLY_BYTES, ChatClient
from tamis.models.llm.tokens import estimate_tokens
from tamis.models.protocols import ChatModel, Message

ASK = (Message("user", "What is a sieve?"),)


def ask(base_url: str, *, timeout: float = 5.0, schema=None, key: str = "sk-very-secret"):
    client = ChatClient(base_url, "small", api_key=SecretStr(key), timeout_seconds=timeout)
    return client.complete(ASK, max_tokens=50, temperature=0.2, schema=schema)


def test_an_answer_comes_back_with_the_endpoint_s_own_counts():
    with scripted(answering("A drum.")) as server:
        completion = ask(server.base_url)
    assert (completion.text, completion.prompt_tokens, completion.completion_tokens) == ("A drum.", 321, 45)
    assert completion.finish_reason == "stop" and completion.seconds > 0
    sent = server.requests[0]
    assert sent["_path"] == "/v1/chat/completions"
    assert sent["_headers"]["Authorization"] == "Bearer sk-very-secret"
    assert sent["messages"] == [{"role": "user", "content": "What is a sieve?"}]
    assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("small", 50, 0.2)
    assert "response_format" not in sent


def test_missing_usage_is_estimated_and_a_schema_is_passed_on():
    with scripted(answering("Four words of answer", usage=False)) as server:
        completion = ask(server.base_url, schema={"type": "object"})
    assert completion.completion_tokens == estimate_tokens("Four words of answer")
    assert completion.prompt_tokens >= estimate_tokens(ASK[0].content)
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_null_content_is_an_empty_answer():
    with scripted(answering(None, finish="length")) as server:
        completion = ask(server.base_url)
    assert (completion.text, completion.finish_reason) == ("", "length")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, ModelReplyError),
        (401, ModelAuthError),
        (403, ModelAuthError),
        (404, ModelAuthError),
        (429, ModelUnreachableError),
        (500, ModelUnreachableError),
        (503, ModelUnreachableError),
    ],
)
def test_each_status_is_its_own_error_and_names_itself(status, error):
    with scripted(failing(status, "said the server")) as server, pytest.raises(error) as caught:
        ask(server.base_url)
    assert str(status) in caught.value.message and "said the server" in caught.value.message
    assert caught.value.fix and len(server.requests) == 1


def test_a_redirect_is_not_followed():
    with scripted(answering("never")) as other, scripted(failing(307, Location=other.base_url)) as server:
        with pytest.raises(ModelUnreachableError, match="redirect"):
            ask(server.base_url)
        assert other.requests == []


def test_a_key_never_appears_in_an_error():
    with scripted(failing(401, "bad key sk-very-secret")) as server, pytest.raises(ModelAuthError) as caught:
        ask(server.base_url)
    assert "sk-very-secret" not in str(caught.value) and "sk-very-secret" not in repr(ChatClient(server.base_url, "m"))


def test_nobody_listening_is_said_at_once():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ModelUnreachableError, match=f"127.0.0.1:{port}"):
        ask(f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize("behaviour", [slow(2.0), dripping(2.0)], ids=["silent", "dripping"])
def test_the_deadline_holds_for_the_whole_call(behaviour):
    with scripted(behaviour) as server, pytest.raises(ModelUnreachableError, match=r"0\.3 s"):
        ask(server.base_url, timeout=0.3)


def test_half_an_answer_is_no_answer():
    with scripted(half("cut")) as server, pytest.raises(ModelUnreachableError):
        ask(server.base_url)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hello</html>",
        b"",
        b"[]",
        b"null",
        b'{"choices": []}',
        b'{"choices": [{"message": "hi"}]}',
        b'{"choices": [{"message": {"content": 5}}]}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
)
def test_what_is_not_a_chat_completion_is_named(body):
    with scripted(raw(body)) as server, pytest.raises(ModelReplyError) as caught:
        ask(server.base_url)
    assert len(caught.value.message) < 500 and caught.value.message.isprintable()


def test_an_endless_answer_is_cut():
    body = json.dumps({"choices": [{"message": {"content": "x" * (MAX_REPLY_BYTES + 10)}}]}).encode()
    with scripted(raw(body)) as server, pytest.raises(ModelReplyError, match="bytes"):
        ask(server.base_url)


@pytest.mark.parametrize("address", ["", "localhost:1", "ftp://x/v1", "http://", "file:///etc/passwd", "http://[::1"])
def test_an_address_that_is_none_is_a_settings_error(address):
    with pytest.raises(SettingsError):
        ChatClient(address, "m")


def test_the_version_path_is_added_where_there_is_none():
    with scripted(answering("ok")) as server:
        ask(server.base_url.removesuffix("/v1") + "/")
        ask(server.base_url + "/")
        assert {request["_path"] for request in server.requests} == {"/v1/chat/completions"}


def test_it_is_a_chat_model():
    assert isinstance(ChatClient("http://127.0.0.1:1/v1", "m"), ChatModel)
