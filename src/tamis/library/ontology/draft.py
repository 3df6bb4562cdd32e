"""What every reader delivers, before anything is checked."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Draft:
    """A term as its file states it.

    Attributes:
        term_id: as written, empty where the file gives none.
        label: preferred name.
        synonyms: other names in the file's order; repeats are allowed here.
        parents: ids of broader terms in the file's order.
        definition: plain text.
        obsolete: the file says that the term is no longer to be used.
    """

    term_id: str
    label: str = ""
    synonyms: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    definition: str = ""
    obsolete: bool = False


@dataclass(slots=True)
class Source:
    """A file, read but not yet checked.

    Attributes:
        name: what the ontology calls itself, empty where it does not say.
        drafts: in the file's order.
        problems: what could not be read, one line each.
    """

    name: str = ""
    drafts: list[Draft] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
