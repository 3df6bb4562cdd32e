"""Lines of a stream, none longer than allowed: a file may be one line, and that line may never end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

_PIECE = 1 << 20


def bounded_lines(stream: IO[bytes], longest: int) -> Iterator[bytes | None]:
    """Lines with their ends.

    Args:
        stream: to read from where it stands.
        longest: most bytes of a line; memory never holds more of one.

    Yields:
        The next line, None in the place of one that is longer.
    """
    while line := stream.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_PIECE)
        yield None
