"""What the built-in tools and the resource of an inbox return, for any client of an entitled person.

`engine/approval_tools.py` describes the tools, which are listed where a tool of the stage asks others.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.errors import BadArguments, ToolError
from mcp_tasks.authoring.wording import quoted_name
from mcp_tasks.engine.approvals import (
    AcceptedByActor,
    AlreadyDecided,
    ApprovalNotFound,
    Approvals,
    LinkUsed,
    MakeLink,
    OwnApproval,
)
from mcp_tasks.engine.current_call import note_event, note_refusal
from mcp_tasks.engine.readable_approvals import DECIDED, OPEN, readable_items
from mcp_tasks.fallbacks import noting_left_out
from mcp_tasks.features.results import and_left_out, and_more, counted, structured
from mcp_tasks.features.tools import APPROVAL_DECIDE, APPROVAL_LIST
from mcp_tasks.limits.tenants import MAX_LINK_HOURS, MAX_LISTED_APPROVALS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.actors import actors_of
from mcp_tasks.tasks.approvals import Decision
from mcp_tasks.tasks.inbox import DecidedItem, InboxItem
from mcp_tasks.tasks.json_values import mapping, text
from mcp_tasks.tasks.model import JSON, Returned
from mcp_tasks.tasks.quorum import answers, most_agreeing
from mcp_tasks.tasks.visible import one_line, visible

CHANNEL: Final = "approval_decide"
"""What a decision by the tool is kept with, in place of `client` for one by the asking client."""

LINK: Final = "link"
"""The same, where whoever decided had a link."""

USED: Final = "This link was opened before. Decide where it was opened, sign in, or have a new notice sent."
"""What the holder of a link is told that a tab has exchanged, whatever became of the approval."""

ALONE: Final = "decide it yourself in the console, where nobody acts for you."
"""What somebody is told whose actor is one of the other side."""

PLACE: Final = re.compile(r"(\d{13}-[0-9a-f]{32})?", re.ASCII)
"""A cursor, which is where the page before ended; none is the start."""


def listed(approvals: Approvals, caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
    """Return a page of what waits for a caller, or the one with an id; raises `BadArguments` and `ToolError`.

    Who holds a link need not say which: it is shown the one that the link is for.
    """
    only = arguments.get("id", caller.approval)
    shown = page(approvals, caller, arguments.get("cursor", "")) if only is None else one(approvals, caller, only)
    lines = [_line(each) for each in shown["approvals"]]
    said = f"{APPROVAL_DECIDE} takes an id." if lines else _nothing("Nothing waits for you.", shown["next_cursor"])
    said = and_left_out("\n".join([*lines, said]), shown.get("left_out", 0))
    return structured(and_more(said, APPROVAL_LIST, shown["next_cursor"]), shown)


def history(approvals: Approvals, caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
    """Return a page of what was decided lately of what a caller could have decided, or the one with an id.

    Raises `BadArguments` and `ToolError`.
    """
    if (only := arguments.get("id")) is not None:
        return _one_decided(approvals, caller, only)
    before = arguments.get("cursor", "")
    _check_cursor(before)
    with noting_left_out() as left_out:
        items, more = approvals.history(caller, before=before, limit=MAX_LISTED_APPROVALS)
        shown = list(readable_items(items, _past))
    count = left_out.count(DECIDED, lambda place: more is None or place >= more)
    return _past_page(shown, more, count)


def _one_decided(approvals: Approvals, caller: Caller, item_id: str) -> Returned:
    try:
        item = approvals.find_decided(caller, item_id)
    except ApprovalNotFound as error:
        note_refusal("unknown_approval")
        unknown = f"Nothing {quoted_name(item_id)} that you may decide was decided in the last day"
        raise ToolError(f"{unknown}; {APPROVAL_LIST} with the state decided and no id lists what was.") from error
    shown = list(readable_items([item], _past))
    return _past_page(shown, None, 1 - len(shown))


def _past_page(shown: Sequence[Mapping[str, JSON]], more: str | None, left_out: int) -> Returned:
    nothing = _nothing("Nothing that you may decide was decided in the last day.", more)
    lines = [_past_line(each) for each in shown] or [nothing]
    said = and_more(and_left_out("\n".join(lines), left_out), APPROVAL_LIST, more)
    return structured(said, {"approvals": shown, "next_cursor": more, **counted(left_out)})


def page(approvals: Approvals, caller: Caller, after: str = "") -> dict[str, JSON]:
    """Return a page of what waits as JSON."""
    _check_cursor(after)
    with noting_left_out() as left_out:
        items, more = approvals.page(caller, after=after, limit=MAX_LISTED_APPROVALS)
        shown = list(readable_items(items, _shown))
    count = left_out.count(OPEN, lambda place: more is None or place <= more)
    return {"approvals": shown, "next_cursor": more, **counted(count)}


def one(approvals: Approvals, caller: Caller, item_id: str) -> dict[str, JSON]:
    """Return a page of the one with this id."""
    with explained(item_id):
        item = approvals.find(caller, item_id)
    shown = list(readable_items([item], _shown))
    if shown:
        note_event("approval.read", item.id, task=item.task_id, shown=item.digest)
    return {"approvals": shown, "next_cursor": None, **counted(1 - len(shown))}


def decided(approvals: Approvals, caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
    """Return what became of a caller's decision; raises `ToolError`."""
    item_id, result = arguments["id"], {name: value for name, value in arguments.items() if name != "id"}
    channel = CHANNEL if caller.approval is None else LINK
    try:
        with explained(item_id):
            end = approvals.decide(caller, item_id, result, channel=channel)
    except BadInputResponse as error:
        raise ToolError(f"This decision does not fit: {visible(error.reason)}.") from error
    said = "noted" if end.is_new else "you had decided so before, and nothing of that has changed"
    differ = f"; {_differ(end.answers, end.quorum)}" if end.answers > 1 else ""
    so_far = "." if end.is_over else f", {end.accepted} of {end.quorum} have accepted{differ}."
    message = f"{result['action']}: {said}{so_far}"
    counted = {"accepted": end.accepted, "quorum": end.quorum, "is_over": end.is_over}
    if end.answers > 1:
        counted["answers"] = end.answers
    return structured(message, {"id": item_id, "action": result["action"], **counted, "message": message})


