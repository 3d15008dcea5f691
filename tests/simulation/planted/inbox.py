"""Bugs of what people are asked, and of who has decided what."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from mcp_tasks.engine import approval_answers, approvals, entitlement
from mcp_tasks.engine.approvals import Approvals
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import Task
from tests.simulation.planted.plant import NONE_SHOWN, Plant, always, backwards, changing


def _whatever_it_asks(caller: Caller, task: Task) -> Task:
    return task


def _nobody_accepted(shown: Callable[..., Any]) -> Callable[..., Any]:
    return lambda item: shown(replace(item, accepted=()))


def _by_itself(shown: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(item: InboxItem) -> Mapping[str, Any]:
        return {**shown(item), "quorum": 1 + item.approval.quorum}

    return wrong


def _when_asked(shown: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(item: InboxItem) -> Mapping[str, Any]:
        made = shown(item)
        return {**made, "deadline": made["asked_at"]}

    return wrong


def _but_the_last(past: Callable[..., Any]) -> Callable[..., Any]:
    return lambda item: past(replace(item, decisions=item.decisions[:-1] or item.decisions))


def _at_once(decided: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values, **named: decided(*values, **{**named, "is_over": True})


INBOX: Final = (
    Plant("nobody can look back", Approvals, "history", always(([], None)), "cannot look back at"),
    Plant("the last to decide is forgotten", approval_answers, "_past", _but_the_last, "is said to be decided by"),
    Plant("whoever looks back is shown the oldest first", Approvals, "history", backwards, "looks back in another"),
    Plant("an asker is shown what others decide", entitlement, "shown_to", lambda right: _whatever_it_asks, NONE_SHOWN),
    Plant(
        "who may decide what it asks is not asked",
        entitlement,
        "is_asked",
        lambda right: lambda each, *of: each.approval is None,
        f"{NONE_SHOWN}|is not told that it asks something",
    ),
    Plant("an inbox says that nobody has accepted", approval_answers, "_shown", _nobody_accepted, "accepted by 0"),
    Plant("an inbox wants one more to accept", approval_answers, "_shown", _by_itself, "is said to want"),
    Plant("what is asked is over at once", approval_answers, "_shown", _when_asked, "is said to want"),
    Plant("the first to decide is the last", approvals, "Decided", _at_once, "is said to be over, and is not"),
    Plant("who acted for whom is forgotten", approvals, "decision", changing(actor=None), "never decided .* so"),
    Plant("an inbox begins with the newest", Approvals, "page", backwards, "approvals in another order"),
)
