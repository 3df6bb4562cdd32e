"""A gazette of places that do not exist: as many small, distinct, linked pages as wanted, and what they can be asked.

Page n is always the same page. It is about one building in one town, in about a hundred words, and states four facts
that no other page states of that town. The second version of the gazette differs on every tenth page, never in a fact
that is asked for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

_HEADS = (
    "Alder Amber Ash Barley Beck Birch Black Bram Bright Brook Cald Cedar Clay Cold Copper Corn Crane Dale Deep Dun "
    "Elm Ember Fair Farn Fen Flax Fox Frost Glen Gold Goose Grey Hal Hare Hart Hazel Hedge Heron Hol Horn Iron Ivy "
    "Kestrel King Lang Lark Lime Linden Long Lyn Maple Marl Mead Mill Moor Moss Nether North Oak Otter Pear Pine Quill "
    "Raven Reed Rook Rose Rush Salt Sand Sedge"
).split()
_TAILS = (
    "acre bank barrow beach beck berry bourne bridge brook burn bury by carr chester cliff combe cote cross dale den "
    "don down fell field firth fleet fold ford garth gate grange grove ham haven hay head heath hill holm hope hurst "
    "ing lade land lea ley low mere minster moor mouth ness over pool port rigg sea shaw side stead stoke stow thorpe "
    "toft ton tree vale view wade water well"
).split()

_STONES = ("granite", "limestone", "red brick", "sandstone", "slate", "flint", "oak", "basalt")
_SOURCES = ("parish ledger", "county survey", "harbour almanac", "railway guide", "school chronicle", "tax roll")
_PEOPLE = ("Ada", "Bertram", "Clara", "Dorian", "Edith", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Klara", "Leopold")
_NAMES = ("Marsh", "Novak", "Ostrow", "Pellier", "Quade", "Rask", "Sorley", "Thane", "Ulmer", "Varga", "Wren", "Yates")


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of building: what it is called, how it is measured, what is kept and what happens there."""

    noun: str
    measure: str
    kept: tuple[str, ...]
    happens: tuple[str, ...]


_KINDS = (
    _Kind(
        "lighthouse",
        "{value} metres tall",
        ("brass lamps", "storm logs", "signal flags", "lens glass"),
        ("The keeper counts the passing herring boats", "Pilots meet on the gallery before a gale"),
    ),
    _Kind(
        "windmill",
        "{value} metres across its sails",
        ("spelt flour", "buckwheat", "rye meal", "cracked oats"),
        ("Bakers from three valleys queue on Fridays", "The miller dresses the stones in silence"),
    ),
    _Kind(
        "bridge",
        "{value} metres long",
        ("toll tokens", "flood marks", "mason tools", "wagon lists"),
        ("Drovers water their cattle below the arches", "Swifts nest under the second pier"),
    ),
    _Kind(
        "museum",
        "{value} rooms large",
        ("pressed ferns", "clay whistles", "weaving looms", "fossil fish"),
        ("Schoolchildren draw the exhibits every Monday", "A lecture on old maps fills the hall"),
    ),
    _Kind(
        "brewery",
        "{value} copper vats strong",
        ("smoked malt", "wild hops", "heather ale", "juniper beer"),
        ("Coopers mend the barrels in the yard", "The yeast is carried over by hand"),
    ),
    _Kind(
        "observatory",
        "{value} steps high",
        ("comet plates", "star charts", "sundials", "meteor notes"),
        ("Amateurs compare their drawings of Saturn", "The dome is opened when the fog lifts"),
    ),
    _Kind(
        "orchard hall",
        "{value} trees wide",
        ("russet apples", "bergamot pears", "damson jam", "quince cheese"),
        ("Beekeepers trade honey for windfalls", "Ladders are blessed before the picking"),
    ),
)

ASPECTS = ("year", "measure", "kept", "builder")


