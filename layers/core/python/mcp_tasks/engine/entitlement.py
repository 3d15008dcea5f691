"""Which callers may answer an input request that asks others, and what the clients of a task's own caller are shown."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Approval, Audience, Decision, Kind
from mcp_tasks.tasks.inbox import audience_of, digest_of, items_of
from mcp_tasks.tasks.model import InputRequest, State, Task
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
    """Return whether a caller is the subject whose task asks, acts for it or on its behalf, or acted when it asked."""
    asker = Caller.of_owner_key(owner_key).subject
    return asker in {caller.subject, *_actors(caller.actor)} or caller.subject in set(_actors(actor))


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


def decision(caller: Caller, action: str, *, channel: str, digest: str, at: datetime) -> Decision:
    """Return what a caller decides of what it was shown, which has this digest."""
    return Decision(subject=caller.subject, at=at, action=action, channel=channel, digest=digest, actor=caller.actor)


def own_decision(caller: Caller, task: Task, key: str, action: str, *, at: datetime) -> tuple[Decision, ...]:
    """Return the decision of a task's own caller, whose client answers; none where the request asks nobody else."""
    found = [each for each in items_of(caller.owner_key, task) if each.input_request.key == key]
    # A client shows the elicitation, and neither the tool's Markdown nor what else the inbox has.
    digests = (digest_of(item.input_request.params) for item in found[:1])
    return tuple(decision(caller, action, channel="client", digest=digest, at=at) for digest in digests)


def _actors(actor: Mapping[str, Any] | None) -> Iterator[str]:
    while actor is not None:
        yield str(actor.get("sub"))
        actor = actor.get("act")


def _key(kind: Kind, name: str) -> str | None:
    """Return the key of an audience, None for a name that no tool can give: it is too long, or no Unicode."""
    try:
        return Audience(kind=kind, name=name).key
    except ValueError:
        return None
