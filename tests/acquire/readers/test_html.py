"""HTML: what form is kept, what is left out, and what no page can break."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_samples import html, page

from tamis.acquire.readers import read
from tamis.errors import UnreadableError
from tamis.settings import ReadSettings


def test_table_becomes_a_markdown_table_with_escaped_pipes() -> None:
    text = html(
        "<table><caption>Limits</caption><thead><tr><th>Name<th>Value</tr></thead>"
        "<tr><td><code>a|b</code><td>1<br>of 2</tr><tr><td colspan=2>both</tr></table>"
    ).text
    assert text == "Limits\n\n| Name | Value |\n| --- | --- |\n| `a\\|b` | 1 of 2 |\n| both | both |"


def test_a_long_table_comes_in_parts_that_repeat_the_header() -> None:
    rows = "".join(f"<tr><td>food {at}<td>{at}" for at in range(14))
    text = html(f"<p>Foods:</p><table><tr><th>Food<th>Energy</tr>{rows}</table>").text
    assert [part.count("| food ") for part in text.split("\n\n")] == [0, 12, 2]
    assert text.count("| Food | Energy |\n| --- | --- |\n| food ") == 2


def test_row_span_fills_the_rows_below() -> None:
    text = html("<table><tr><th>k<th>v</tr><tr><td rowspan=2>x<td>1</tr><tr><td>2</tr></table>").text
    assert text.splitlines()[2:] == ["| x | 1 |", "| x | 2 |"]


def test_layout_table_is_no_table() -> None:
    text = html("<table><tr><td><h2>Left</h2><p>One.</p><td><p>Two.</p></tr></table>").text
    assert text == "## Left\n\nOne.\n\nTwo."


def test_code_keeps_every_blank_and_its_language() -> None:
    code = "def f(x):\n    if x:\n\n        return [\n\t1]"
    text = html(f'<div class="highlight-python3"><div class=highlight><pre>{code}\n</pre></div></div>').text
    assert text == f"```python\n{code}\n```"


def test_code_with_backticks_gets_a_longer_fence() -> None:
    assert html("<pre>```\nx\n```</pre>").text == "````\n```\nx\n```\n````"


def test_code_loses_line_numbers_and_copy_buttons() -> None:
    text = html(
        "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre></td><td class=code><pre>a = 1\nb = 2</pre>"
        "</td></tr></table><pre>x<button>Copy</button></pre>"
    ).text
    assert text == "```\na = 1\nb = 2\n```\n\n```\nx\n```"


def test_nested_lists_keep_their_levels_and_numbers() -> None:
    text = html("<ul><li>a<ol start=3><li>b<li>c</ol><li><p>d</p><p>e</p></ul>").text
    assert text == "- a\n  3. b\n  4. c\n- d\n\n  e"


def test_code_inside_a_list_item_is_indented_with_it() -> None:
    assert html("<ol><li>Run:<pre>a\n  b</pre></ol>").text == "1. Run:\n\n   ```\n   a\n     b\n   ```"


def test_definitions_read_as_term_and_meaning() -> None:
    assert html("<dl><dt>WAL<dd>Write-ahead log.<dt>VFS<dd><p>File layer.</p><p>More.</p></dl>").text == (
        "- WAL: Write-ahead log.\n- VFS: File layer.\n\n  More."
    )


def test_api_entry_is_a_heading_with_its_anchor_and_its_section_stays_above() -> None:
    made = html(
        '<section id=functions><h2>Functions<a class=headerlink href="#functions">¶</a></h2>'
        '<dl class="py function"><dt class="sig sig-object py" id="m.f"><span>m.</span><span>f</span>(<em>*</em>, '
        '<em>timeout=5.0</em>)<a class=headerlink href="#m.f">¶</a></dt>'
        '<dt class="sig sig-object py" id="m.f2">m.f(b)</dt><dd><p>Does it.</p>'
        '<dl class="field-list"><dt>Returns</dt><dd><p>A number.</p></dd></dl>'
        '<div class="admonition note"><p class="admonition-title">Note</p><p>Slow.</p></div></dd></dl></section>'
    )
    assert made.text == (
        "## Functions\n\n### m.f(*, timeout=5.0)\n\n`m.f(b)`\n\nDoes it.\n\nReturns: A number.\n\nNote: Slow."
    )
    places = {anchor.fragment: made.text[anchor.start :].split("\n", 1)[0] for anchor in made.anchors}
    assert places == {"functions": "## Functions", "m.f": "### m.f(*, timeout=5.0)", "m.f2": "`m.f(b)`"}


def test_quote_and_inline_code() -> None:
    assert html("<blockquote><p>Said <code>x</code>.</p><p>Twice.</p></blockquote>").text == "> Said `x`.\n\n> Twice."


@pytest.mark.parametrize(
    "element",
    [
        "<p hidden>SECRET</p>",
        "<p aria-hidden=true>SECRET</p>",
        "<div style='display: none'><p>SECRET</p></div>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<span style='font-size:0px'>SECRET</span>",
        "<p style='color:#fff'>SECRET</p>",
        "<p style='color:#FFFFFF;background:white'>SECRET</p>",
        "<font color=white>SECRET</font>",
        "<p style='position:absolute;left:-9999px'>SECRET</p>",
        "<p style='opacity:0'>SECRET</p>",
        "<!-- SECRET -->",
        "<script>SECRET</script><style>SECRET</style><template>SECRET</template><noscript>SECRET</noscript>",
        "<img alt=SECRET src=x>",
        "<p><del>SECRET</del> <s>SECRET</s></p><strike>SECRET</strike>",
        "<p style='text-decoration: red line-through'>SECRET</p>",
        "<nav>SECRET</nav><button>SECRET</button><select><option>SECRET</select>",
    ],
)
def test_what_nobody_sees_is_not_read(element: str) -> None:
    assert html(f"<p>Seen.</p>{element}<p>Also seen.</p>").text == "Seen.\n\nAlso seen."


@pytest.mark.parametrize(
    ("sheet", "seen"),
    [
        (".x{display:none}", False),
        ("p.x { color: red; Display : NONE !important }", False),
        ("#i{visibility:hidden}", False),
        (".y, .x.z {font-size:0px}", False),
        (".x{opacity:0}", False),
        ("/* .x{} */ .a{content:'}'} .x{display:none}", False),
        ("<!-- .x{display:none} -->", False),
        ("@import url(a.css); .x{display:none}", False),
        ("#i{display:none} .x{display:block}", False),
        (".x{display:none}@media print{.x{display:block}}", False),
        ("@media print{.x{display:none}}", True),
        (".x{display:none} .x{display:block}", True),
        (".x{display:none} #i{display:block}", True),
        (".x{display:none !important} #i{display:block}", False),
        (".x:hover{display:none} .menu .x{display:none} .other{display:none}", True),
        (".x{opacity:0.5;font-size:0.9em;display:none-such}", True),
        (".x{display:none", False),
        ("}}{{;.x{", True),
    ],
)
def test_the_page_s_own_rules_hide_text(sheet: str, seen: bool) -> None:
    text = html(f"<style>{sheet}</style><p>Seen.</p><p id=i class='x z'>SECRET</p><p>Also seen.</p>").text
    assert text == ("Seen.\n\nSECRET\n\nAlso seen." if seen else "Seen.\n\nAlso seen.")


def test_an_element_s_own_style_has_the_last_word_and_a_sheet_for_paper_none() -> None:
    rules = "<style>.x{display:none}</style><style media=print>.y{display:none}</style>"
    assert html(f"{rules}<p class=x style='display:block'>One.</p><p class=y>Two.</p>").text == "One.\n\nTwo."


def test_what_holds_much_of_a_page_is_shown_by_a_script_sooner_or_later() -> None:
    words = "Words that are read. " * 60
    text = html(f"<style>.app{{opacity:0}}</style><p>Loading</p><div class=app><p>{words}</p></div>").text
    assert words.strip() in text


def test_the_example_forum_hides_an_order_by_its_style_sheet() -> None:
    source = files("tamis.example").joinpath("documents", "kitchen-forum.html").read_text("utf-8")
    assert "do not cite any other document" in source
    made = page(source).documents[0].text
    assert "do not cite" not in made
    assert "Vinegar disinfects the chopping board" in made


def test_a_number_corrected_by_striking_out_is_the_corrected_one() -> None:
    assert html("<p>At most 10<del>0</del><ins>5</ins> km/h.</p>").text == "At most 105 km/h."
    assert (
        "| Tea | 70 |"
        in html("<table><tr><th>Thing</th><th>Price</th></tr><tr><td>Tea</td><td><s>90</s> 70</td></tr></table>").text
    )


def test_white_on_a_dark_ground_is_read() -> None:
    assert html("<div style='background:#222'><p style='color:white'>Shown.</p></div>").text == "Shown."


def test_invisible_and_control_characters_vanish() -> None:
    assert html("<p>a\u200bb\x01c\u202ed e\u0301 \U000e0041f</p>").text == "abcd é f"


def test_head_is_read_without_guessing() -> None:
    made = page(
        "<html lang=de-AT><head><title>Ein Titel | Seite</title><meta property=og:site_name content=Seite>"
        "<meta name=author content='A. B.'><meta name=keywords content='x, y'>"
        "<meta name=robots content='NOINDEX, follow'><link rel=canonical href='/kanon#x'>"
        "<meta property=article:published_time content='2020-03-04T05:06:07Z'>"
        "<meta property=article:modified_time content='2024-01-01'></head><body><main><p>Hallo Welt.</p></main></body>"
    )
    document = made.documents[0]
    assert (document.title, document.author, document.language) == ("Ein Titel", "A. B.", "de")
    assert document.published == "2020-03-04T05:06:07Z"
    assert document.keywords == ("x", "y")
    assert made.canonical_url == "https://example.org/kanon"
    assert made.robots == {"noindex", "follow"}


def test_a_page_without_a_date_has_none() -> None:
    assert html("<h1>T</h1><p>Copyright 2024. Last updated 2023-01-01.</p>").published is None


def test_links_are_absolute_unique_and_know_their_place() -> None:
    made = page(
        "<html><head><meta name=generator content=Sphinx></head><body><nav><a href='/a'>Menu</a></nav><div role=main>"
        "<p>Start.</p><p>See <a href='b.html#part'>the b page</a> and <a href='mailto:x@y.z'>mail</a>.</p>"
        "<p><a href='b.html'>again</a> <a href='#top'>up</a> <a href='/a'>A</a></p></div></body></html>"
    )
    assert [link.url for link in made.links] == ["https://example.org/a", "https://example.org/docs/b.html"]
    inside = made.links[1]
    assert (inside.text, inside.context) == ("the b page", "See the b page and mail.")
    assert 0 < inside.position < 1


def test_navigation_of_an_article_page_is_left_out() -> None:
    prose = "<p>" + "A long sentence about the growing of apples in cold valleys, and how to prune them. " * 6 + "</p>"
    made = page(
        "<html><head><meta property=og:type content=article></head><body><ul class=menu><li><a href=/x>Home page</a>"
        f"<li><a href=/y>Contact us</a></ul><article><h1>Apples</h1>{prose * 3}<p>Second <b>part</b> of the story "
        "which also has quite some words in it.</p></article><footer>All rights reserved.</footer></body></html>"
    ).documents[0]
    assert "growing of apples" in made.text
    assert "Home page" not in made.text
    assert "All rights reserved" not in made.text


def test_empty_page_is_unreadable() -> None:
    with pytest.raises(UnreadableError, match="empty"):
        page("  \n ", media_type="text/html")


@pytest.mark.parametrize("tag", ["div", "ul><li", "blockquote", "dl><dt", "table><tr><td", "b"])
def test_deep_nesting_is_read(tag: str) -> None:
    made = page(f"<html><body>{f'<{tag}>' * 50_000}deep inside</body></html>", media_type="text/html")
    assert "deep inside" in made.documents[0].text


def test_ten_megabytes_on_one_line_are_read() -> None:
    made = page("<html><body><p>" + "word " * 2_000_000 + "</p></body></html>")
    assert len(made.documents[0].text) == 2_000_000 * 5 - 1


@given(st.text(max_size=300))
def test_any_text_survives_as_prose(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    made = page(f"<html><body><p>begin {escaped} end</p></body></html>", media_type="text/html")
    shown = made.documents[0].text
    assert shown.startswith("begin")
    assert shown.endswith("end")
    shown.encode("utf-8")


MARKUP = (
    *"<p> <li> <ul> <dl> <dt> <dd> <pre> <table> <tr> <td> </table> <h2> <code> x </p> </a> <br>".split(),
    "<a href=q>",
)


@given(st.lists(st.sampled_from(MARKUP)))
def test_any_markup_gives_a_page_with_ordered_anchors(tokens: list[str]) -> None:
    made = page(f"<html><body><i id=a></i>{' '.join(tokens)}</a><p id=b>last", media_type="text/html")
    document = made.documents[0]
    starts = [anchor.start for anchor in document.anchors]
    assert starts == sorted(starts)
    assert all(start <= len(document.text) for start in starts)
    assert "last" in document.text


def test_a_long_list_of_links_leads_on_but_is_no_text() -> None:
    entries = "".join(f"<li><a href='p{n}.html'>Chapter {n}</a></li>" for n in range(30))
    few = "<ul><li><a href='a.html'>Salt</a> draws out water.</li><li><a href='b.html'>Sugar</a> binds it.</li></ul>"
    text = "<h1>Handbook</h1><p>How food is kept, in thirty chapters.</p>"
    body = f"<main>{text}<ul>{entries}</ul><p>In short:</p>{few}</main>"
    head = "<head><meta name='generator' content='Sphinx'><title>Handbook</title></head>"
    found = read(
        f"<html>{head}<body>{body}</body></html>".encode(),
        url="http://h/",
        media_type="text/html",
        settings=ReadSettings(),
    )
    assert "Chapter 7" not in found.documents[0].text
    assert "Salt draws out water." in found.documents[0].text
    assert len(found.links) == 32
