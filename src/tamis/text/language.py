"""Which language a text is written in."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tamis.errors import UsageError

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE_CHARACTERS = 1_000
_LEAST_LETTERS = 20
_SHOWN = 40
_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_NOT_PROSE = re.compile(r"https?://\S+|`[^`]*`|[|#*_>\[\]()0-9]+")
ISO_639_1 = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
    el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is
    it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms
    mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk
    sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi
    yo za zh zu
    """.split()
)
_TAG = re.compile(r"^\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*\s*$")


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def language(text: str, *, least: float = 0.5) -> str:
    """Detect the language of a text by its character n-grams (Lui and Baldwin 2012).

    Args:
        text: plain text or Markdown; code, URLs and markup are left aside.
        least: probability below which no claim is made.

    Returns:
        ISO 639-1 code, empty for text too short or too mixed to tell.
    """
    prose = _NOT_PROSE.sub(" ", _CODE.sub(" ", text[: 4 * _SAMPLE_CHARACTERS]))[:_SAMPLE_CHARACTERS]
    if sum(character.isalpha() for character in prose) < _LEAST_LETTERS:
        return ""
    code, probability = _identifier().classify(prose)
    return str(code) if probability >= least else ""


def language_code(tag: str) -> str:
    """The ISO 639-1 part of a declared language tag (``en-GB`` → ``en``), empty where it has none."""
    match = _TAG.match(tag)
    code = match.group(1).lower() if match else ""
    return code if code in ISO_639_1 else ""


def asked_language(tag: str) -> str:
    """The language somebody asks for.

    Raises:
        UsageError: it is none.
    """
    code = language_code(tag)
    if not code:
        raise UsageError(
            f"no language has the code {tag[:_SHOWN]!r}", fix="two letters of ISO 639-1, such as en, de, es or zh"
        )
    return code
