import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.text.tables import prose_sentences, table_runs

ROWS = "| Food | Calcium |\n|---|---|\n| Milk | 120 |\n| Kale | 150 |"


def _prose(text):
    return [text[start:end] for start, end in prose_sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        f"Milk is rich in calcium.\n\n{ROWS}\n\nSo is kale, they say.",
        "Milk is rich in calcium.\nFood | Calcium\n--- | ---\nMilk | 120\nKale | 150\n\nSo is kale, they say.",
        "Milk is rich in calcium. | Food | mg | |---|---| | Milk | 120 | | Kale | 150 | So is kale, they say.",
        "Milk is rich in calcium.\nMilk | 120 | 3.4 g | 62 |\nKale | 150 | 2.9 g | 35 |\nSo is kale, they say.",
    ],
)
def test_tables_of_every_make_leave_only_the_prose(text):
    assert _prose(text) == ["Milk is rich in calcium.", "So is kale, they say."]


@pytest.mark.parametrize(
    "text",
    [
        "Use `cat log | grep error` to find it.",
        "The operator a | b joins two sets.",
        "cat log | sort | uniq -c | head -5",
        "The pattern yes|no matches either word.",
    ],
)
def test_code_and_prose_with_pipes_survive(text):
    assert table_runs(text) == []
    assert _prose(text) == [text]


def test_rows_inside_fenced_code_are_no_table():
    assert table_runs("```\n| a | b |\n| 1 | 2 |\n```") == []


@pytest.mark.parametrize(
    "fragment",
    [
        *("12.5 88 3", "# Heading here", "***", "Fig", "0.5 | 1.2"),
        *("Underlined heading\n----", "**What is checked.**", "__What is checked__:", "These are checked:"),
        *("- words like these are counted;", "- Salt and water", "2) nothing a page says causes a fetch."),
        "```console\n$ make all. It works. Then go on with it.\n```",
    ],
)
def test_fragments_are_dropped(fragment):
    assert _prose(f"{fragment}\n\nThis one is prose.") == ["This one is prose."]


def test_strong_words_that_open_a_paragraph_are_its_heading():
    assert _prose("**What is checked.** Sentences are compared. **Never** trust one.") == [
        "Sentences are compared.",
        "**Never** trust one.",
    ]


def test_items_that_are_sentences_stay():
    assert _prose("- Water boils at 100 °C.\n- *Salt* melts at 801 °C.\n") == [
        "- Water boils at 100 °C.",
        "- *Salt* melts at 801 °C.",
    ]


def test_a_fence_that_is_never_closed_hides_nothing():
    assert _prose("Before it.\n\n```\n\nThis is behind it.") == ["Before it.", "This is behind it."]


def test_endless_sentences_are_cut_at_a_clause():
    text = "the word goes on and on, " * 60
    (only,) = _prose(text)
    assert len(only) <= 600
    assert only.endswith(",")


@given(st.text(alphabet="ab 1|.\n-`~A,", max_size=200))
def test_spans_never_overlap(text):
    for spans in (table_runs(text), prose_sentences(text)):
        last = 0
        for start, end in spans:
            assert last <= start < end <= len(text)
            last = end
