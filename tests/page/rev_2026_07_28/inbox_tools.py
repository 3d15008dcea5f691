"""Tools that ask others than their caller, and what another person has them ask for."""

from typing import Annotated

from pydantic import Field

from mcp_tasks import Context, Form, role, tool
from tests.page.rev_2026_07_28.people import Ask

MARKDOWN = """# Invoice 17

Paid to **Acme Ltd** by `transfer`, see [the order](https://shop.example.com/orders/17).

- Desks: 3
- Chairs: 12

> They are for **the new office**,\u2028all of them.
>
> > See `offices`.
Please decide today.

```
IBAN DE00 0000
```"""


class Why(Form):
    """What an approver may say."""

    reason: Annotated[str, Field(title="Reason", max_length=200)] = ""


@tool(title="Pay an invoice", tasks="always", approvals=True)
def pay(context: Context, amount: str, quorum: int = 1, shown: str | None = None) -> str:
    """Pay, if somebody else of finance agrees."""
    of = role("finance").but_me()
    answer = context.elicit(f"Pay {amount} EUR?", Why, key="pay", of=of, quorum=quorum, shown=shown)
    return f"{type(answer).__name__} it was."


TOOLS = [pay]
ASKS: list[Ask] = [
    ("pay", {"amount": "1,200", "quorum": 3, "shown": MARKDOWN}),
    ("pay", {"amount": "80"}),
    ("pay", {"amount": "75"}),
    ("pay", {"amount": "9"}),
]
