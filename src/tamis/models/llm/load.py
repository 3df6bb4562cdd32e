"""From settings to a language model."""

from __future__ import annotations

from pathlib import Path

from tamis.errors import SettingsError
from tamis.models.llm.client import ChatClient
from tamis.models.llm.local import LocalChat
from tamis.models.protocols import ChatModel
from tamis.settings import ModelRole


def load_chat(role: ModelRole) -> ChatModel | None:
    """The model a role names, None where none is configured. Contacts nothing yet.

    Raises:
        SettingsError: an endpoint without a model name, or no http address.
    """
    if role.model.lower().endswith(".gguf") and not role.base_url:
        return LocalChat(
            Path(role.model).expanduser(), context_tokens=role.context_tokens, timeout_seconds=role.timeout_seconds
        )
    if not role.base_url:
        if role.model:
            raise SettingsError(
                f"llm model {role.model!r} is named, but not where it answers",
                fix="set llm.main.base_url, or name a .gguf file",
            )
        return None
    if not role.model:
        raise SettingsError(f"llm base_url {role.base_url} is set, but no model is named", fix="set llm.main.model")
    return ChatClient(
        role.base_url,
        role.model,
        api_key=role.api_key,
        credentials=role.credentials,
        timeout_seconds=role.timeout_seconds,
    )
