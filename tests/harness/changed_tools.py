"""Tools that are deployed anew while their tasks wait: a test puts another form in place of the one in `CODE`."""

from datetime import timedelta
from typing import Any, Final

from mcp_tasks import Accepted, Context, Elicit, Form, role, tool


class Consent(Form):
    ok: bool


class Amount(Form):
    count: int


class ConsentWithNote(Form):
    ok: bool
    note: str = ""


class Rating(Form):
    stars: int


CODE: Final[dict[str, type[Form]]] = {"form": Consent}


def _said(answer: Any) -> str:
    return repr(answer.value) if isinstance(answer, Accepted) else type(answer).__name__


@tool(handle_after=timedelta())
def restock(context: Context) -> str:
    """Ask for what the form of today asks for, and then whether to ship."""
    number = context.step("number", lambda: "A7")
    order = context.elicit(f"Order {number}?", CODE["form"], key="order")
    ship = context.elicit("Ship?", Consent, key="ship")
    return f"{_said(order)}, {_said(ship)}"


@tool(handle_after=timedelta())
def survey(context: Context) -> str:
    """Ask two things at once."""
    return ", ".join(
        _said(each)
        for each in context.gather(
            Elicit("Order?", CODE["form"], key="order"), Elicit("How was it?", Rating, key="rating")
        )
    )


@tool(handle_after=timedelta(), approvals=True)
def refund(context: Context) -> str:
    """Ask somebody of finance."""
    answer = context.elicit("Refund?", CODE["form"], key="refund", of=role("finance"))
    return f"{_said(answer)}, by {' and '.join(answer.by)}" if isinstance(answer, Accepted) else "no"


TOOLS = [restock, survey, refund]
