"""Characters that no reader sees and no text needs: they steer terminals, reorder lines, or smuggle words past the eye.

Readers take most of them out of documents (`tamis.text.encoding.clean`); what a model or a row of data says has to be
rid of them on its way into a prompt, a page or a terminal.
"""

from __future__ import annotations

import re

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # without width
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # joiners, line and paragraph ends, directions
    "\ud800-\udfff\U000e0000-\U000e007f]"  # halves of characters, tags
)


def without_unseen(text: str) -> str:
    """A text without those characters."""
    return text if text.isascii() and text.isprintable() else UNSEEN.sub("", text)
