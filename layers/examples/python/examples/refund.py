"""Pay an order back once a second person agrees: a tool that asks others than its caller, who decide by any client.

Who may decide is a role of tokens, and never the caller: a refund takes two people, whatever roles they have.
"""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from mcp_tasks import Accepted, Context, Declined, Form, NoAnswer, role, tool

TO_DECIDE = timedelta(days=3)


class Refund(Form):
    """The form in which somebody of finance agrees."""

    amount: Annotated[float, Field(title="How much is paid back?", ge=0.01)]
    note: Annotated[str, Field(title="For the books", max_length=200)] = ""


@tool(
    title="Refund an order",
    ttl=timedelta(days=7),
    approvals=True,
    annotations={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False},
)
def refund(
    context: Context,
    order: Annotated[str, Field(description="The order's number", pattern="^[A-Za-z0-9-]{1,40}$")],
    reason: Annotated[str, Field(description="Why it should be paid back", max_length=500)],
) -> str:
    """Pay an order back, if somebody of finance agrees; nobody can agree to what they asked for themselves."""
    asker = context.caller.subject
    try:
        answer = context.elicit(
            f"Refund order {order}?",
            Refund,
            key="refund",
            of=role("finance").but_me(),
            shown=f"{asker} asks for a refund of order **{order}**.\n\n{quoted(reason)}",
            timeout=TO_DECIDE,
        )
    except NoAnswer:
        return f"Order {order} is not refunded: nobody of finance decided within {TO_DECIDE.days} days."
    match answer:
        case Accepted(value=agreed, by=by):
            # Here a real tool pays, in a step: whatever happens to this process, it pays once.
            return context.step(
                "pay", lambda: f"Order {order} is refunded: {agreed.amount:.2f}, by {' and '.join(by)}."
            )
        case Declined(by=by):
            return f"Order {order} is not refunded: {' and '.join(by)} declined."
        case _:
            return f"Order {order} is not refunded."


def quoted(text: str) -> str:
    """Return what a caller wrote as a quote of Markdown, each line of it: none can look like the tool's own words."""
    return "\n".join(f"> {line}" for line in text.splitlines())
