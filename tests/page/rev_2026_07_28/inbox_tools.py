"""An inbox by the contract of the built-in tools: what waits for an answer, and one answer each."""

from dataclasses import dataclass
from typing import Any, Literal

from mcp_tasks import ToolError, tool
from tests.page.rev_2026_07_28.payloads import PAYLOADS

FORM = {
    "type": "object",
    "properties": {"reason": {"type": "string", "title": "Reason", "maxLength": 200}},
}
MARKDOWN = """# Invoice 17

Paid to **Acme Ltd** by `transfer`, see [the order](https://shop.example.com/orders/17).

- Desks: 3
- Chairs: 12

```
IBAN DE00 0000
```"""


@dataclass(frozen=True)
class Page:
    """What waits."""

    approvals: list[dict[str, Any]]


def waiting(number: int, message: str, **more: Any) -> dict[str, Any]:
    """Return an approval that waits."""
    return {
        "id": f"approval-{number}",
        "tool": "pay",
        "message": message,
        "form": FORM,
        "shown": None,
        "asked_at": "2026-11-25T12:00:00+00:00",
        "deadline": "2036-11-26T12:00:00+00:00",
        "quorum": 1,
        "accepted": 0,
        "for": "role finance",
        **more,
    }


def few() -> dict[str, dict[str, Any]]:
    """Return three approvals, and one that somebody else decides first."""
    all_of_them = [
        waiting(1, "Pay 1,200 EUR?", shown=MARKDOWN, quorum=2, accepted=1),
        waiting(2, "Pay 80 EUR?"),
        waiting(3, "Pay 75 EUR?"),
        waiting(4, "Pay 9 EUR?", deadline=None),
    ]
    return {each["id"]: each for each in all_of_them}


def hostile() -> dict[str, dict[str, Any]]:
    """Return an approval for each payload, in each of its fields."""
    made = {}
    for number, payload in enumerate(PAYLOADS):
        form = {
            "type": "object",
            "title": payload,
            "properties": {payload: {"type": "string", "title": payload, "description": payload, "default": payload}},
        }
        more = {"tool": payload, "shown": f"# {payload}\n\n{payload}\n\n- {payload}\n\n[{payload}]({payload})"}
        each = waiting(number, payload, form=form, **more) | {"asked_at": payload, "deadline": payload, "for": payload}
        made[each["id"]] = each
    return made


def tools(open_ones: dict[str, dict[str, Any]]) -> list[Any]:
    """Return the two tools for these approvals."""

    @tool(title="List approvals", tasks="never")
    def approval_list(cursor: str | None = None) -> Page:
        """List what waits for an answer."""
        return Page(list(open_ones.values()))

    @tool(title="Decide", tasks="never")
    def approval_decide(
        id: str, action: Literal["accept", "decline"], content: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Answer one."""
        if id == "approval-3":
            raise ToolError("grace decided it already.")
        del open_ones[id]
        return {}

    return [approval_list, approval_decide]