@dataclass(frozen=True, slots=True)
class Entry:
    """What page n is about.

    Attributes:
        number: n.
        town: no other page has the same.
        noun: the kind of building.
        facts: by aspect, the words that state it; a right answer holds them.
    """

    number: int
    town: str
    noun: str
    facts: dict[str, str]

    def question(self, aspect: str) -> str:
        """Ask for one of the facts."""
        subject = f"the {self.noun} of {self.town}"
        return {
            "year": f"In which year was {subject} finished?",
            "measure": f"What is the size of {subject}?",
            "kept": f"Which things are kept in {subject}?",
            "builder": f"Who built {subject}?",
        }[aspect]


MOST = len(_HEADS) * len(_TAILS)
"""Towns there are names for."""


def entry(number: int) -> Entry:
    """What page n says."""
    drawn = random.Random(f"gazette {number}")
    kind = _KINDS[number % len(_KINDS)]
    # Coprime steps walk through all names, and neighbours are called quite differently.
    name = number * 1009 % MOST
    return Entry(
        number,
        _HEADS[name % len(_HEADS)] + _TAILS[name // len(_HEADS)],
        kind.noun,
        {
            "year": str(drawn.randint(1611, 1938)),
            "measure": kind.measure.format(value=drawn.randint(11, 97)),
            "kept": drawn.choice(kind.kept),
            "builder": f"{drawn.choice(_PEOPLE)} {drawn.choice(_NAMES)}",
        },
    )


def _anything(drawn: random.Random) -> str:
    return drawn.choice(_KINDS).kept[drawn.randrange(4)]


def _paragraphs(about: Entry, version: int) -> list[str]:
    drawn = random.Random(f"gazette words {about.number} {version if about.number % 10 == 9 else 1}")
    kind = _KINDS[about.number % len(_KINDS)]
    facts, town, noun = about.facts, about.town, about.noun
    first = [
        f"The {noun} of {town} was finished in {facts['year']} and stands on {drawn.choice(_STONES)}.",
        f"{facts['builder']} built it after {drawn.randint(2, 9)} years of dispute with the {drawn.choice(_SOURCES)}.",
        f"At {facts['measure']}, the {noun} of {town} is easy to find from the {drawn.choice(_SOURCES)} alone.",
    ]
    second = [
        f"Visitors to {town} are shown the {facts['kept']} that the {noun} keeps under its roof.",
        f"{drawn.choice(kind.happens)}, about {drawn.randint(12, 340)} times a year.",
        (
            f"A {drawn.choice(_SOURCES)} from {drawn.randint(1700, 1960)} counts {drawn.randint(40, 9000)} people in "
            f"{town}, most of them working in {drawn.choice(_STONES)} and {_anything(drawn)}."
        ),
        (
            f"Repairs cost {drawn.randint(90, 4000)} crowns and were paid by the sale of {_anything(drawn)} at the "
            f"{drawn.choice(_KINDS).noun} nearby."
        ),
    ]
    drawn.shuffle(second)
    return [" ".join(first), " ".join(second)]


def pages(count: int, version: int) -> dict[str, str]:
    """HTML pages by path, each linking to three others; from the first one all are reached.

    Raises:
        ValueError: there are not so many towns.
    """
    if count > MOST:
        raise ValueError(f"{count} pages wanted, there are names for {MOST}")
    found = {}
    for number in range(count):
        about = entry(number)
        title = f"The {about.noun} of {about.town}"
        body = "".join(f"<p>{paragraph}</p>" for paragraph in _paragraphs(about, version))
        others = dict.fromkeys((2 * number + 1, 2 * number + 2, number + 1))
        links = "".join(f'<a href="/{other}">{entry(other).town}</a> ' for other in others if other < count)
        found[f"/{number}"] = (
            f"<html lang=en><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main>"
            f"<nav>{links}</nav></body></html>"
        )
    return found


def questions(count: int, pages_there: int) -> list[tuple[str, str]]:
    """(question, words of a right answer), spread over all pages and aspects.

    Args:
        count: how many.
        pages_there: pages that were made.
    """
    asked = []
    for at in range(count):
        about = entry(at * pages_there // count)
        aspect = ASPECTS[at % len(ASPECTS)]
        asked.append((about.question(aspect), about.facts[aspect]))
    return asked
