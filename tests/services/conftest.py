"""Real servers, started and ended by the tests that need them."""

from __future__ import annotations

from services.nginx import nginx

__all__ = ["nginx"]
