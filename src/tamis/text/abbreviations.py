"""English abbreviations by how they behave before white space, and words that begin sentences."""

from __future__ import annotations

ALWAYS = frozenset(
    """
    mr mrs ms messrs mme dr drs prof rev fr hon pres gov sen rep reps sens gen maj col lt cmdr adm capt sgt cpl pvt supt
    insp det mt ft st ste sra vs v viz cf e.g eg i.e ie approx ca c.f esp incl resp
    p.s ps fig figs eq eqs eqn sec sect chap ref refs tab
    """.split()
)
"""Something always follows: a name, a number, an explanation."""

BEFORE_DIGIT = frozenset(
    """
    no nos nr n° p pp pg vol vols ch art par para ver v ext tel ph fax op al
    jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()
)
"""Abbreviations before a number, ordinary words or ends of sentences elsewhere."""

SOMETIMES = frozenset(
    """
    inc co corp ltd llc plc bros assn dept univ jr sr esq phd ph.d m.d b.a m.a d.c etc al
    a.m p.m am pm ave blvd rd ln hwy apt bldg sq
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    hr hrs min mins sec secs lb lbs oz ml kg km cm mm in ed eds vol trans
    nat int intl natl gov govt tech ind mfg pop max temp avg est
    """.split()
)
"""May close a sentence; then a word that begins sentences follows."""

STARTERS = frozenset(
    """
    The A An This That These Those It Its He She They We You I His Her Their Our My Your There Here
    What When Where Who Why How Which Whose Did Do Does Is Are Was Were Has Have Had Can Could Should Would
    If In On At As After Before Since While Although Though Because But And Or So Yet Then Thus However Also
    For From With Without By To Of Once Until Unless During Between Under Over Through
    No Not Now Please Yes Let All Both Each Every Some Many Most Several Such Another Other One Two
    It's It’s I'm I’m I've I’ve He's He’s She's She’s They're They’re We're We’re You're You’re That's That’s There's
    There’s Let's Let’s Don't Don’t Didn't Didn’t Moreover Furthermore Finally
    """.split()
)
"""Words that begin sentences and hardly ever names; case counts."""
