"""Bytes to pages, one module a format."""

from __future__ import annotations

from tamis.acquire.readers.base import Body
from tamis.acquire.readers.registry import extensions, read_body
from tamis.schema.document import Page
from tamis.settings import ReadSettings

__all__ = ["extensions", "read"]


def read(
    data: bytes,
    *,
    url: str,
    media_type: str = "",
    charset: str = "",
    source: str = "file",
    settings: ReadSettings,
    document_id: str = "",
) -> Page:
    """Read one body of bytes.

    Args:
        data: as received.
        url: where they come from; relative links are resolved against it.
        media_type: as declared, parameters allowed; the bytes are looked at when it lies.
        charset: as declared by the transport.
        source: kept as `Document.source`.
        settings: limits.
        document_id: of a single document; the URL where empty. Dataset rows bring their own.

    Returns:
        The documents, links and directives found.

    Raises:
        UnreadableError: no reader knows the format, or the bytes hold no readable text.
    """
    kind = media_type.split(";", 1)[0].strip().lower()
    body = Body(data, url, kind, charset, source, document_id or url, settings)
    return read_body(body)
