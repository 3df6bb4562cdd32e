import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.text.markdown import blocks, code_text, plain

PAGE = """# Guide to *knots*

Intro with `code` and a [link](http://x.test/a_(b)).
Second line.

- one
  wrapped
  - nested
    ```python
    def f():
        return 1
    ```
- two

  still two

1. first
2) second

| a | b |
|---|---|
| 1 | 2 |

c | d
--- | ---
3 | 4

> quoted
> more

    indented
      code

Under
-----
## Deep ##
end"""

MARKUP = st.text(alphabet="ab1 \n\t#-*>|`~_[]()!<=.\\&;:", max_size=200)


def _kinds(text):
    return [(block.kind, block.level) for block in blocks(text)]


def test_every_kind_is_told_apart():
    assert _kinds(PAGE) == [
        ("heading", 1),
        ("paragraph", 0),
        ("item", 1),
        ("item", 2),
        ("code", 2),
        ("item", 1),
        ("paragraph", 1),
        ("item", 1),
        ("item", 1),
        ("table", 0),
        ("table", 0),
        ("quote", 0),
        ("code", 0),
        ("heading", 2),
        ("heading", 2),
        ("paragraph", 0),
    ]


def test_heading_paths_hold_what_is_above_and_not_the_heading_itself():
    found = blocks(PAGE)
    assert found[0].headings == ()
    assert found[1].headings == ("Guide to knots",)
    assert found[-3].headings == ("Guide to knots",)
    assert found[-1].headings == ("Guide to knots", "Deep")


def test_numbered_items_are_ordered_and_bullets_are_not():
    items = [block for block in blocks(PAGE) if block.kind == "item"]
    assert [block.ordered for block in items] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("it happened in\n1986. A good year", ["paragraph"]),
        ("a line\n- a bullet", ["paragraph", "item"]),
        ("```\n# no heading\n\n- no item\n```\nafter", ["code", "paragraph"]),
        ("```\nnever closed\n\n# still code", ["code"]),
        ("~~~\n```\n~~~", ["code"]),
        ("one | pipe in prose", ["paragraph"]),
        ("above\n\n---\n\nbelow", ["paragraph", "paragraph"]),
        ("#hashtag is no heading", ["paragraph"]),
        ("| a |\n| b |", ["table"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_what_looks_like_something_else(text, kinds):
    assert [block.kind for block in blocks(text)] == kinds


@given(st.one_of(st.text(max_size=200), MARKUP))
def test_spans_are_ordered_and_hold_every_sign_but_rules(text):
    held = [False] * len(text)
    last = 0
    for block in blocks(text):
        assert last <= block.start < block.end
        assert text[block.start : block.end] == text[block.start : block.end].strip()
        last = block.end
        held[block.start : block.end] = [True] * (block.end - block.start)
    outside = "".join(sign for sign, inside in zip(text, held, strict=True) if not inside)
    assert not outside.strip() or set("".join(outside.split())) <= set("-*_")


@given(st.one_of(st.text(max_size=200), MARKUP))
def test_plain_never_fails_and_stays_on_one_line(text):
    cleaned = plain(text)
    assert cleaned == " ".join(cleaned.split())


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("## Title ##", "Title"),
        ("**bold** and *thin* and ***both***", "bold and thin and both"),
        ("__init__ and snake_case_name stay", "__init__ and snake_case_name stay"),
        ("call f(*args, **kwargs) with *care*", "call f(*args, **kwargs) with care"),
        ("`a * b * c` is code", "a * b * c is code"),
        ("`` a ` tick ``", "a ` tick"),
        ('[text](http://x.test/a_(b) "t") and <https://y.test>', "text and https://y.test"),
        ("![a cat](cat.png)", "a cat"),
        ("[![logo](l.png)](http://x.test)", "logo"),
        ("x<y and y>z, List<String>", "x<y and y>z, List<String>"),
        ("H<sub>2</sub>O<br>wet", "H2O wet"),
        ("AT&amp;T &lt;b&gt;", "AT&T <b>"),
        (r"2 \* 3 \_ 4", "2 * 3 _ 4"),
        ("- [x] done", "done"),
        ("3. third", "third"),
        ("> said\n> twice", "said twice"),
        ("seen<!-- not seen -->", "seen"),
        ("claim[^1]", "claim"),
        ("Runs at 10~~0~~5 km/h. ~~The hut is open.~~ It is shut.", "Runs at 105 km/h. It is shut."),
        ("10<del class='x'>0</del><ins>5</ins> km/h <s>was <b>true</b></s>", "105 km/h"),
        ("a `~~` b `~~` and ~~ alone", "a ~~ b ~~ and ~~ alone"),
        ("```python\nx = 1\n```", "x = 1"),
    ],
)
def test_plain(markdown, expected):
    assert plain(markdown) == expected


def test_code_text_drops_fences_and_common_indentation():
    text = "- item\n  ```python\n  def f():\n      return 1\n  ```\n\n    x = 1\n      y = 2"
    code = [text[block.start : block.end] for block in blocks(text) if block.kind == "code"]
    assert code_text(code[0]) == "def f():\n    return 1"
    assert code_text("x = 1\n      y = 2\n    z") == "x = 1\n  y = 2\nz"


@pytest.mark.parametrize("piece", ["[", "*a ", "`", "<!--", "| ", "> ", "- a\n", "_ ", "[a](", "```\n"])
def test_cost_grows_with_length_alone(piece):
    def seconds(size):
        text = piece * (size // len(piece))
        started = time.process_time()
        blocks(text)
        plain(text)
        return time.process_time() - started

    small, large = max(seconds(20_000), 0.002), seconds(200_000)
    assert large < 60 * small
