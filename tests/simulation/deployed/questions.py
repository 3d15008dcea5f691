"""What the tools of a story ask others, as plain data: laws reckon by it who may decide, and from when on."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple

ANYONE, FINANCE, CFO = "anyone", "role:finance", "role:cfo"


class Question(NamedTuple):
    """Whom something is asked: an `audience`, and a `later` one too once it has waited for so long.

    Of either may be excluded who asks, and `quorum` of both together have to accept.
    """

    audience: str
    quorum: int = 1
    not_me: bool = False
    later: str = ""
    waits: timedelta = timedelta()
    not_me_later: bool = False
    reminds: bool = False


QUESTIONS: Final[Mapping[str, Question]] = {
    "board": Question(ANYONE, quorum=3, not_me=True),
    "one": Question(ANYONE, quorum=2),
    "budget": Question(FINANCE, quorum=2, not_me=True, later=CFO, waits=timedelta(seconds=40)),
    "salary": Question(ANYONE, quorum=3, not_me=True, later=CFO, waits=timedelta(seconds=5)),
    "travel": Question(FINANCE, later=ANYONE, waits=timedelta(minutes=2), reminds=True),
    "gift": Question("subject:grace", later=CFO, waits=timedelta(seconds=20), not_me_later=True),
    "loan": Question(CFO, quorum=2, later=ANYONE, waits=timedelta(seconds=10), not_me=True, reminds=True),
}
"""By the key of the input request."""

ESCALATING: Final = tuple(key for key, each in QUESTIONS.items() if each.later)
"""What some stories ask alone."""
