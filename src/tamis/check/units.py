"""Units of measure, each in the forms people write it; one line a unit."""

from __future__ import annotations

import re
from functools import lru_cache

_FORMS = """
%: % percent percentage pct
$: $ usd dollar dollars
€: € eur euro euros
£: £ gbp pound-sterling
¥: ¥ jpy yen
krone: dkk nok sek kr krone kroner kronor crown crowns
franc: chf franc francs
yuan: cny rmb yuan renminbi
rupee: inr rupee rupees
cent: cent cents
ng: ng nanogram nanograms
µg: µg μg ug mcg microgram micrograms
mg: mg milligram milligrams
g: g gram grams gramme grammes
kg: kg kilogram kilograms kilo kilos
tonne: t tonne tonnes ton tons
lb: lb lbs pound pounds
oz: oz ounce ounces
iu: iu
mmol: mmol millimole millimoles
µmol: µmol μmol umol
nmol: nmol
mol: mol mole moles
kcal: kcal calories calorie kilocalories
kj: kj kilojoules kilojoule
mj: mj megajoules
j: j joule joules
ml: ml millilitre millilitres milliliter milliliters
cl: cl centilitre centilitres
dl: dl decilitre decilitres deciliter
l: l litre litres liter liters
cup: cup cups
tbsp: tbsp tablespoon tablespoons
tsp: tsp teaspoon teaspoons
gallon: gal gallon gallons
pint: pint pints
nm: nm nanometre nanometres nanometer nanometers
µm: µm μm micron microns micrometre micrometres micrometer micrometers
mm: mm millimetre millimetres millimeter millimeters
cm: cm centimetre centimetres centimeter centimeters
m: m metre metres meter meters
km: km kilometre kilometres kilometer kilometers
mi: mile miles
ft: ft foot feet
in: inch inches
yd: yd yard yards
light-year: light-year light-years lightyear lightyears
parsec: parsec parsecs
ha: ha hectare hectares
acre: acre acres
m2: m² m2
km2: km² km2
m3: m³ m3
ms: ms millisecond milliseconds
µs: µs μs microsecond microseconds
ns: ns nanosecond nanoseconds
s: s sec secs second seconds
min: min mins minute minutes
h: h hr hrs hour hours
day: day days
week: week weeks
month: month months
year: year years yr yrs
decade: decade decades
century: century centuries
°c: °c celsius degrees-celsius
°f: °f fahrenheit
k: kelvin kelvins
degree: ° degree degrees
byte: byte bytes
bit: bit bits
kb: kb kib kilobytes kilobyte
mb: mb mib megabytes megabyte
gb: gb gib gigabytes gigabyte
tb: tb tib terabytes terabyte
pb: pb petabytes petabyte
kbit: kbit kbps kilobits
mbit: mbit mbps megabits
gbit: gbit gbps gigabits
pixel: px pixel pixels
hz: hz hertz
khz: khz kilohertz
mhz: mhz megahertz
ghz: ghz gigahertz
w: w watt watts
kw: kw kilowatt kilowatts
mw: mw megawatt megawatts
gw: gw gigawatt gigawatts
tw: tw terawatt terawatts
wh: wh
kwh: kwh kilowatt-hours kilowatt-hour
mwh: mwh megawatt-hours
gwh: gwh gigawatt-hours
twh: twh terawatt-hours
v: v volt volts
kv: kv kilovolt kilovolts
a: amp amps ampere amperes
ma: mah milliamps
pa: pa pascal pascals
hpa: hpa hectopascal hectopascals
kpa: kpa kilopascal kilopascals
bar: bar bars
psi: psi
mmhg: mmhg
db: db decibel decibels
ppm: ppm
ppb: ppb
rpm: rpm
mph: mph
knot: knot knots
kmh: km/h kph kmh
time: time times ×
"""
MONEY = frozenset("$ € £ ¥ krone franc yuan rupee".split())
TIMES = frozenset("ms s min h day week month year decade century".split())
RATES = {"daily": "day", "hourly": "h", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"}
"""Adverbs that say by what something is counted."""
_SHORT_DENOMINATORS = {"d": "day", "wk": "week", "mo": "month", "y": "year", "a": "year"}
_SLASH = re.compile(r"\s?/\s?([^\W_]+[²³]?)")
_PER = re.compile(
    r"(?:\s(?:of|in)?\s?(?!per\b|each\b|every\b|an?\b)[^\W\d]+){0,3}?\s(?:per|each|every|an?)\s(?:[^\W\d_]+\sand\s)?([^\W\d_]+)"
    r"|(?:\s(?:of\s)?[^\W\d]+){0,2}?\s(daily|hourly|weekly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _units() -> dict[str, str]:
    lines = (line.split(": ", 1) for line in _FORMS.strip().splitlines())
    return {form: name for name, forms in lines for form in forms.split()}


def unit_of(word: str) -> str:
    """The unit a word stands for, empty where it is none.

    Args:
        word: in any case, without the number.
    """
    return _units().get(word.casefold(), "")


def denominator(text: str, at: int) -> str:
    """What a quantity is counted by: "dl" behind "5 mg" in "5 mg/dL", "day" in "30 g of nuts a day"; empty for nothing.

    Args:
        text: the sentence.
        at: where number and unit end.
    """
    if slash := _SLASH.match(text, at):
        word = slash[1].casefold()
        return _SHORT_DENOMINATORS.get(word) or unit_of(word) or word
    found = _PER.match(text, at)
    if not found:
        return ""
    return RATES[found[2].casefold()] if found[2] else unit_of(found[1])