def linked(approvals: Approvals, caller: Caller, arguments: Mapping[str, JSON], make: MakeLink) -> Returned:
    """Return a link to what waits for a caller, with a secret by which its holder may decide it; raises `ToolError`.

    Where several have to accept, or somebody other than who asked, or the caller is an actor's, whom a decision by link
    would not name, a link says where to log in and nothing more.
    """
    with explained(arguments["id"]):
        item = approvals.find(caller, arguments["id"])
    until = min(approvals.now() + timedelta(hours=arguments.get("hours", MAX_LINK_HOURS)), item.deadline)
    if item.approval.quorum > 1 or item.approval.audience.not_asker or caller.actor is not None:
        said = "It leads to this approval in the inbox, where who decides has to log in."
        return structured(said, {"id": item.id, "link": make(caller, item.id, None), "until": None})
    shown = {"id": item.id, "link": make(caller, item.id, until), "until": until.isoformat(timespec="seconds")}
    note_event("approval.linked", item.id, task=item.task_id, shown=item.digest, until=shown["until"])
    return structured(f"Whoever opens it may decide this as {one_line(caller.subject)}, until {shown['until']}.", shown)


@contextmanager
def explained(item_id: str) -> Iterator[None]:
    """Note why an approval is refused to a caller, and raise `ToolError`, which says it."""
    try:
        yield
    except ApprovalNotFound as error:
        note_refusal("unknown_approval")
        unknown = f"Nothing {quoted_name(item_id)} waits for you: it never existed, or it is over, or others decide it"
        raise ToolError(f"{unknown}; {APPROVAL_LIST} lists what does.") from error
    except LinkUsed as error:
        note_refusal("used_link")
        raise ToolError(USED) from error
    except OwnApproval as error:
        note_refusal("own_approval")
        if error.may_alone:
            raise ToolError(f"You asked this yourself, through who acts for you now, too: {ALONE}") from error
        raise ToolError("You asked this yourself: somebody else has to decide it.") from error
    except AcceptedByActor as error:
        note_refusal("accepted_by_actor")
        if error.may_alone:
            raise ToolError(f"Who acts for you has accepted this for somebody else: {ALONE}") from error
        raise ToolError("You have accepted this for somebody else: another person has to accept it.") from error
    except AlreadyDecided as error:
        note_refusal("decided_already")
        last = error.decisions[-1]
        when = last.at.isoformat(timespec="seconds")
        raise ToolError(f"{one_line(last.subject)} has decided this already, at {when}: {last.action}.") from error


def _nothing(said: str, cursor: str | None) -> str:
    """Return what an empty page says, which is not the last one where much that is not the caller's was skipped."""
    return said if cursor is None else "Nothing on this page is for you to decide."


def _check_cursor(cursor: str) -> None:
    if not PLACE.fullmatch(cursor):
        raise BadArguments(f"the cursor is none of {APPROVAL_LIST}: list again from the start")


def _shown(item: InboxItem) -> dict[str, JSON]:
    """Return what is shown of an item, and how many have accepted the same; the number of answers, if they differ."""
    shown = item.shown
    checked = {"message": text(shown["message"]), "form": mapping(shown["form"])}
    differ = {"answers": count} if (count := answers(item.accepted)) > 1 else {}
    decisions = [_decision(each) for each in item.accepted]
    return {**shown, **checked, "accepted": most_agreeing(item.accepted), **differ, "decisions": decisions}


def _past(item: DecidedItem) -> dict[str, JSON]:
    last = item.decisions[-1]
    return {
        "id": item.id,
        "tool": item.tool,
        "message": item.message,
        "asked_at": item.asked_at.isoformat(timespec="seconds"),
        "quorum": item.approval.quorum,
        "for": item.approval.audience.text,
        "outcome": last.action,
        "decided_at": last.at.isoformat(timespec="seconds"),
        "decisions": [_decision(each) for each in item.decisions],
    }


def _decision(each: Decision) -> dict[str, JSON]:
    """Return who decided, what and when, and by what: not the form as they filled it in."""
    actors = [*actors_of(each.actor)]
    actor = {"actor": actors[0]} if actors else {}
    all_of_them = {"actors": actors} if len(actors) > 1 else {}
    at = each.at.isoformat(timespec="seconds")
    return {"subject": each.subject, "action": each.action, "at": at, "channel": each.channel, **actor, **all_of_them}


def _past_line(shown: Mapping[str, JSON]) -> str:
    who = ", ".join(f"{each['action']} by {one_line(each['subject'])} at {each['at']}" for each in shown["decisions"])
    return f"{_line(shown)} ({who})"


def _line(shown: Mapping[str, JSON]) -> str:
    tool, of, message = (one_line(shown[name]) for name in ("tool", "for", "message"))
    differ = f" ({_differ(shown['answers'], shown['quorum'])})" if "answers" in shown else ""
    return f"- {shown['id']}: {tool} asks {of}: {message}{differ}"


def _differ(answers: int, quorum: int) -> str:
    return f"there are {answers} different answers, of which one needs {quorum}"
