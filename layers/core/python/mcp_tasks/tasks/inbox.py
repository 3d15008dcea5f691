"""The inbox: what a task asks of others, as it waits for them beside the task; pure, no I/O.

An item holds exactly what is shown, and where the answer goes.  Who reads it never reads the task.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.records import record
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task

Decisions = tuple[Decision, ...]


@record
class InboxItem:
    """One open input request of a task for others, with what was decided of it so far.

    `place` sorts by the time at which it was asked; `owner_key` and `actor` are those of the task's caller.  `notices`
    is how often its audience was told again that it waits.
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

    @property
    def id(self) -> str:
        """Where the item is within its tenant: clients name it by this, and it says nothing that they may not know."""
        return f"{self.approval.audience.key}#{self.place}"

    @property
    def digest(self) -> str:
        """The SHA-256 of what is shown, which is kept with each decision."""
        params = self.input_request.params
        shown = [self.tool, params.get("message"), params.get("requestedSchema"), self.approval.shown]
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
        message=item.input_request.params["message"],
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
            yield InboxItem(
                place=f"{milliseconds:013d}-{hashed(json.dumps([owner_key, task.id, each.key]))[:32]}",
                owner_key=owner_key,
                task_id=task.id,
                tool=task.tool,
                input_request=each,
                approval=each.approval,
                asked_at=asked_at,
                deadline=task.deadline(each),
                actor=task.actor,
            )


@record
class Change:
    """What a transition of a task does to the inbox: items that are new, and those that end.

    Those that were `decided` come with all decisions, of which the last one decided; the others ended otherwise.
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
    found = [(item, responses.get(item.input_request.key, InputResponse()).decisions) for item in closed]
    return Change(
        new=tuple(item for name, item in has.items() if name not in had),
        decided=tuple((item, decisions) for item, decisions in found if decisions),
        ended=tuple(item for item, decisions in found if not decisions),
    )
