"""The graph of a library in SQLite; what lies above or below a shelf is found by recursive queries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter

from tamis.schema.library import Card, EntityLink, Member, Shelf, Theme
from tamis.store.library import Attachments, LinkedChunk
from tamis.store.sqlite.database import Connection, transaction

GRAPH_SCHEMA = """
CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE linked (
    facet TEXT NOT NULL, chunk TEXT NOT NULL, key TEXT NOT NULL,
    links TEXT NOT NULL,             -- JSON: [term, start, end, confidence, method]
    PRIMARY KEY (facet, chunk)
) WITHOUT ROWID;
CREATE TABLE shelves (
    id TEXT PRIMARY KEY, facet TEXT NOT NULL, label TEXT NOT NULL, parent TEXT NOT NULL, depth INTEGER NOT NULL,
    term TEXT NOT NULL, direct INTEGER NOT NULL, support INTEGER NOT NULL, see_also TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX shelves_by_parent ON shelves (parent);
CREATE TABLE attached (shelf TEXT NOT NULL, chunk TEXT NOT NULL, PRIMARY KEY (shelf, chunk)) WITHOUT ROWID;
CREATE INDEX attached_by_chunk ON attached (chunk);
CREATE TABLE themes (
    id TEXT PRIMARY KEY, facet TEXT NOT NULL, shelf TEXT NOT NULL, label TEXT NOT NULL, keywords TEXT NOT NULL,
    outlier INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX themes_by_shelf ON themes (shelf);
CREATE TABLE members (
    theme TEXT NOT NULL, position INTEGER NOT NULL, chunk TEXT NOT NULL, weight REAL NOT NULL, main INTEGER NOT NULL,
    PRIMARY KEY (theme, position)
) WITHOUT ROWID;
CREATE INDEX members_by_chunk ON members (chunk);
CREATE TABLE settled (               -- the text of a chunk when the themes of its shelf were made
    shelf TEXT NOT NULL, chunk TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (shelf, chunk)
) WITHOUT ROWID;
CREATE TABLE cards (
    about TEXT PRIMARY KEY, facet TEXT NOT NULL, content_hash TEXT NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID
"""

_BELOW = """
WITH RECURSIVE below (id) AS (
    SELECT :shelf UNION SELECT shelves.id FROM shelves JOIN below ON shelves.parent = below.id
)
SELECT DISTINCT chunk FROM attached JOIN below ON attached.shelf = below.id ORDER BY chunk
"""
_ABOVE = """
WITH RECURSIVE above (id, steps) AS (
    SELECT parent, 1 FROM shelves WHERE id = :shelf
    UNION SELECT shelves.parent, steps + 1 FROM shelves JOIN above ON shelves.id = above.id
)
SELECT shelves.* FROM shelves JOIN above USING (id) ORDER BY steps
"""


class SqliteGraph:
    """A `GraphStore`.

    Args:
        connection: to the database of the library.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @cached_property
    def _cards(self) -> TypeAdapter[Card]:
        return TypeAdapter(Card)

    def facets(self) -> tuple[str, ...]:
        """Names of the facets that were built, ascending."""
        return tuple(row[0] for row in self._rows("SELECT DISTINCT facet FROM shelves ORDER BY facet"))

    def shelves(self, facet: str = "") -> list[Shelf]:
        """All shelves, of one facet where one is named, ascending by id."""
        rows = self._rows("SELECT * FROM shelves WHERE :facet IN ('', facet) ORDER BY id", facet=facet)
        return [_shelf(row) for row in rows]

    def shelf(self, shelf_id: str) -> Shelf:
        """One shelf.

        Raises:
            KeyError: no such shelf.
        """
        rows = self._rows("SELECT * FROM shelves WHERE id = :id", id=shelf_id)
        if not rows:
            raise KeyError(shelf_id)
        return _shelf(rows[0])

    def ancestors(self, shelf_id: str) -> list[Shelf]:
        """The shelves above one, nearest first."""
        return [_shelf(row) for row in self._rows(_ABOVE, shelf=shelf_id)]

    def attached(self, shelf_id: str, *, below: bool = False) -> tuple[str, ...]:
        """Chunks on a shelf, and on all shelves below it; ascending, none twice."""
        query = _BELOW if below else "SELECT chunk FROM attached WHERE shelf = :shelf ORDER BY chunk"
        return tuple(row[0] for row in self._rows(query, shelf=shelf_id))

    def attachments(self, facet: str) -> dict[str, tuple[str, ...]]:
        """Chunk id → ids of the shelves of a facet it stands on."""
        rows = self._rows(
            "SELECT chunk, shelf FROM attached JOIN shelves ON shelves.id = attached.shelf WHERE facet = :facet "
            "ORDER BY chunk, shelf",
            facet=facet,
        )
        return {chunk: tuple(row[1] for row in group) for chunk, group in groupby(rows, key=lambda row: row[0])}

    def themes(self, *, facet: str = "", shelf_id: str = "") -> list[Theme]:
        """All themes, of one facet or shelf where one is named, ascending by id."""
        where = "WHERE :facet IN ('', facet) AND :shelf IN ('', shelf)"
        return self._themes(where, facet=facet, shelf=shelf_id)

    def theme(self, theme_id: str) -> Theme:
        """One theme.

        Raises:
            KeyError: no such theme.
        """
        found = self._themes("WHERE themes.id = :id", id=theme_id)
        if not found:
            raise KeyError(theme_id)
        return found[0]

    def themes_of(self, chunk_id: str) -> list[Theme]:
        """The themes a chunk belongs to, its primary one first."""
        order = self._rows(
            "SELECT theme FROM members WHERE chunk = :chunk ORDER BY main DESC, weight DESC, theme", chunk=chunk_id
        )
        return [self.theme(row[0]) for row in order]

    def _themes(self, where: str, **values: str) -> list[Theme]:
        members = {
            theme: tuple(Member(chunk, weight, bool(main)) for _, chunk, weight, main in group)
            for theme, group in groupby(
                self._rows(
                    "SELECT theme, chunk, weight, main FROM members "
                    f"WHERE theme IN (SELECT id FROM themes {where}) ORDER BY theme, position",
                    **values,
                ),
                key=lambda row: row[0],
            )
        }
        return [
            Theme(key, facet, shelf, label, tuple(json.loads(keywords)), members.get(key, ()), bool(outlier))
            for key, facet, shelf, label, keywords, outlier in self._rows(
                f"SELECT id, facet, shelf, label, keywords, outlier FROM themes {where} ORDER BY id", **values
            )
        ]

    def links(self, facet: str) -> dict[str, LinkedChunk]:
        """Chunk id → what linking found in it."""
        rows = self._rows("SELECT chunk, key, links FROM linked WHERE facet = :facet ORDER BY chunk", facet=facet)
        return {chunk: LinkedChunk(key, _links(chunk, json.loads(found))) for chunk, key, found in rows}

    def card(self, about: str) -> Card | None:
        """The card of a theme or shelf."""
        rows = self._rows("SELECT body FROM cards WHERE about = :about", about=about)
        return self._cards.validate_json(rows[0][0]) if rows else None

    def cards(self, facet: str = "") -> list[Card]:
        """All cards, of one facet where one is named, ascending by id."""
        rows = self._rows("SELECT body FROM cards WHERE :facet IN ('', facet) ORDER BY about", facet=facet)
        return [self._cards.validate_json(row[0]) for row in rows]

    def noted(self, key: str) -> str:
        """A small fact, empty when there is none."""
        rows = self._rows("SELECT value FROM notes WHERE key = :key", key=key)
        return str(rows[0][0]) if rows else ""

    def put_links(self, facet: str, found: Mapping[str, LinkedChunk], *, gone: Sequence[str] = ()) -> None:
        """Insert or replace what linking found in some chunks; forget it for chunks that are gone."""
        with transaction(self._connection):
            self._connection.executemany(
                "DELETE FROM linked WHERE facet = ? AND chunk = ?", ((facet, chunk) for chunk in gone)
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO linked VALUES (?, ?, ?, ?)",
                (
                    (facet, chunk, entry.key, json.dumps([_written(link) for link in entry.links]))
                    for chunk, entry in sorted(found.items())
                ),
            )

    def settled(self, shelf_id: str) -> dict[str, str]:
        """Chunk id → hash of its text when the themes of a shelf were made."""
        return dict(self._rows("SELECT chunk, hash FROM settled WHERE shelf = :shelf ORDER BY chunk", shelf=shelf_id))

    def replace_shelves(self, facet: str, shelves: Sequence[Shelf]) -> None:
        """Make these the shelves of a facet; what stands on shelves that are no more is taken off."""
        with transaction(self._connection):
            gone = {shelf.shelf_id for shelf in self.shelves(facet)} - {shelf.shelf_id for shelf in shelves}
            self._connection.executemany("DELETE FROM attached WHERE shelf = ?", ((name,) for name in sorted(gone)))
            self._run("DELETE FROM shelves WHERE facet = :facet", facet=facet)
            self._connection.executemany(
                "INSERT INTO shelves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (_shelf_row(shelf) for shelf in shelves)
            )

    def replace_attachments(self, facet: str, attachments: Attachments) -> None:
        """Make these the chunks that stand on the shelves of a facet."""
        with transaction(self._connection):
            self._run("DELETE FROM attached WHERE shelf IN (SELECT id FROM shelves WHERE facet = :facet)", facet=facet)
            self._connection.executemany(
                "INSERT INTO attached VALUES (?, ?)",
                ((shelf, chunk) for chunk, places in sorted(attachments.items()) for shelf in places),
            )

    def replace_themes(self, shelf_id: str, themes: Sequence[Theme], hashes: Mapping[str, str]) -> None:
        """Make these the themes of a shelf."""
        with transaction(self._connection):
            self.drop_themes([shelf_id])
            self._connection.executemany(
                "INSERT INTO settled VALUES (?, ?, ?)", ((shelf_id, *entry) for entry in sorted(hashes.items()))
            )
            self._connection.executemany(
                "INSERT INTO themes VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (t.theme_id, t.facet, shelf_id, t.label, json.dumps(t.keywords, ensure_ascii=False), t.outlier)
                    for t in themes
                ),
            )
            self._connection.executemany(
                "INSERT INTO members VALUES (?, ?, ?, ?, ?)",
                (
                    (theme.theme_id, position, member.chunk_id, member.weight, member.primary)
                    for theme in themes
                    for position, member in enumerate(theme.members)
                ),
            )

    def drop_themes(self, shelf_ids: Sequence[str]) -> None:
        """Forget all themes of shelves that are no more."""
        with transaction(self._connection):
            for shelf_id in shelf_ids:
                self._run("DELETE FROM members WHERE theme IN (SELECT id FROM themes WHERE shelf = :id)", id=shelf_id)
                self._run("DELETE FROM themes WHERE shelf = :id", id=shelf_id)
                self._run("DELETE FROM settled WHERE shelf = :id", id=shelf_id)

    def put_card(self, card: Card) -> None:
        """Insert or replace a card."""
        body = self._cards.dump_json(card).decode("utf-8")
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO cards VALUES (?, ?, ?, ?)", (card.about, card.facet, card.content_hash, body)
            )

    def forget_cards(self, abouts: Sequence[str]) -> None:
        """Remove cards."""
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM cards WHERE about = ?", ((about,) for about in abouts))

    def drop_facet(self, facet: str) -> None:
        """Forget a facet and everything in it."""
        with transaction(self._connection):
            # By the themes themselves: the shelves may have changed since.
            self.drop_themes(sorted({theme.shelf_id for theme in self.themes(facet=facet)}))
            self.replace_attachments(facet, {})
            self.replace_shelves(facet, ())
            self._run("DELETE FROM linked WHERE facet = :facet", facet=facet)
            self._run("DELETE FROM cards WHERE facet = :facet", facet=facet)

    def note(self, key: str, value: str) -> None:
        """Keep a small fact; an empty one is forgotten."""
        with transaction(self._connection):
            self._run("DELETE FROM notes WHERE key = :key", key=key)
            if value:
                self._run("INSERT INTO notes VALUES (:key, :value)", key=key, value=value)

    def forget_notes(self, prefix: str) -> None:
        """Forget every small fact whose key begins like this."""
        with transaction(self._connection):
            self._run("DELETE FROM notes WHERE substr(key, 1, length(:prefix)) = :prefix", prefix=prefix)

    def _rows(self, query: str, **values: str) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    def _run(self, query: str, **values: str) -> None:
        self._connection.execute(query, values)


def _shelf(row: Sequence[Any]) -> Shelf:
    key, facet, label, parent, depth, term, direct, support, see_also = row
    return Shelf(key, facet, label, parent, depth, term, direct, support, tuple(json.loads(see_also)))


def _shelf_row(shelf: Shelf) -> tuple[Any, ...]:
    return (
        shelf.shelf_id,
        shelf.facet,
        shelf.label,
        shelf.parent,
        shelf.depth,
        shelf.term_id,
        shelf.direct,
        shelf.support,
        json.dumps(shelf.see_also, ensure_ascii=False),
    )


def _links(chunk: str, found: Iterable[Sequence[Any]]) -> tuple[EntityLink, ...]:
    return tuple(EntityLink(chunk, *entry) for entry in found)


def _written(link: EntityLink) -> list[Any]:
    return [link.term_id, link.start, link.end, link.confidence, link.method]
