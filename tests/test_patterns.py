"""No regular expression of tamis takes more than linear time, whatever it reads.

Every pattern that a module holds (alone or in a container), or that is written in a
call such as ``re.sub(r"…", …)`` reads long strings that are made to be costly: runs of single characters, of pairs,
and strings made from the pattern's own parts. What is judged is how processor time grows with the length.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import pkgutil
import re
import time
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest

import tamis
from tamis.plan import lexicon
from tamis.settings import InterpretSettings
from tamis.text import yamls
from tamis.write import phrases

_SIZE = 1_200
_SECONDS = 0.0004
"""A string of that size read in that time needs no second look: a quadratic pattern takes longer."""
_TIMES = 4
_GROWTH = 9.0
"""Of a string four times as long: linear patterns take 4 times as long, quadratic ones 16 times."""
_TRIES = 3
_LONGEST_QUESTION = 0.1
"""Seconds a rule may take for a question: longer questions are refused, so that their growth does not matter."""
_MOST_PARTS = 12
_ENDS = ("\x00 \n!", "aa")
"""What ends a run, in ways that few patterns accept."""
_SINGLES = " \n\t\"'`[(<{*_~#|=-.,:/\\@$&%0aAé"
_PAIRS = (
    *("a.", "a ", "A ", "[a", "(a", "( ", "[ ", " (", "<a", "1,", "1.", "1 ", "a-", "a_", "a,", "a, ", ". ", "A. "),
    *("\n ", " \n", "\n\n-", "[]", "()", "](", "[](", "[a](", "[[", "``", "`a", "```\n", "**a", "_a", "a:", "a@"),
    *("a'", "://", "a=", "--", "- ", "\n- ", "\n#", "|a", "&#", "<!--", "/*", "the ", "a b, ", "and "),
)
_PALETTE = "a 0.\nA-,_('\"é/:\x00"


# ── what is read ──────────────────────────────────────────────────────────────────────────────────────────────────────
def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(tamis.__path__, "tamis."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def held(value: object, name: str, depth: int = 0) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns in a value: itself, its members, its fields."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif depth > 4 or isinstance(value, str | bytes | ModuleType):
        return
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield from held(member, f"{name}[{key!r}]", depth + 1)
    elif isinstance(value, tuple | list | set | frozenset):
        for number, member in enumerate(value):
            yield from held(member, f"{name}[{number}]", depth + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from held(getattr(value, field.name), f"{name}.{field.name}", depth + 1)
    elif isinstance(value, type) and value.__module__.startswith("tamis."):
        for key, member in vars(value).items():
            yield from held(member, f"{name}.{key}", depth + 1)


def written(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns written in calls of ``re``, as far as they are plain text."""
    code = Path(module.__file__ or "").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(code)) if "import re\n" in code else ():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str | bytes) and node.func.attr != "escape":
                said = (ast.unparse(word) for word in (*node.args[1:], *(keyword.value for keyword in node.keywords)))
                flags = (sum(re.RegexFlag[name] for name in re.findall(r"\bre\.([A-Z]+)", word)) for word in said)
                yield f"{module.__name__}:{node.lineno}", re.compile(first.value, sum(flags))


