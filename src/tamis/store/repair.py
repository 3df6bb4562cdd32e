"""What a store must offer so that a damaged collection can be mended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tamis.schema.document import Document
    from tamis.store.nouns import StoredDocument
    from tamis.store.protocols import CollectionWriter


@dataclass(frozen=True, slots=True)
class Health:
    """What a thorough look at a collection found.

    Attributes:
        problem: why its database cannot be used as it is, empty when it can.
        whole: ids of the documents that can be read with everything digested from them.
        partial: ids of the documents whose text can be read, but not everything digested from it.
        lost: ids of documents that were published and cannot be read.
        unknown: rows that cannot be read and whose ids nobody knows.
        other: names of further tables that cannot be read.
        derived: what is damaged or missing and can be made again from the documents, one line each.
    """

    problem: str
    whole: tuple[str, ...]
    partial: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    unknown: int = 0
    other: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is amiss."""
        return not (self.problem or self.partial or self.lost or self.unknown or self.other or self.derived)


class Rescue(Protocol):
    """A collection under repair, held by its lock."""

    @property
    def health(self) -> Health:
        """As it was found."""
        ...

    def rebuild(self) -> None:
        """Make again what only is derived; enough where the database itself is in order."""
        ...

    def stored(self) -> Iterator[StoredDocument]:
        """The documents that are whole, ascending by row; their vectors are those of the model in use."""
        ...

    def texts(self) -> Iterator[Document]:
        """The documents that have to be digested again."""
        ...

    def replaced(self) -> AbstractContextManager[CollectionWriter]:
        """Fill a new database, finish and publish; when it ends well, it takes the place of the damaged one.

        What is not about single documents (the crawl's memory, notes) is in it already, as far as it can be read.
        """
        ...

    @property
    def kept_aside(self) -> str:
        """Where the damaged database lies afterwards, empty before."""
        ...
