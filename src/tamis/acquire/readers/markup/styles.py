"""What a page's own style sheet hides.

Only what can be told without laying the page out: rules outside of any ``@`` block whose selector is one element with
an optional tag, classes and an id. A later or more specific rule, or the element's own style, may show it again, as in
the CSS cascade. What holds much of the page's text is kept: scripts show it once the page has loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

from tamis.acquire.readers.markup.elements import Element, text_of

_LONGEST = 500_000
"""Characters of style sheet looked at."""
_MOST_RULES = 2_000
_MOST_SHARE = 0.2
"""Of the page's characters; what holds more is kept."""
_SILENT = frozenset({"script", "style"})
_ALWAYS = 400
"""Characters that may be hidden even on a page of little else."""
_NEVER = frozenset({"html", "body", "main", "article", "head"})
_HIDES: Mapping[str, re.Pattern[str]] = {
    "display": re.compile(r"\Anone$"),
    "visibility": re.compile(r"\A(?:hidden|collapse)$"),
    "opacity": re.compile(r"\A(?:0++(?:\.0*+)?|\.0++)%?$"),
    "font-size": re.compile(r"\A(?:0++(?:\.0*+)?|\.0++)(?:px|em|rem|pt|ex|ch|%|vw|vh)?$"),
}
_COMMENT = re.compile(r"/\*(?:.*?\*/|.*\Z)|<!--|-->", re.DOTALL)
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_BRACE = re.compile(r"[{}]")
_SELECTOR = re.compile(r"\A([a-zA-Z][\w-]*+)?((?:[.#][A-Za-z_-][\w-]*+)*+)$")
_PART = re.compile(r"([.#])([\w-]+)")

Weight = tuple[bool, int, int, int, int]
"""Important; ids, classes and tags of the selector; the place of the rule."""


@dataclass(frozen=True, slots=True)
class _Rule:
    tag: str
    names: frozenset[str]
    id: str
    weight: tuple[int, int, int, int]
    declared: Mapping[str, tuple[str, bool]]

    @property
    def name(self) -> str:
        """One name an element must have for the rule to be about it, empty where it is about any."""
        return f"#{self.id}" if self.id else f".{min(self.names)}" if self.names else self.tag

    def fits(self, tag: str, names: frozenset[str], identity: str) -> bool:
        return self.tag in ("", tag) and self.id in ("", identity) and self.names <= names


def mark_hidden(root: Element) -> None:
    """Give every element that the page's own rules hide the attribute ``hidden``."""
    sheet = "\n".join(text_of(style) for style in root.iter("style") if _for_screens(style.get("media")))[:_LONGEST]
    cascade = _Cascade(tuple(islice(_rules(sheet), _MOST_RULES)))
    if not cascade.hides_anything:
        return
    found = [element for element in root.iter() if isinstance(element.tag, str) and cascade.hides(element)]
    most = _MOST_SHARE * _size(root) if found else 0.0
    for element in found:
        if element.tag not in _NEVER and _size(element, max(most, _ALWAYS)) <= max(most, _ALWAYS):
            element.set("hidden", "")


def _size(element: Element, enough: float = inf) -> int:
    """Characters of text, without scripts, style sheets and white space; counted no further than ``enough``."""
    total = 0
    for node in element.iter():
        shown = node.text if node.tag not in _SILENT else None
        for text in (shown, node.tail if node is not element else None):
            total += sum(map(len, text.split())) if text else 0
        if total > enough:
            break
    return total


def _for_screens(media: str | None) -> bool:
    return not media or any(part.strip().lower() in {"all", "screen"} for part in media.split(","))


def _hides(name: str, value: str) -> bool:
    return _HIDES[name].match(value) is not None


class _Cascade:
    """The rules of a page, asked about its elements; elements of one tag, class and id are alike."""

    def __init__(self, rules: Sequence[_Rule]) -> None:
        self._rules = rules
        self._by_name: dict[str, list[_Rule]] = {}
        for rule in rules:
            self._by_name.setdefault(rule.name, []).append(rule)
        self._known: dict[tuple[str, str, str], dict[str, tuple[Weight, str]]] = {}

    @property
    def hides_anything(self) -> bool:
        return any(_hides(name, value) for rule in self._rules for name, (value, _) in rule.declared.items())

    def hides(self, element: Element) -> bool:
        """Whether the winning rules hide the element, its own style considered."""
        key = (element.tag, element.get("class") or "", element.get("id") or "")
        if key not in self._known:
            self._known[key] = self._winners(*key)
        winners = self._known[key]
        if not any(_hides(name, value) for name, (_, value) in winners.items()):
            return False
        own = _declarations(element.get("style") or "")
        return any(_hides(name, value) for name, (weight, value) in winners.items() if weight[0] or name not in own)

    def _rules_of(self, tag: str, names: frozenset[str], identity: str) -> Iterator[_Rule]:
        for name in {"", tag, f"#{identity}", *(f".{name}" for name in names)}:
            yield from (rule for rule in self._by_name.get(name, ()) if rule.fits(tag, names, identity))

    def _winners(self, tag: str, classes: str, identity: str) -> dict[str, tuple[Weight, str]]:
        names = frozenset(classes.split())
        winners: dict[str, tuple[Weight, str]] = {}
        for rule in self._rules_of(tag, names, identity):
            for name, (value, important) in rule.declared.items():
                weight: Weight = (important, *rule.weight)
                if name not in winners or weight >= winners[name][0]:
                    winners[name] = (weight, value)
        return winners


def _rules(sheet: str) -> Iterator[_Rule]:
    """The rules that say something about being shown, in their order."""
    bare = _STRING.sub("''", _COMMENT.sub("", sheet))
    depth = start = 0
    prelude = ""
    # The end of a sheet closes what is open.
    for place, brace in enumerate(_BRACE.finditer(bare + "}")):
        if brace.group() == "{":
            if depth == 0:
                prelude = bare[start : brace.start()].rpartition(";")[2].strip()
                start = brace.end()
            depth += 1
            continue
        if depth == 1 and not prelude.startswith("@"):
            declared = _declarations(bare[start : brace.start()])
            for selector in prelude.split(",") if declared else ():
                yield from _rule(selector.strip(), declared, place)
        depth = max(depth - 1, 0)
        if depth == 0:
            start = brace.end()


def _rule(selector: str, declared: Mapping[str, tuple[str, bool]], place: int) -> Iterator[_Rule]:
    match = _SELECTOR.match(selector)
    if match is None or not selector:
        return
    parts: list[tuple[str, str]] = _PART.findall(match.group(2))
    ids = [name for kind, name in parts if kind == "#"]
    names = frozenset(name for kind, name in parts if kind == ".")
    if len(ids) > 1:
        return
    tag = (match.group(1) or "").lower()
    yield _Rule(tag, names, ids[0] if ids else "", (len(ids), len(names), int(bool(tag)), place), declared)


def _declarations(block: str) -> dict[str, tuple[str, bool]]:
    """Property → value and whether it is important, of those that decide whether something is shown."""
    found: dict[str, tuple[str, bool]] = {}
    for line in block.split(";"):
        name, _, value = line.partition(":")
        name = name.strip().lower()
        if name in _HIDES:
            plain, mark, _ = value.strip().lower().partition("!")
            found[name] = (plain.strip(), bool(mark))
    return found
