"""The client against a real loopback endpoint that plays every trick."""

from __future__ import annotations

import json
import socket

import pytest
from pydantic import SecretStr

from services.scripted_llm import (
    answering,
    bomb,
    counted,
    dripping,
    dripping_headers,
    failing,
    half,
    packed,
    raw,
    scripted,
    slow,
)
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


def test_a_key_that_cannot_be_sent_is_refused_and_not_shown():
    for key in ("sk secret", "sk-gehe\u00efm", "sk-secret\r\nX-Evil: 1"):
        with pytest.raises(SettingsError) as caught:
            ChatClient("http://127.0.0.1:1/v1", "m", api_key=SecretStr(key))
        assert "api_key" in str(caught.value) and key[:6] not in str(caught.value)


def test_a_line_end_behind_a_key_is_not_part_of_it():
    with scripted(answering("ok")) as server:
        ask(server.base_url, key="sk-from-a-file\n")
    assert server.requests[0]["_headers"]["Authorization"] == "Bearer sk-from-a-file"


def test_a_password_in_an_address_is_sent_and_never_shown():
    with scripted(failing(500)) as server, pytest.raises(ModelUnreachableError) as caught:
        ask(server.base_url.replace("http://", "http://me:s3cret%21@"), key="")
    assert server.requests[0]["_headers"]["Authorization"] == "Basic bWU6czNjcmV0IQ=="
    assert "s3cret" not in str(caught.value)
    with pytest.raises(SettingsError) as caught:
        ChatClient("gopher://me:s3cret@host/v1", "m")
    assert "s3cret" not in str(caught.value)


def test_headers_that_drip_end_at_the_deadline():
    with scripted(dripping_headers(3.0)) as server, pytest.raises(ModelUnreachableError, match=r"0\.3 s"):
        ask(server.base_url, timeout=0.3)


def test_a_packed_answer_is_unpacked_up_to_the_limit():
    with scripted(packed("gzip", "A drum."), bomb(300), packed("br", "A drum.")) as server:
        assert ask(server.base_url).text == "A drum."
        for said in ("bytes", "packed its answer as 'br'"):
            with pytest.raises(ModelReplyError, match=said):
                ask(server.base_url)
    assert server.requests[0]["_headers"]["Accept-Encoding"] == "identity"


def test_text_that_no_encoding_carries_is_sent_all_the_same():
    with scripted(answering("ok")) as server:
        ChatClient(server.base_url, "m").complete((Message("user", "a \ud800 b"),), max_tokens=5, temperature=0.0)
    assert server.requests[0]["messages"][0]["content"] == "a \ud800 b"


@pytest.mark.parametrize("usage", [{"prompt_tokens": 10**12, "completion_tokens": 10**9}, {"prompt_tokens": -1}, [], 7])
def test_a_count_that_cannot_be_is_estimated(usage):
    with scripted(counted("Four words of answer", usage)) as server:
        completion = ask(server.base_url)
    assert completion.completion_tokens == estimate_tokens("Four words of answer")
    assert 0 < completion.prompt_tokens < 100


def test_an_endless_answer_is_cut():
    body = json.dumps({"choices": [{"message": {"content": "x" * (MAX_REPLY_BYTES + 10)}}]}).encode()
    with scripted(raw(body)) as server, pytest.raises(ModelReplyError, match="bytes"):
        ask(server.base_url)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost:1",
        "ftp://x/v1",
        "http://",
        "file:///etc/passwd",
        "http://[::1",
        "http://a:99999/v1",
        "http://a..b/v1",
    ],
)
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
