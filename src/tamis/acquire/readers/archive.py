"""Members of a ZIP file, read with limits: an archive is input like any other."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from types import TracebackType
from typing import Self

from tamis.errors import UnreadableError

_MOST_MEMBERS = 20_000
_MOST_RATIO = 300
_ENCRYPTED = 0x1
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ValueError,
    OverflowError,
    NotImplementedError,
    EOFError,
    RuntimeError,
    OSError,
)
"""What reading an archive raises that is not what it says."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Begins what Office wrote before it used ZIP, and what it encrypts."""
_SMALL = 1_000_000
"""Members below this may compress as well as they like."""


class Archive:
    """A ZIP file whose members are bytes within limits; nothing is ever written to disk.

    Args:
        data: the archive.
        name: for messages.
        limit: most bytes unpacked in all.

    Raises:
        UnreadableError: not a ZIP file, or it would unpack to more than the limit.
    """

    def __init__(self, data: bytes, name: str, limit: int) -> None:
        if data.startswith(_OLE):
            raise UnreadableError(f"{name}: needs a password, or is of the old binary kind (.doc)")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            members = self._zip.infolist()
        except DAMAGE as error:
            raise UnreadableError(f"{name}: is not a readable archive ({error})") from error
        total = sum(member.file_size for member in members)
        bomb = any(
            member.file_size > _SMALL and member.file_size > _MOST_RATIO * max(member.compress_size, 1)
            for member in members
        )
        if bomb or total > limit or len(members) > _MOST_MEMBERS:
            raise UnreadableError(f"{name}: would unpack to {total:,} bytes in {len(members):,} parts, limit {limit:,}")
        if members and all(member.flag_bits & _ENCRYPTED for member in members):
            raise UnreadableError(f"{name}: needs a password")
        self._members = {member.filename: member for member in members}

    @property
    def names(self) -> tuple[str, ...]:
        """Member names in the archive's order."""
        return tuple(self._members)

    def get(self, name: str) -> bytes | None:
        """A member's bytes, None where there is none or it is damaged."""
        member = self._members.get(name)
        if member is None or member.flag_bits & _ENCRYPTED:
            return None
        try:
            with self._zip.open(member) as stream:
                return stream.read(member.file_size + 1)[: member.file_size]
        except DAMAGE:
            return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
