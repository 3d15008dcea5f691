"""Input requests that others than the task's own caller answer: who may, how many, and what each of them decided.

Pure.  `engine/entitlement.py` says which callers an audience has.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self
from urllib.parse import quote

from mcp_tasks.limits.tools import MAX_AUDIENCE_BYTES, MAX_QUORUM, MAX_SHOWN_CHARACTERS
from mcp_tasks.records import record
from mcp_tasks.tasks.actors import people_of
from mcp_tasks.tasks.visible import one_line

ACCEPT: Final = "accept"
DECLINE: Final = "decline"
QUORUM: Final = f"a quorum is 1 to {MAX_QUORUM}, and 1 of a subject, not {{}}"


class Kind(StrEnum):
    """By what an audience is named."""

    ROLE = "role"
    SUBJECT = "subject"
    ANYONE = "anyone"


@record
class Audience:
    """Who of the task's tenant may answer: a role, one subject, or anyone; perhaps not the task's own subject."""

    kind: Kind
    name: str = ""
    not_asker: bool = False

    def __post_init__(self) -> None:
        """Raise `ValueError` for a role or a subject without a name, or with one that no key could hold."""
        if bool(self.name) is (self.kind is Kind.ANYONE):
            raise ValueError("a role and a subject have a name, and anyone has none")
        if len(self.key) > MAX_AUDIENCE_BYTES:
            raise ValueError(f"the name of a {self.kind} takes more than {MAX_AUDIENCE_BYTES} bytes when quoted")

    def but_me(self) -> Self:
        """Return the same without the subject whose task asks (four eyes)."""
        return replace(self, not_asker=True)

    @property
    def key(self) -> str:
        """The audience in a key of the store, in ASCII and without `#`; `but_me` changes nothing in it."""
        return self.kind.value if self.kind is Kind.ANYONE else f"{self.kind}:{quote(self.name, safe='')}"

    @property
    def text(self) -> str:
        """The audience in words, for people."""
        return {Kind.ROLE: f"role {self.name}", Kind.SUBJECT: self.name, Kind.ANYONE: "anyone"}[self.kind]


@record
class Escalation:
    """Who may answer too, once it has waited for `after`."""

    after: timedelta
    audience: Audience

    def __post_init__(self) -> None:
        """Raise `ValueError` for a time that is none: whoever may answer at once is of the first audience."""
        if self.after <= timedelta():
            raise ValueError("what escalates waits for some time before")


@record
class Approval:
    """What makes an input request one for others: who may answer, how many must accept, and what they are `shown`.

    `shown` is Markdown, from the tool; beside it they see the message and the form, and nothing else of the task.
    They are told of it again each time that `remind` has passed.  Those of `escalate` may answer beside them, in time.
    """

    audience: Audience
    quorum: int = 1
    shown: str | None = None
    remind: timedelta | None = None
    escalate: Escalation | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError` for a quorum out of bounds, a text that is too long, and one audience twice."""
        if not 1 <= self.quorum <= MAX_QUORUM:
            raise ValueError(QUORUM.format(self.quorum))
        if self.shown is not None and len(self.shown) > MAX_SHOWN_CHARACTERS:
            raise ValueError(f"approvers are shown {MAX_SHOWN_CHARACTERS:,} characters at most")
        if self.escalate is not None and self.escalate.audience.key == self.audience.key:
            raise ValueError(f"what {self.audience.text} may answer cannot escalate to the same audience")

    def check_reachable(self) -> None:
        """Raise `ValueError` for a quorum of one subject; one to whom it escalates counts with the first audience."""
        if self.quorum > 1 and self.audience.kind is Kind.SUBJECT:
            raise ValueError(QUORUM.format(self.quorum))

    @property
    def waits_for(self) -> str:
        """The status message of a task whose own caller is not asked."""
        count = f"{self.quorum} answers" if self.quorum > 1 else "an answer"
        later = f", and after {self.escalate.after} of {self.escalate.audience.text} too" if self.escalate else ""
        return one_line(f"Waits for {count} of {self.audience.text}{later}.")

    @property
    def audiences(self) -> tuple[tuple[timedelta, Audience], ...]:
        """Who may answer, each with the time after which it may; whoever asks is no more entitled by an escalation."""
        first = (timedelta(), self.audience)
        if self.escalate is None:
            return (first,)
        excludes = self.audience.not_asker or self.escalate.audience.not_asker
        return first, (self.escalate.after, replace(self.escalate.audience, not_asker=excludes))


@record
class Decision:
    """What one person answered: `action` of an elicitation's result, when, by which channel.

    `digest` is the SHA-256 of what was shown, and `actor` who acted on behalf of the subject (`Caller.actor`).
    `content` is the answer of who accepted, where several have to give the same (`tasks/quorum.py`).
    """

    subject: str
    at: datetime
    action: str
    channel: str
    digest: str
    actor: Mapping[str, Any] | None = None
    content: Mapping[str, Any] | None = None

    @property
    def people(self) -> frozenset[str]:
        """The subject and all who acted for it."""
        return people_of(self.subject, self.actor)


def agree(one: Decision, other: Decision) -> bool:
    """Return whether two who accepted gave the same answer.

    The release before kept no answers: whoever accepted then agreed to that of the last.
    """
    return one.content is None or other.content is None or key_of(one) == key_of(other)


def key_of(decision: Decision) -> str:
    """Return the one text of a decision's answer."""
    return json.dumps(decision.content, sort_keys=True)
