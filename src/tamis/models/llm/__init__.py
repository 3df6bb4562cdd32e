"""Language models: an endpoint or a file, both behind `ChatModel`, and the ledger every call goes through."""

from __future__ import annotations

from tamis.models.llm.load import load_chat

__all__ = ["load_chat"]
