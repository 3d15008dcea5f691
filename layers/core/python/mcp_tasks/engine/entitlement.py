"""Which callers may answer an input request that asks others, and what the clients of a task's own caller are shown."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.actors import people_of
from mcp_tasks.tasks.approvals import ACCEPT, Approval, Audience, Decision, Kind
from mcp_tasks.tasks.inbox import Decisions, InboxItem, audience_of, digest_of, items_of
from mcp_tasks.tasks.model import JSON, InputRequest, State, Task
from mcp_tasks.tasks.quorum import answer_of
from mcp_tasks.tasks.transitions import prompt


def audiences_of(caller: Caller) -> tuple[str, ...]:
    """Return the keys of all audiences that a caller belongs to within its tenant; only anyone's, if unidentified.

    Whoever holds a link belongs to that of its approval, as the caller did who had it made.
    """
    if caller.approval is not None:
        return (audience_of(caller.approval),)
    anyone = Audience(kind=Kind.ANYONE).key
    if not caller.identified:
        return (anyone,)
    roles = (_key(Kind.ROLE, role) for role in sorted(caller.roles))
    return tuple(filter(None, (_key(Kind.SUBJECT, caller.subject), *roles, anyone)))


def is_asker(caller: Caller, owner_key: str, actor: Mapping[str, Any] | None) -> bool:
    """Return whether the caller, or one who acts for it, is the asker, or acted for the asker when it asked."""
    asker = people_of(Caller.of_owner_key(owner_key).subject, actor)
    return not asker.isdisjoint(people_of(caller.subject, caller.actor))


def has_accepted(caller: Caller, accepted: Decisions) -> bool:
    """Return whether the caller, or one who acts for it, is among those who accepted, or acted for one of them."""
    mine = people_of(caller.subject, caller.actor)
    return any(not each.people.isdisjoint(mine) for each in accepted)


def acts_for_nobody(caller: Caller) -> Caller:
    """Return the caller as it is in the console, where nobody acts for it."""
    return replace(caller, actor=None)


def entitles(approval: Approval, caller: Caller, owner_key: str, actor: Mapping[str, Any] | None) -> bool:
    """Return whether a caller of the owner's tenant may answer what a task of the owner asks."""
    if approval.audience.not_asker and is_asker(caller, owner_key, actor):
        return False
    return approval.audience.key in audiences_of(caller)


def is_asked(input_request: InputRequest, caller: Caller, task: Task) -> bool:
    """Return whether clients of a task's own caller are asked.

    They are not where several must answer, of whom theirs would be one, and be asked again: the inbox counts them.
    """
    approval = input_request.approval
    return approval is None or (approval.quorum == 1 and entitles(approval, caller, caller.owner_key, task.actor))


def shown_to(caller: Caller, task: Task) -> Task:
    """Return the task as clients of its own caller see it, without the input requests that only others may answer.

    One that waits for nothing else works, as far as they can tell, and its status message says for whom it waits.
    """
    asked = tuple(each for each in task.input_requests if is_asked(each, caller, task))
    if len(asked) == len(task.input_requests):
        return task
    if task.state is not State.INPUT_REQUIRED:
        return replace(task, input_requests=asked)
    if asked:
        return replace(task, input_requests=asked, status_message=prompt(asked))
    (first, *_) = (each.approval for each in task.input_requests if each.approval is not None)
    return replace(task, input_requests=(), state=State.WORKING, status_message=first.waits_for)


def decision(
    caller: Caller, item: InboxItem, result: Mapping[str, JSON], *, channel: str, digest: str, at: datetime
) -> Decision:
    """Return what a caller decides, by the result of an elicitation, of what it was shown, which has this digest."""
    action = str(result.get("action"))
    given = Decision(subject=caller.subject, at=at, action=action, channel=channel, digest=digest, actor=caller.actor)
    if action != ACCEPT or item.approval.quorum == 1:
        return given
    schema = item.input_request.params.get("requestedSchema", {})
    return replace(given, content=answer_of(schema, result.get("content") or {}))


def own_decision(
    caller: Caller, task: Task, key: str, result: Mapping[str, JSON], *, at: datetime
) -> tuple[Decision, ...]:
    """Return the decision of a task's own caller, whose client answers; none where the request asks nobody else."""
    found = [each for each in items_of(caller.owner_key, task) if each.input_request.key == key][:1]
    # A client shows the elicitation, and neither the tool's Markdown nor what else the inbox has.
    return tuple(
        decision(caller, item, result, channel="client", digest=digest_of(item.input_request.params), at=at)
        for item in found
    )


def _key(kind: Kind, name: str) -> str | None:
    """Return the key of an audience, None for a name that no tool can give: it is too long, or no Unicode."""
    try:
        return Audience(kind=kind, name=name).key
    except ValueError:
        return None
