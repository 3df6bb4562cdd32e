"""The one way YAML is read."""

from __future__ import annotations

from importlib.resources import files

import pytest
import yaml

from tamis.text import yamls


def test_reads_what_the_plain_loader_reads():
    raw = files("tamis.check").joinpath("patterns.yaml").read_text("utf-8")
    assert yamls.load(raw) == yaml.safe_load(raw)


@pytest.mark.parametrize("text", ["a: [1", "!!python/object/apply:os.getcwd []"])
def test_neither_broken_nor_executable(text):
    with pytest.raises(yamls.YAMLError):
        yamls.load(text)
