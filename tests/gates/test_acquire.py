"""Gates of fetching: other people's tables of robots.txt rules and URL spellings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tamis.acquire.robots import parse
from tamis.text.urls import canonical, host, normalise

pytestmark = pytest.mark.gate

# Cases of the tables that contradict S5 on purpose: options tamis does not have, credentials kept, other encodings,
# and lists of parameters that are allowed rather than removed.
_NOT_OURS = ("query_separator", "keep_blank_values", "keep_fragments", "encoding")


def table(folder: Path, name: str) -> list[dict]:
    return json.loads((folder / "tables_from_tests" / name).read_text("utf-8"))


@pytest.mark.parametrize(("name", "floor"), [("google", 0.96), ("reppy", 0.96)])
def test_robots_rules(data: Path, report: Callable[..., None], name: str, floor: float) -> None:
    cases = table(data, f"{name}_robots_cases.json")
    held = [
        parse(case["robots_txt"], user_agent=case["user_agent"] or "x").allows(case["url"]) == case["allowed"]
        for case in cases
    ]
    report(
        gate=f"robots.txt cases, {name}", measured=sum(held) / len(held), floor=floor, note=f"{sum(held)}/{len(held)}"
    )


def test_real_robots_files_are_readable(data: Path, report: Callable[..., None]) -> None:
    files = sorted(path for path in (data / "robots" / "real_sites").rglob("*") if path.is_file())
    judged = 0
    for file in files:
        rules = parse(file.read_bytes().decode("utf-8-sig", "replace"), user_agent="tamis/0.1")
        judged += isinstance(rules.allows("https://example.com/a"), bool) and rules.delay_seconds >= 0.0
    report(gate="real robots.txt files read", measured=judged / len(files), floor=1.0, note=f"{judged} files")


def test_canonical_urls(data: Path, report: Callable[..., None]) -> None:
    held = []
    for case in table(data, "w3lib_url_cases.json"):
        url = case["args"][0] if case["args"] else ""
        ours = case["fn"] == "canonicalize_url" and url.startswith("http") and not set(case["kwargs"]) & set(_NOT_OURS)
        if ours and "@" not in url:
            held.append(canonical(case["expected"]) == canonical(url))
    for case in table(data, "url_normalize_cases.json"):
        url, expected = case.get("url") or "", case.get("expected")
        if url.startswith("http") and isinstance(expected, str) and "ref=" not in url:
            held.append(expected in (normalise(url), canonical(url)))
    report(gate="URL spellings", measured=sum(held) / len(held), floor=0.90, note=f"{sum(held)}/{len(held)}")


def test_hosts(data: Path, report: Callable[..., None]) -> None:
    held = []
    for name in ("urltestdata.json", "ada_extra_urltestdata.json"):
        for case in json.loads((data / "url" / "ada" / "tests" / "wpt" / name).read_text("utf-8")):
            if not isinstance(case, dict) or case.get("base") not in (None, "about:blank", "null"):
                continue
            if not case["input"].strip().lower().startswith(("http://", "https://")):
                continue
            expected = "" if case.get("failure") else case["hostname"].strip("[]").rstrip(".")
            held.append(host(case["input"]) == expected)
    report(gate="hosts of WHATWG URLs", measured=sum(held) / len(held), floor=0.98, note=f"{sum(held)}/{len(held)}")
