"""The page of a library in a real browser; skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from village import NAME, ingested, write_pages

from tamis.libraries import Library

pytestmark = pytest.mark.service
_HOSTILE = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script> & \"bread\" {{ 7*7 }}"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    pages = write_pages(folder / "pages")
    for file in pages.iterdir():
        file.write_text(file.read_text("utf-8").replace("# Notes", f"# {_HOSTILE} Notes"), "utf-8")
    library = Library(NAME, ingested(folder / "home", pages))
    library.build(use_llm=False)
    library.export_html(folder / "library.html")
    return folder / "library.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("needs chromium")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def tab(browser: Any, path: Path) -> Iterator[Any]:
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.faults = []
    opened.asked = []
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    opened.on("console", lambda message: opened.faults.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.goto(path.as_uri())
    yield opened
    context.close()


def test_it_loads_alone_and_without_a_fault(tab: Any, path: Path) -> None:
    assert tab.faults == []
    assert tab.asked == [path.as_uri()]
    assert tab.title() == f"{NAME}: shelves, themes, cards"


def test_hostile_titles_are_text(tab: Any) -> None:
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert tab.locator("img").count() == 0
    assert tab.locator("script").count() == 1
    assert "onerror=document.title" in tab.locator("main").inner_text()
    assert "{{ 7*7 }}" in tab.locator("main").inner_text()
    assert tab.title() != "owned"


def focused(tab: Any) -> str:
    return str(tab.evaluate("document.activeElement.textContent"))


def test_the_tree_is_walked_with_the_keyboard(tab: Any) -> None:
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "filter"
    tab.keyboard.press("Tab")
    first = focused(tab)
    assert tab.evaluate("document.activeElement.tagName") == "SUMMARY"
    tab.keyboard.press("ArrowDown")
    assert focused(tab) != first
    tab.keyboard.press("ArrowUp")
    assert focused(tab) == first
    assert tab.locator("article:visible").count() == 0
    tab.keyboard.press("ArrowRight")
    assert tab.locator("article:visible").count() == 1
    tab.keyboard.press("ArrowRight")
    assert "[c1]" in focused(tab)
    tab.keyboard.press("Enter")
    mark = tab.locator("mark:visible").first
    assert mark.inner_text() in tab.locator("blockquote:visible").first.inner_text()
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    assert focused(tab) == first
    tab.keyboard.press("ArrowLeft")
    assert tab.locator("article:visible").count() == 0


def test_the_filter_shows_what_is_named(tab: Any) -> None:
    every = tab.locator("details.shelf").count()
    tab.locator("#filter").fill("brood")
    shown = tab.locator("details.shelf:visible").count()
    assert 0 < shown < every
    tab.locator("#filter").fill("")
    assert tab.locator("article:visible").count() == 0
