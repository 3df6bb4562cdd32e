"""Code blocks: exact text, fence and language."""

from __future__ import annotations

import re

from tamis.acquire.readers.markup.elements import SKIPPED, Element, hidden

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush)[-:]\s*([A-Za-z][\w+#.-]*)")
_SOURCE_CODE = re.compile(r"(?:^|\s)sourceCode\s+([A-Za-z][\w+#.-]*)")
_NO_LANGUAGE = frozenset("none text plain plaintext txt default notranslate literal block source output".split())
_SAME = {
    "python3": "python",
    "py": "python",
    "ipython3": "python",
    "js": "javascript",
    "sh": "bash",
    "shell": "bash",
    "c++": "cpp",
}
_BACKTICKS = re.compile(r"`{3,}")
_LINES = frozenset("div p li tr".split())
_LANGUAGE_HOPS = 3


def code_text(element: Element) -> str:
    """The text of a ``<pre>`` with every blank kept; ``<br>`` and line elements end a line, gutters are left out."""
    from lxml.etree import iterwalk

    parts: list[str] = []
    walk = iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "start":
            if node is not element and (node.tag in SKIPPED or hidden(node)):
                walk.skip_subtree()
                continue
            if node.tag == "br":
                parts.append("\n")
            if node.text:
                parts.append(node.text)
            continue
        if node is element:
            break
        if node.tag in _LINES and parts and not parts[-1].endswith("\n") and not (node.tail or "").startswith("\n"):
            parts.append("\n")
        if node.tail:
            parts.append(node.tail)
    lines = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(line.rstrip() for line in lines)


def fence_language(element: Element) -> str:
    """The language named by a class of the block, its ``<code>`` child or what is around it, empty where none is."""
    nodes = [element, *element.iterchildren("code")]
    parent = element.getparent()
    for _ in range(_LANGUAGE_HOPS):
        if parent is None:
            break
        nodes.append(parent)
        parent = parent.getparent()
    for node in nodes:
        for name in ("data-lang", "data-language"):
            if node.get(name):
                return _known(node.get(name))
        names = node.get("class") or ""
        for match in (*_LANGUAGE.finditer(names), *_SOURCE_CODE.finditer(names)):
            found = _known(match.group(1))
            if found or match.group(1).lower() in _NO_LANGUAGE:
                return found
    return ""


def _known(name: str) -> str:
    name = name.strip().lower()
    if name in _NO_LANGUAGE or not name.isprintable() or " " in name:
        return ""
    return _SAME.get(name, name)


def fenced(code: str, language: str = "") -> str:
    """A fenced block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"