def tables() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns that the wording lists are compiled to."""
    yield "tamis.write.phrases.measure()", phrases.measure()
    for name in yamls.load(files("tamis.write").joinpath("phrases.yaml").read_text("utf-8")):
        yield f"tamis.write.phrases.anywhere({name!r})", phrases.anywhere(name)


@functools.cache
def patterns() -> dict[str, re.Pattern[Any]]:
    """Every pattern once, under the first name it has."""
    found: dict[tuple[str | bytes, int], tuple[str, re.Pattern[Any]]] = {}
    for module in modules():
        for attribute, value in sorted(vars(module).items()):
            for name, pattern in held(value, f"{module.__name__}.{attribute}"):
                found.setdefault((pattern.pattern, pattern.flags), (name, pattern))
        for name, pattern in written(module):
            found.setdefault((pattern.pattern, pattern.flags), (name, pattern))
    for name, pattern in tables():
        found.setdefault((pattern.pattern, pattern.flags), (name, pattern))
    return dict(found.values())


# ── what it is given ──────────────────────────────────────────────────────────────────────────────────────────────────
_REPEATS = {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}
_CATEGORIES = {ops.CATEGORY_DIGIT: "0", ops.CATEGORY_SPACE: " ", ops.CATEGORY_WORD: "a"}


def members(inside: list[tuple[Any, Any]]) -> str:
    """Some characters that a set accepts."""
    accepts = re.compile("")
    if inside[0][0] is ops.NEGATE:
        refused = {chr(value) for op, value in inside if op is ops.LITERAL}
        ranges = [value for op, value in inside if op is ops.RANGE]
        kinds = {value for op, value in inside if op is ops.CATEGORY}
        return (
            "".join(
                c
                for c in _PALETTE
                if c not in refused
                and not any(low <= ord(c) <= high for low, high in ranges)
                and not (ops.CATEGORY_SPACE in kinds and c.isspace())
                and not (ops.CATEGORY_DIGIT in kinds and c.isdigit())
                and not (ops.CATEGORY_WORD in kinds and (c.isalnum() or c == "_"))
                and not (ops.CATEGORY_NOT_WORD in kinds and not (c.isalnum() or c == "_"))
            )
            or accepts.pattern
        )
    chars = ""
    for op, value in inside:
        if op is ops.LITERAL:
            chars += chr(value)
        elif op is ops.RANGE:
            chars += chr(value[0])
        elif op is ops.CATEGORY:
            chars += _CATEGORIES.get(value, "!")
    return chars


def example(sequence: Any) -> str:
    """A string that a parsed pattern is likely to accept."""
    text = ""
    for op, value in sequence:
        if op is ops.LITERAL:
            text += chr(value)
        elif op is ops.NOT_LITERAL:
            text += next(c for c in _PALETTE if ord(c) != value)
        elif op is ops.ANY:
            text += "a"
        elif op is ops.IN:
            text += members(value)[:1]
        elif op is ops.BRANCH:
            text += example(value[1][0])
        elif op is ops.SUBPATTERN:
            text += example(value[3])
        elif op is ops.ATOMIC_GROUP:
            text += example(value)
        elif op in _REPEATS:
            text += example(value[2]) * min(max(value[0], 1), 100)
    return text


def units(sequence: Any) -> Iterator[str]:
    """The strings that one turn of a repetition may read."""
    if len(sequence) == 1 and sequence[0][0] is ops.IN:
        yield from members(sequence[0][1])[:4]
    elif len(sequence) == 1 and sequence[0][0] is ops.BRANCH:
        for branch in sequence[0][1][1][:4]:
            yield example(branch)
    elif len(sequence) == 1 and sequence[0][0] is ops.SUBPATTERN:
        yield from units(sequence[0][1][3])
    else:
        yield example(sequence)


def parts(sequence: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """What leads to each repetition of a parsed pattern, and what it repeats."""
    done = before
    for place, (op, value) in enumerate(sequence):
        if op in _REPEATS:
            yield from ((done, unit) for unit in units(value[2]) if unit)
            yield from parts(value[2], done)
        elif op is ops.BRANCH:
            for branch in value[1]:
                yield from parts(branch, done)
        elif op is ops.SUBPATTERN:
            yield from parts(value[3], done)
        elif op is ops.ATOMIC_GROUP:
            yield from parts(value, done)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            yield from parts(value[1], done)
        done += example(sequence[place : place + 1])


def runs(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """What begins a costly string, what it goes on with, and what ends it."""
    parsed = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    own = dict.fromkeys(parts(parsed))
    for before, unit in list(own)[:_MOST_PARTS]:
        yield from ((before, unit, end) for end in _ENDS)
        if before:
            yield from (("", before + unit, end) for end in _ENDS)
            yield "", before, _ENDS[0]
    whole = example(parsed)
    if whole:
        yield from (("", unit, _ENDS[0]) for unit in (whole, whole[:-1] or whole))
    yield from (("", unit, _ENDS[0]) for unit in (*_SINGLES, *_PAIRS))


@functools.lru_cache(maxsize=1_000)
def built(before: str, unit: str, end: str, size: int, kind: type) -> Any:
    text = before + unit * max(1, size // len(unit)) + end
    return text.encode("utf-8") if kind is bytes else text


# ── how long it takes ─────────────────────────────────────────────────────────────────────────────────────────────────
def seconds(pattern: re.Pattern[Any], text: Any) -> float:
    began = time.process_time()
    for _ in pattern.finditer(text):
        pass
    pattern.fullmatch(text)
    return time.process_time() - began


def grows(pattern: re.Pattern[Any], before: str, unit: str, end: str) -> bool:
    """Whether the time grows faster than the length, each time it is tried."""
    kind = type(pattern.pattern)
    # Short strings, a few characters longer each, tell an exponential pattern before a long one hangs on it.
    for size in (16, 28, 40, 64, 200):
        text = built(before, unit, end, size, kind)
        if all(seconds(pattern, text) > 30 * _SECONDS for _ in range(2)):
            return True
    if seconds(pattern, built(before, unit, end, _SIZE, kind)) < _SECONDS:
        return False
    # Bounded repetitions grow until they reach their bound: what seems to grow too fast is read once more, and longer.
    return all(
        seems_to_grow(pattern, tries, *(built(before, unit, end, size, kind) for size in (first, _TIMES * first)))
        for first, tries in ((_SIZE, _TRIES), (_TIMES * _SIZE, 1))
    )


def seems_to_grow(pattern: re.Pattern[Any], tries: int, short: Any, long: Any) -> bool:
    for _ in range(tries):
        base = min(seconds(pattern, short) for _ in range(tries))
        if base < _SECONDS or seconds(pattern, long) < _GROWTH * base:
            return False
    return True


@pytest.mark.parametrize("name", patterns())
def test_a_pattern_takes_linear_time(name: str) -> None:
    pattern = patterns()[name]
    slow = next((run for run in runs(pattern) if grows(pattern, *run)), None)
    assert slow is None, (
        f"{name} {pattern.pattern!r} takes more than linear time on {slow[0]!r} + {slow[1]!r} * n + {slow[2]!r}"
    )


@pytest.mark.parametrize(
    "pattern",
    [r"\s+$", r"\[([^\]]*)\]\(", r"(?:a|aa)+$", r"<!--.*?-->", r"(?:\w[ _]{1,2}){5,}\w(?!\w)"],
)
def test_slow_patterns_are_found(pattern: str) -> None:
    compiled = re.compile(pattern, re.DOTALL)
    assert any(grows(compiled, *run) for run in runs(compiled))


def test_the_rules_of_questions_are_quick_on_the_longest_question() -> None:
    longest = InterpretSettings().max_characters
    slow = [
        (name, before, unit)
        for name, pattern in held(lexicon.rules(), "rules")
        for before, unit, end in runs(pattern)
        if all(seconds(pattern, built(before, unit, end, longest, str)) > _LONGEST_QUESTION for _ in range(2))
    ]
    assert slow == []


def test_every_room_has_patterns() -> None:
    assert len(patterns()) > 200
    assert {name.split(".")[1].split(":")[0] for name in patterns()} >= {"acquire", "check", "models", "plan", "write"}
