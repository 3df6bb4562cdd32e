import numpy as np
import pytest

from library.clouds import texts
from tamis.library.labels import class_weights, names
from tamis.library.vocabulary import background, key_of, spellings, vocabulary


def _names(groups, **how):
    """Name groups of texts given as a list of lists."""
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return names(vocabulary([text for group in groups for text in group]), labels, len(groups), **how)


@pytest.mark.parametrize(
    "word",
    [*"the 2011 3.25 B12 x mg Figure studies see www III.4.2 _ a1b2c3d4 page.html".split(), "z" * 40],
)
def test_junk_names_nothing(word):
    assert key_of(word) == ""


@pytest.mark.parametrize(("word", "other"), [("Statins", "statin"), ("fracture's", "fractures"), ("Cafés", "cafe")])
def test_forms_of_a_word_are_one(word, other):
    assert key_of(word) == key_of(other) != ""


def test_labels_say_what_sets_a_group_apart():
    found = _names([texts([0] * 6), texts([1] * 6), texts([2] * 6)])
    assert "calcium" in found[0].keywords
    assert any("tea" in keyword.lower() for keyword in found[1].keywords)
    assert any("loop" in keyword or "event" in keyword for keyword in found[2].keywords)
    assert not {"Passage", "passage", "list"} & {keyword for name in found for keyword in name.keywords}


def test_phrases_stand_for_their_words():
    group = [
        f"Breast cancer and its stages. In {name} breast cancer is studied." for name in "Oslo Rome Bonn Lima".split()
    ]
    other = [f"Olive oil from {name} is pressed cold." for name in "Oslo Rome Bonn Lima".split()]
    found = _names([group, other])
    assert found[0].label.startswith("breast cancer")
    assert not {"breast", "cancer"} & set(found[0].keywords)


def test_written_as_people_write_it():
    verbs = "launches builds sends steers funds".split()
    group = [f"NASA {verb} probes. Probes that {verb} may orbit Mars. Crohn's disease and {verb}." for verb in verbs]
    found = set(_names([group, texts([1] * 4)])[0].keywords)
    assert {"NASA", "probes", "Crohn's disease"} <= found
    assert {"Mars", "orbit Mars"} & found


def test_a_letter_behind_a_word_belongs_to_it():
    found = _names([["Vitamin D and vitamin D again. Sun makes vitamin D."] * 4, texts([1] * 4)])
    assert found[0].keywords[0] == "vitamin D"


def test_capitals_of_titles_are_not_those_of_words():
    titles = ["Bone Density In Women", "Bone Loss", "Bone Density"]
    spelled = spellings(["the bone density of women", "loss of bone in Oslo"])
    words = vocabulary(titles, spelled)
    assert names(words, np.zeros(3, dtype=int), 1)[0].keywords[0] == "bone density" or "bone" in words.written(0)
    assert {words.written(term) for term in range(len(words.keys))} <= {"bone", "density", "loss", "women"}


def test_markup_code_and_addresses_are_left_out():
    text = "# Heading\n\n**Kefir** grains, see [site](https://example.org/page).\n\n```\nprint(kefir_secret)\n```\n"
    surfaces = set(vocabulary([text]).surfaces)
    assert {"Kefir", "grains"} <= surfaces
    assert not {"kefir_secret", "print", "https", "example.org"} & surfaces


def test_siblings_never_share_a_label():
    same = ["Kefir grains ferment milk."] * 3
    found = _names([same, same, same])
    assert len({name.label.casefold() for name in found}) == 3
    assert all(name.label for name in found)


def test_labels_in_use_are_avoided():
    first = _names([texts([0] * 4), texts([1] * 4)])[0].label
    assert _names([texts([0] * 4), texts([1] * 4)], taken=[first.upper()])[0].label.casefold() != first.casefold()


def test_nothing_to_name_gives_no_label():
    found = _names([["12 13 14", "| 1 | 2 |"], texts([1] * 2)])
    assert found[0].label == ""
    assert found[0].keywords == ()
    assert found[1].label


def test_one_text_does_not_name_a_group():
    group = ["Kefir grains ferment milk."] * 20 + ["Zebra zebra zebra zebra zebra zebra"]
    assert "zebra" not in [word.lower() for word in _names([group, texts([1] * 9)])[0].keywords]


def test_weights_of_what_all_share_are_nothing():
    words = vocabulary(["milk kefir", "milk kefir", "milk bread", "milk bread"])
    weights = class_weights(words.counts, np.array([0, 0, 1, 1]), 2).toarray()
    place = {key: number for number, key in enumerate(words.keys)}
    assert weights[:, place["milk"]].tolist() == [0, 0]
    assert weights[0, place["kefir"]] > 0 == weights[1, place["kefir"]]


def test_what_the_whole_library_speaks_of_names_no_part_of_it():
    groups = [
        [f"Risk of disease. Mercury in fish; risk {n}." for n in "abcdef"],
        [f"Risk of disease. Lead in paint; {n}." for n in "abcdef"],
    ]
    common = background([f"The risk of disease {n}." for n in range(90)] + [text for some in groups for text in some])
    for found in _names(groups, common=common):
        assert not {"risk", "disease"} & set(found.label.split(", "))


def test_abbreviations_are_spelled_out_as_their_group_defines_them():
    metal = ["Exposure to cadmium (Cd) is measured. Cd harms kidneys."] * 4
    bowel = ["In celiac disease (CD) gluten harms. CD is for life."] * 4
    found = _names([metal, bowel], texts=metal + bowel)
    assert not any("cd" in name.label.lower().split(", ") for name in found)
    assert "cadmium" in found[0].label
    assert "celiac disease" in found[1].label


def test_a_label_says_nothing_twice():
    group = [f"Allergy and allergic children {n}. Vitamin D and 25-hydroxyvitamin D, or OH." for n in "abcdef"]
    label = _names([group, texts([1] * 4)])[0].keywords
    assert len({"allergy", "allergic"} & set(label)) < 2
    assert sum("vitamin" in keyword.lower() for keyword in label) == 1
    assert "OH" not in label[1:]


def test_units_name_nothing():
    group = [f"Kept at 4 degrees C and 5 degrees C, {n}; spores grew." for n in "abcdef"]
    assert "degrees" not in " ".join(_names([group, texts([1] * 4)])[0].keywords)
