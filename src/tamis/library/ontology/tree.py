"""Plain YAML trees, the form a person writes by hand.

::

    name: Foods
    terms:
      - Fruit | fruits:
          - apple | apples
          - Citrus fruit:
              - orange
              - {label: pomelo, synonyms: [pummelo], definition: the largest citrus fruit}
      - Vegetables:
          - tomato
    # or, without ``name`` and ``terms``, the tree itself

A name may be followed by its synonyms, ``apple | apples``. A mapping of a name to a list puts the list below the name.
A term with more to say is an object with ``label`` and any of ``id``, ``synonyms``, ``definition``, ``parents`` and
``terms``. The same name in two places is one term with two parents. Ids are made from names unless given. What is no
name, and what nobody would have meant, is left out and named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import yaml

from tamis.errors import UsageError
from tamis.library.ontology.draft import Draft, Source
from tamis.library.slugs import slug
from tamis.text import yamls

_FIELDS = frozenset({"label", "id", "synonyms", "definition", "parents", "terms"})
_MISTAKEN = frozenset({"term", "name", "title", "concept"})
"""Keys written where ``label`` is meant; with a list behind it, each could be a name too."""
_NUMBERS = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})
_DEEPEST = 60
_MOST = 500_000
_KEY = re.compile(r"(?m)^[^\S\n]*+(?:(?:- )?[^\s#][^\n]*?(?::\s|:$)|- \S)")


def looks_like_tree(head: str) -> bool:
    """Whether a text has at least one list entry or key of YAML."""
    return bool(_KEY.search(head))


def read_tree(text: str) -> Source:
    """Read a YAML tree.

    Args:
        text: the whole file.

    Raises:
        UsageError: not YAML, or neither a list nor a mapping, or endlessly nested.
    """
    try:
        root = yamls.compose(text)
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        where = f" in line {place.line + 1}" if place else ""
        raise UsageError(
            f"it is not YAML: {getattr(error, 'problem', '') or 'unreadable'}{where}",
            fix="Put names that hold `: `, `#` or quotes into quotes, and indent with spaces.",
        ) from error
    walk = _Walk()
    if root is None:
        return walk.source
    if isinstance(root, yaml.ScalarNode):
        raise UsageError("it is one piece of text, not a tree.", fix="Write a list of names, or names with lists.")
    top = _entries(root) if isinstance(root, yaml.MappingNode) else {}
    if "terms" in top:
        walk.unknown(top, {"name", "terms"})
        walk.source.name = _text(top.get("name"))
        root = top["terms"]
    elif isinstance(top.get("name"), yaml.ScalarNode):
        others = ", ".join(repr(key) for key in top if key != "name") or "nothing"
        raise UsageError(
            f"it has a `name` and {others}, but no `terms`.", fix="Put the tree below `terms:`, or leave out `name:`."
        )
    walk.below(root, "", 1)
    return walk.source


@dataclass(slots=True)
class _Walk:
    """What is known so far while a tree is read."""

    source: Source = field(default_factory=Source)
    known: dict[str, Draft] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    seen: int = 0

    def below(self, node: yaml.Node, parent: str, depth: int) -> None:
        """Read what stands below a term: a name, a list or names with lists."""
        self.seen += 1
        if depth > _DEEPEST or self.seen > _MOST:
            raise UsageError(
                f"it is nested deeper than {_DEEPEST} tiers or holds more than {_MOST} entries"
                f" (line {node.start_mark.line + 1}).",
                fix="Look for an alias (*name) that stands inside what it names.",
            )
        if isinstance(node, yaml.SequenceNode):
            for entry in node.value:
                if _is_written(entry):
                    self.below(entry, parent, depth + 1)
                else:
                    self._left_out(entry, "an empty entry")
        elif isinstance(node, yaml.MappingNode):
            self._mapping(node, parent, depth)
        elif _is_written(node):
            self._named(node.value, parent, node)

    def unknown(self, entries: dict[str, yaml.Node], allowed: Collection[str]) -> None:
        """Name the keys that mean nothing."""
        for key, value in entries.items():
            if key not in allowed:
                self._left_out(value, f"the unknown key {key!r} (known: {', '.join(sorted(allowed))})")

    def _left_out(self, node: yaml.Node, what: str) -> None:
        self.source.problems.append(f"line {node.start_mark.line + 1}: {what} was left out")

    def _mapping(self, node: yaml.MappingNode, parent: str, depth: int) -> None:
        entries = _entries(node)
        if isinstance(entries.get("label"), yaml.ScalarNode):
            self.unknown(entries, _FIELDS)
            self._object(entries, parent, depth)
            return
        if mistaken := _MISTAKEN & {key for key, value in entries.items() if isinstance(value, yaml.ScalarNode)}:
            self._left_out(node, f"an entry with {min(mistaken)!r}, where `label` names a term,")
            return
        for key, value in node.value:
            term_id = self._named(_text(key), parent, key)
            if term_id and _is_written(value):
                self.below(value, term_id, depth + 1)

    def _object(self, entries: dict[str, yaml.Node], parent: str, depth: int) -> None:
        label = _text(entries["label"])
        term_id = self._named(label, parent, entries["label"], _text(entries.get("id")))
        if not term_id:
            return
        draft = self.known[term_id]
        draft.synonyms += _texts(entries.get("synonyms"))
        draft.definition = draft.definition or _text(entries.get("definition"))
        draft.parents += [name for name in _texts(entries.get("parents")) if name not in draft.parents]
        if "terms" in entries:
            self.below(entries["terms"], term_id, depth + 1)

    def _named(self, text: str, parent: str, node: yaml.Node, wanted: str = "") -> str:
        """Make or find the term that a name stands for; its id, empty where there is no name."""
        if node.tag in _NUMBERS:
            self._left_out(node, f"the number {text} (quote it where it is a name)")
            return ""
        label, *synonyms = [" ".join(part.split()) for part in text.split("|")]
        term_id = wanted or slug(label)
        if not label:
            self.source.problems.append(f"line {node.start_mark.line + 1} has no name")
            return ""
        draft = self.known.get(term_id)
        if draft is None:
            draft = self.known[term_id] = Draft(term_id, label)
            self.lines[term_id] = node.start_mark.line + 1
            self.source.drafts.append(draft)
        elif wanted and draft.label != label:
            self._left_out(node, f"{label!r}, whose id {term_id} is taken by {draft.label!r},")
            return ""
        elif draft.label.casefold() != label.casefold() or parent in (draft.parents or [""]):
            first = f"{draft.label!r} in line {self.lines[term_id]}"
            self.source.problems.append(f"line {node.start_mark.line + 1}: {label!r} is one term with {first}")
            synonyms.insert(0, label)
        draft.synonyms += synonyms
        if parent and parent not in draft.parents:
            draft.parents.append(parent)
        return term_id


def _entries(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def _is_written(node: yaml.Node) -> bool:
    """Whether a node holds anything: nothing at all, ``~`` and ``null`` do not."""
    return not (isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null")


def _text(node: yaml.Node | None) -> str:
    """A scalar exactly as written: `no` is a name, not false."""
    return str(node.value).strip() if isinstance(node, yaml.ScalarNode) and _is_written(node) else ""


def _texts(node: yaml.Node | None) -> list[str]:
    return list(_each(node))


def _each(node: yaml.Node | None) -> Iterator[str]:
    if isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            yield from _each(entry)
    elif isinstance(node, yaml.ScalarNode):
        yield from (part.strip() for part in _text(node).split("|") if part.strip())
