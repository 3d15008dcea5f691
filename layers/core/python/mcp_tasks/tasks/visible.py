"""Shows characters that change how a text looks, or are not seen at all, as `[U+202E]`; pure, no I/O.

For texts that people read before they decide.  What is stored, hashed and returned as JSON stays as it was written.
The console has the same rule (`page/console.html`).
"""

import re
from functools import cache
from typing import Final

NO_JOIN: Final = "\u0620-\u08ff\u0900-\u0dff\u1820-\u18aa"
"""Scripts whose words need U+200C: Arabic and Persian letters do not join there."""

JOIN: Final = "\u0900-\u0dff"
"""Scripts whose words need U+200D."""

EMOJI: Final = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
"""Pictures that U+200D makes one, as a family."""

CONTROLS: Final = (
    # C0 but for tab and line feed, and C1; the soft hyphen, and what joins or fills without a sign of its own.
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    # Zero width and direction, fillers, the byte order mark, annotations.
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    # Lone surrogates, formats of shorthand and music, tags and more variation selectors than emoji have.
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)

UNSEEN: Final = (
    "\r(?!\n)"
    f"|\u200c(?!(?<=[{NO_JOIN}]\u200c)[{NO_JOIN}])"
    f"|\u200d(?!(?<=[{JOIN}]\u200d)[{JOIN}]|(?<=[{EMOJI}]\u200d)[{EMOJI}])"
    f"|[{CONTROLS}]"
)


def visible(text: str) -> str:
    """Return a text with a mark for each character that is not seen, but for tabs and what ends lines."""
    return _unseen().sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def one_line(text: str) -> str:
    """Return the same on one line: what quotes anybody's text must not look like another entry of its list."""
    return " ".join(visible(text).split())


@cache
def _unseen() -> re.Pattern[str]:
    # Saves 1 ms of every cold start: few requests are answered with a text for people.
    return re.compile(UNSEEN)
