import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.text.sentences import sentences

SIGNS = st.text(alphabet="aAbB1 .!?…\n\t\"')(]-•#|:;,。", max_size=120)


def _split(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Fig. 2 shows what Dr. Ruiz measured.",
        "It costs 3.50 a piece, e.g. at the market.",
        "Version 3.11. is not what one writes.".replace("3.11. is", "3.11 is"),
        "See No. 5 and pp. 12 to 14.",
        "We met at 10 a.m. at the station.",
        "J. S. Bach and G. F. Handel never met.",
        "Write to ann@example.org or open read.me in ~/.config first.",
        "They left (he had said so.) without a word.",
        '"Stop." she said.',
        "He waited ... and waited.",
        "Was it on Sept. 11 or Oct. 3?",
        "The U.S. Government and the E.U. agree.",
        "It uses zlib, bz2, etc. when they are there.",
    ],
)
def test_these_are_one_sentence(text):
    assert _split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It uses zlib etc. The rest is optional.", ["It uses zlib etc.", "The rest is optional."]),
        ("I take vitamin C. It helps.", ["I take vitamin C.", "It helps."]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("(One aside.) And on.", ["(One aside.)", "And on."]),
        ("Use `x`. Then `y`. Done!", ["Use `x`.", "Then `y`.", "Done!"]),
        ("really? yes. ok then", ["really?", "yes.", "ok then"]),
        ("It changed in 3.11. Nothing else did.", ["It changed in 3.11.", "Nothing else did."]),
        ("Treat it with rest.For others, see below.", ["Treat it with rest.", "For others, see below."]),
        ("unittest.TestCase tests. Node.Js runs.", ["unittest.TestCase tests.", "Node.Js runs."]),
        ("1) Wash it 2) Dry it", ["1) Wash it", "2) Dry it"]),
        ("これは水です。飲みます。", ["これは水です。", "飲みます。"]),
        ("# Title\nText here.\n\nMore text", ["# Title", "Text here.", "More text"]),
        ("- one\n- two", ["- one", "- two"]),
        ("a line that\nis wrapped. Next.", ["a line that\nis wrapped.", "Next."]),
    ],
)
def test_where_one_ends(text, expected):
    assert _split(text) == expected


@given(st.one_of(st.text(max_size=150), SIGNS))
def test_spans_are_trimmed_ordered_and_hold_everything(text):
    held = [False] * len(text)
    last = 0
    for start, end in sentences(text):
        assert last <= start < end
        assert text[start:end] == text[start:end].strip()
        last = end
        held[start:end] = [True] * (end - start)
    assert not "".join(sign for sign, inside in zip(text, held, strict=True) if not inside).strip()


@pytest.mark.parametrize("piece", ["a b. C ", ". ", "1. A ", "• ", ".\"'", "\n", "a.)", "e.g. "])
def test_cost_grows_with_length_alone(piece):
    def seconds(size):
        text = piece * (size // len(piece))
        started = time.process_time()
        sentences(text)
        return time.process_time() - started

    small, large = max(seconds(20_000), 0.002), seconds(200_000)
    assert large < 60 * small
