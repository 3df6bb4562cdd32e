"""YAML with the fastest safe loader this build of PyYAML has: libyaml reads some ten times faster."""

from __future__ import annotations

from typing import Any

import yaml

YAMLError = yaml.YAMLError
_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(text: str | bytes) -> Any:  # noqa: ANN401 - YAML holds anything
    """Plain data, never objects.

    Args:
        text: one YAML document.

    Raises:
        YAMLError: it is not YAML.
    """
    return yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader


def compose(text: str) -> yaml.Node | None:
    """The tree of nodes as written: scalars keep their spelling, and every node knows its line.

    Args:
        text: one YAML document.

    Raises:
        YAMLError: it is not YAML.
    """
    node: yaml.Node | None = yaml.compose(text, Loader=_LOADER)
    return node
