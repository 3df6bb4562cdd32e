"""What may go to a terminal, and how wide it is."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from typing import IO, Any

import click

from tamis.text.unseen import UNSEEN

_WIDEST = 100
"""Columns of prose; longer lines are hard to read."""


def escaped(text: str) -> str:
    """Control characters and direction overrides made visible, so that no page can steer a terminal."""
    return UNSEEN.sub(lambda match: _visible(match.group()), text.replace("\r\n", "\n"))


def _visible(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def say(text: str = "", *, err: bool = False) -> None:
    """Print one piece of text, escaped. Style it with `click.style` only through `styled`."""
    click.echo(escaped(text), err=err)


def styled(text: str, *, err: bool = False, bold: bool = False, dim: bool = False) -> None:
    """Print a line with emphasis where the stream is a terminal and ``NO_COLOR`` is unset."""
    line = escaped(text)
    click.echo(click.style(line, bold=bold, dim=dim) if coloured(err=err) else line, err=err)


def coloured(*, err: bool = False) -> bool:
    """Whether emphasis may be printed."""
    return not os.environ.get("NO_COLOR") and _stream(err).isatty()


def counted(number: int, noun: str) -> str:
    """A number and what there are so many of: ``1 document``, ``2 documents``."""
    return f"{number} {noun}{'s' * (number != 1)}"


def say_json(value: Any) -> None:  # noqa: ANN401 - anything JSON can hold
    """Print one JSON document on stdout."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    # JSON can spell every character in ASCII; control characters are spelled so by now.
    click.echo(UNSEEN.sub(lambda match: json.dumps(match.group())[1:-1], text))


def _plain(value: Any) -> Any:  # noqa: ANN401
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


def width() -> int | None:
    """Columns to wrap prose at; None where nobody looks (output piped and ``COLUMNS`` unset)."""
    if not _stream(err=False).isatty() and not os.environ.get("COLUMNS", "").isdigit():
        return None
    return max(40, min(shutil.get_terminal_size().columns, _WIDEST))


def wrapped(text: str, *, indent: str = "", hanging: str | None = None) -> str:
    """Prose wrapped to the terminal; lines that start with four spaces or a bar are left alone.

    Args:
        text: lines, already escaped or not.
        indent: put before the first line.
        hanging: put before further lines; None takes ``indent``.
    """
    columns = width()
    further = indent if hanging is None else hanging
    lines: list[str] = []
    for line in text.split("\n"):
        start = indent if not lines else further
        if columns is None or line.startswith(("    ", "|")) or not line.strip():
            lines.append(f"{start}{line}".rstrip())
            continue
        lines += textwrap.wrap(
            line,
            columns,
            initial_indent=start,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def _stream(err: bool) -> IO[str]:
    return sys.stderr if err else sys.stdout
