"""The inbox: what a task asks of others, as it waits for them beside the task; pure, no I/O.

An item holds exactly what is shown, and where the answer goes.  Who reads it never reads the task.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from mcp_tasks.records import record
from mcp_tasks.tasks.approvals import Approval, Audience, Decision
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Task

Decisions = tuple[Decision, ...]


def audience_of(item_id: str) -> str:
    """Return the key of the audience in an item's id, which may be any text."""
    return item_id.rpartition("#")[0]


@record
class InboxItem:
    """One open input request of a task for others, with what was decided of it so far: one item for each audience.

    `place` sorts by the time at which it was asked; `owner_key` and `actor` are those of the task's caller.  `notices`
    is how often its audience was told again that it waits, and `again` when the holder of a link last had it told.
    One that `escalates` is nobody's until so long after it was asked.
    """

    place: str
    owner_key: str
    task_id: str
    tool: str
    input_request: InputRequest
    approval: Approval
    asked_at: datetime
    deadline: datetime
    actor: Mapping[str, Any] | None = None
    accepted: Decisions = ()
    notices: int = 0
    again: datetime | None = None
    escalates: timedelta = timedelta()

    @property
    def id(self) -> str:
        """Where the item is within its tenant: clients name it by this, and it says nothing that they may not know."""
        return f"{self.approval.audience.key}#{self.place}"

    @property
    def opens_at(self) -> datetime:
        """When the audience may answer."""
        return self.asked_at + self.escalates

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the items of all audiences of the input request, this one's too, the first audience's first."""
        asked = self.input_request.approval or self.approval
        return tuple(f"{audience.key}#{self.place}" for _, audience in _audiences(asked, self.asked_at, self.deadline))

    def is_open(self, now: datetime) -> bool:
        """Return whether the audience may answer; whoever was told may, by whatever clock."""
        return now < self.deadline and (not self.escalates or self.opens_at <= now or self.notices > 0)

    @property
    def shown(self) -> dict[str, JSON]:
        """What the inbox shows of it that stays as it is; beside that, who has accepted so far."""
        return {
            "id": self.id,
            "tool": self.tool,
            "message": self.input_request.params.get("message"),
            "form": self.input_request.params.get("requestedSchema"),
            "shown": self.approval.shown,
            "asked_at": self.asked_at.isoformat(timespec="seconds"),
            "deadline": self.deadline.isoformat(timespec="seconds"),
            "quorum": self.approval.quorum,
            "for": self.approval.audience.text,
        }

    @property
    def digest(self) -> str:
        """The SHA-256 of what the inbox shows, which is kept with each decision there."""
        return digest_of(self.shown)


def digest_of(shown: Mapping[str, JSON]) -> str:
    """Return the SHA-256 of what somebody was shown, as JSON with sorted names and without white space."""
    return hashed(json.dumps(shown, sort_keys=True, separators=(",", ":")))


@record
class DecidedItem:
    """What is kept of an item that was decided: what it asked, in short, and all decisions, of which the last decided.

    Neither the form nor what was shown: whoever decided has seen them, and the decisions have their hash.
    """

    place: str
    owner_key: str
    tool: str
    message: str
    approval: Approval
    asked_at: datetime
    decisions: Decisions
    actor: Mapping[str, Any] | None = None

    @property
    def id(self) -> str:
        """Where the item was, as `InboxItem` has it."""
        return f"{self.approval.audience.key}#{self.place}"


def decided_item(item: InboxItem, decisions: Decisions) -> DecidedItem:
    """Return what is kept of an item with its decisions."""
    return DecidedItem(
        place=item.place,
        owner_key=item.owner_key,
        tool=item.tool,
        # An earlier host let a run ask others without one.
        message=str(item.input_request.params.get("message", "")),
        approval=replace(item.approval, shown=None),
        asked_at=item.asked_at,
        decisions=decisions,
        actor=item.actor,
    )


def items_of(owner_key: str, task: Task) -> Iterator[InboxItem]:
    """Yield the items of a task's open input requests for others, the same each time."""
    for each in task.open_input_requests:
        if each.approval is not None:
            asked_at = task.requested_at or task.created_at
            milliseconds = int(asked_at.timestamp() * 1000)
            deadline = task.deadline(each)
            for after, audience in _audiences(each.approval, asked_at, deadline):
                yield InboxItem(
                    place=f"{milliseconds:013d}-{hashed(json.dumps([owner_key, task.id, each.key]))[:32]}",
                    owner_key=owner_key,
                    task_id=task.id,
                    tool=task.tool,
                    input_request=each,
                    approval=replace(each.approval, audience=audience, escalate=None),
                    asked_at=asked_at,
                    deadline=deadline,
                    actor=task.actor,
                    escalates=after,
                )


def for_audience(asked: Approval, key: str) -> tuple[Approval, timedelta]:
    """Return what an audience, by its key, is asked, and after which time; raises `ValueError` for one that is not."""
    for after, audience in asked.audiences:
        if audience.key == key:
            return replace(asked, audience=audience, escalate=None), after
    raise ValueError


def _audiences(asked: Approval, asked_at: datetime, deadline: datetime) -> Iterator[tuple[timedelta, Audience]]:
    """Yield the first audience, and whoever else may answer before the deadline."""
    return (each for each in asked.audiences if not each[0] or asked_at + each[0] < deadline)


@record
class Change:
    """What a transition of a task does to the inbox: items that are new, and those that end.

    Those that were `decided` come with all decisions, of which the last one decided; the others ended otherwise, or
    before they were anybody's.
    """

    new: tuple[InboxItem, ...] = ()
    decided: tuple[tuple[InboxItem, Decisions], ...] = ()
    ended: tuple[InboxItem, ...] = ()


def change_of(owner_key: str, before: Task, after: Task, responses: Mapping[str, InputResponse]) -> Change | None:
    """Return what a transition with these responses does to the inbox, None where that is nothing, as it mostly is."""
    if not any(each.approval for each in (*before.input_requests, *after.input_requests)):
        return None
    had = {item.id: item for item in items_of(owner_key, before)}
    has = {item.id: item for item in items_of(owner_key, after)}
    closed = [item for name, item in had.items() if name not in has]
    found = [(item, _decisions(item, responses, after.updated_at)) for item in closed]
    return Change(
        new=tuple(item for name, item in has.items() if name not in had),
        decided=tuple((item, decisions) for item, decisions in found if decisions),
        ended=tuple(item for item, decisions in found if not decisions),
    )


def _decisions(item: InboxItem, responses: Mapping[str, InputResponse], at: datetime) -> Decisions:
    was_open = not item.escalates or item.opens_at <= at
    return responses.get(item.input_request.key, InputResponse()).decisions if was_open else ()
