"""The shipped example collection: "Keeping food", storage, preservation and food safety at home.

Written for tamis and part of it (same licence). Some of its documents disagree on purpose, and two carry an instruction
to a model that must never be followed. It is an example to ask questions of, not a food safety authority.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

NAME = "kitchen"
"""What the demo calls the collection."""

QUESTIONS: tuple[str, ...] = (
    "How long does cooked rice keep, and why does it go bad?",
    "Can I refreeze meat that has thawed?",
    "Does freezing kill bacteria?",
    "Should I wash raw chicken?",
    "What is the difference between best before and use by?",
    "How do I make sauerkraut?",
    "Do eggs have to be refrigerated?",
    "Why is garlic in oil dangerous?",
    "How much vitamin C is left in frozen vegetables?",
    "What happens to the freezer when the power is out?",
    "How long may leftovers stand at room temperature?",
)
"""Questions the collection answers; the demo asks the first."""

UNANSWERED: tuple[str, ...] = (
    "Who won the football world cup in 1998?",
    "How do I configure a reverse proxy?",
)
"""Questions it does not answer, and says so."""


@contextmanager
def documents_folder() -> Iterator[Path]:
    """The folder of the documents; unpacked for the time of the block where tamis runs from an archive."""
    with as_file(files("tamis.example").joinpath("documents")) as folder:
        yield folder


@contextmanager
def ontologies_folder() -> Iterator[Path]:
    """The folder of the example's ontologies, ``foods.yaml`` and ``allergies.yaml``; as `documents_folder`."""
    with as_file(files("tamis.example").joinpath("ontologies")) as folder:
        yield folder
