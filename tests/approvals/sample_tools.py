"""Tools that ask others than their caller."""

import json
from datetime import timedelta
from typing import Any

from mcp_tasks import (
    Accepted,
    Context,
    Declined,
    Elicit,
    Form,
    NoAnswer,
    after,
    anyone,
    anyone_but_me,
    role,
    subject,
    tool,
)

RUNS: list[str] = []


class Refund(Form):
    amount: int
    reason: str = ""


def outcome(answer: Any) -> str:
    said = f" {answer.value.amount}" if isinstance(answer, Accepted) else ""
    return f"{type(answer).__name__}{said} by {', '.join(getattr(answer, 'by', ())) or 'nobody'}"


@tool(approvals=True)
def refund(order: str, context: Context) -> str:
    """Pay an order back, if finance agrees."""
    RUNS.append(order)
    of = role("finance").but_me()
    shown = f"# Order {order}\n\nPaid on Monday."
    return outcome(context.elicit(f"Refund order {order}?", Refund, key="refund", of=of, shown=shown))


@tool(approvals=True)
def pay(amount: int, context: Context) -> str:
    """Pay, if two of finance agree."""
    answer = context.elicit(f"Pay {amount}?", Refund, key="pay", of=role("finance"), quorum=2)
    return outcome(answer)


@tool(approvals=True)
def pay_in_detail(amount: int, context: Context) -> str:
    """Pay, if two of finance agree on one amount, and say who decided what."""
    answer = context.elicit(f"Pay {amount}?", Refund, key="pay", of=role("finance"), quorum=2)
    assert isinstance(answer, Accepted | Declined)
    decisions = [[each.subject, each.action, each.content] for each in answer.decisions]
    agreed = answer.value.amount if isinstance(answer, Accepted) else None
    return json.dumps({"amount": agreed, "by": answer.by, "decisions": decisions})


@tool(approvals=True)
def ask_anyone(context: Context) -> str:
    """Ask anyone, the caller too."""
    return outcome(context.elicit("Who is there?", Refund, key="anyone", of=anyone()))


@tool(approvals=True)
def ask_grace(context: Context) -> str:
    """Ask one subject, for an hour."""
    try:
        hour = timedelta(hours=1)
        return outcome(context.elicit("Are you there?", Refund, key="grace", of=subject("grace"), timeout=hour))
    except NoAnswer:
        return "Nobody answered."


@tool(approvals=True)
def ask_both(context: Context) -> str:
    """Ask the caller and others at once."""
    mine, theirs = context.gather(
        Elicit("Yours?", Refund, key="mine"), Elicit("Theirs?", Refund, key="theirs", of=anyone_but_me())
    )
    return f"{outcome(mine)}; {outcome(theirs)}"


@tool(approvals=True, ttl=timedelta(days=5))
def ask_again(every: int, context: Context, quorum: int = 1) -> str:
    """Ask finance, and again each so many minutes, for two days."""
    again, days = timedelta(minutes=every), timedelta(days=2)
    of = role("finance")
    try:
        answer = context.elicit("Again?", Refund, key="again", of=of, quorum=quorum, remind=again, timeout=days)
    except NoAnswer:
        return "Nobody answered."
    return outcome(answer)


@tool(approvals=True, ttl=timedelta(days=5))
def ask_higher(context: Context, quorum: int = 1) -> str:
    """Ask finance, and after four hours the CFO too; neither is the caller."""
    of, higher, again = role("finance").but_me(), after(timedelta(hours=4), role("cfo")), timedelta(hours=3)
    more: dict[str, Any] = {"quorum": quorum, "remind": again, "escalate": higher}
    return outcome(context.elicit("Higher?", Refund, key="higher", of=of, **more))


@tool()
def ask_me(context: Context) -> str:
    """Ask the caller alone."""
    return outcome(context.elicit("Are you there?", Refund, key="me"))


@tool(starts_inline=True, approvals=True)
def begin(context: Context) -> str:
    """Ask others from within a call, which becomes a task by that."""
    RUNS.append("within a task" if context.task_id else "within the call")
    return outcome(context.elicit("Begin?", Refund, key="begin", of=role("finance")))


@tool(tasks="never")
def never(context: Context) -> str:
    """Ask others where no task can be."""
    return outcome(context.elicit("Begin?", Refund, key="never", of=role("finance")))


@tool()
def undeclared(context: Context) -> str:
    """Ask others without having said so."""
    return outcome(context.elicit("Begin?", Refund, key="undeclared", of=role("finance")))


TOOLS = [
    refund,
    pay,
    pay_in_detail,
    ask_anyone,
    ask_grace,
    ask_both,
    ask_again,
    ask_higher,
    ask_me,
    begin,
    never,
    undeclared,
]
