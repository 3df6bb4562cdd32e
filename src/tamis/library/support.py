"""How many passages a shelf takes, where nobody has said it."""

from __future__ import annotations

from math import ceil

from tamis.settings_library import LayerASettings

_SHARE = 0.05
_FEWEST, _MOST = 3, 20


def supported(settings: LayerASettings, passages: int) -> LayerASettings:
    """The settings with a least support that fits a collection; what a user set stays.

    A number that keeps the accidents of thousands of passages off the shelves would leave a folder of sixty files on a
    single one: so it is a twentieth of all passages, from 3 to 20.

    Args:
        settings: as set; 0 is automatic.
        passages: of the collection.
    """
    if settings.minimum_support:
        return settings
    least = min(_MOST, max(_FEWEST, ceil(_SHARE * passages)))
    return settings.model_copy(update={"minimum_support": least})
