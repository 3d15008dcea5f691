"""The inbox as any client has it: two built-in tools, and a resource.

What they answer with is imported when one of them is used (`approval_answers`).
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.authoring.context import Context
from mcp_tasks.engine.built_in_tools import CANCELS, LINKS, READS, BuiltInTool, built_in_tool, closed_schema, schema
from mcp_tasks.features.resources import Resource
from mcp_tasks.features.tools import APPROVAL_DECIDE, APPROVAL_LINK, APPROVAL_LIST, Tool
from mcp_tasks.limits.tenants import MAX_LINK_HOURS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.json_values import whole
from mcp_tasks.tasks.model import JSON, Returned

# Few calls are about an inbox.
if TYPE_CHECKING:
    from mcp_tasks.engine.approvals import Approvals, MakeLink

DECIDED: Final = "decided"
"""The state of what is asked for in place of what waits."""

CURSOR: Final = {"type": "string", "description": "next_cursor of the page before."}
STATE: Final = {
    "type": "string",
    "enum": ["waiting", DECIDED],
    "default": "waiting",
    "description": f"{DECIDED}: what people decided in the last day, and who.",
}
ONLY: Final = {"type": "string", "description": "Of the one to list; else all."}
ID: Final = {"type": "string", "description": f"As {APPROVAL_LIST} returns it."}
HOURS: Final = {
    "type": "integer",
    "minimum": 1,
    "maximum": MAX_LINK_HOURS,
    "default": MAX_LINK_HOURS,
    "description": "It is good for.",
}
ACTION: Final = {"type": "string", "enum": ["accept", "decline"]}
CONTENT: Final = {"type": "object", "description": "The form as filled in, to accept one that has fields."}


def approval_tools(approvals: Callable[[], "Approvals"], make_link: "MakeLink") -> tuple[Tool, ...]:
    """Return the built-in tools that list what waits for a caller's decision, take it, and make a link to it."""

    def approval_list(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        # Saves 3 ms of every cold start, as below.
        from mcp_tasks.engine.approval_answers import history, listed

        answer = history if arguments.get("state") == DECIDED else listed
        return answer(approvals(), caller, arguments)

    def approval_decide(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        # Saves 3 ms, as above.
        from mcp_tasks.engine.approval_answers import decided

        return decided(approvals(), caller, arguments)

    def approval_link(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        # Saves 3 ms, as above.
        from mcp_tasks.engine.approval_answers import linked

        return linked(approvals(), caller, arguments, make_link)

    listing = BuiltInTool(
        function=approval_list,
        input_schema=schema({"cursor": CURSOR, "state": STATE, "id": ONLY}),
        fit=_is_page,
        wants=f"give perhaps an id, or state, waiting or {DECIDED}, and as cursor the next_cursor of {APPROVAL_LIST}",
    )
    deciding = BuiltInTool(
        function=approval_decide,
        input_schema=closed_schema({"id": ID, "action": ACTION, "content": CONTENT}, "id", "action"),
        fit=_is_decision,
        wants="give id, a string, action, accept or decline, perhaps content, an object, and nothing else",
    )
    linking = BuiltInTool(
        function=approval_link,
        input_schema=closed_schema({"id": ID, "hours": HOURS}, "id"),
        fit=_is_link,
        wants=f"give id, a string, perhaps hours, 1 to {MAX_LINK_HOURS}, and nothing else",
    )
    to_decide = "Accept or decline what waits for a decision. Show it to the user first: the decision is theirs."
    to_link = "Make a link to one approval. Whoever opens it may decide as your user, so give it to nobody else."
    return (
        built_in_tool(APPROVAL_LIST, "List approvals", "List what waits for your user's decision.", listing, READS),
        built_in_tool(APPROVAL_DECIDE, "Decide an approval", to_decide, deciding, CANCELS),
        built_in_tool(APPROVAL_LINK, "Link to an approval", to_link, linking, LINKS),
    )


class InboxWork:
    """Implements `ResourceWork` for what waits for a caller; a plain class, since every cold start defines it."""

    def __init__(self, approvals: Callable[[], "Approvals"]) -> None:
        self.approvals = approvals

    def read(self, variables: Mapping[str, str], context: Context) -> Mapping[str, JSON]:
        """Return the first page of `approval_list`."""
        # Saves 3 ms, as above.
        from mcp_tasks.engine.approval_answers import page

        return page(self.approvals(), context.caller)

    @property
    def function(self) -> Callable[..., Any]:
        """Raise `TypeError`: no function of an adopter's stands behind it."""
        raise TypeError("this resource is built in")

    def complete(self, variable: str, typed: str, context: Any) -> list[str]:
        """Return nothing: it has no variables."""
        return []

    def completed_by(self, variable: str, completer: Any) -> None:
        """Raise `TypeError`, as for any resource without such a variable."""
        raise TypeError("this resource is built in")


def inbox(approvals: Callable[[], "Approvals"]) -> Resource:
    """Return the resource of what waits for a caller."""
    return Resource(
        uri="approvals://inbox",
        name="approvals",
        title="Approvals",
        description="What waits for your decision.",
        mime_type="application/json",
        work=InboxWork(approvals),
    )


def _is_page(given: Mapping[str, JSON]) -> bool:
    texts = all(isinstance(given.get(name, ""), str) for name in ("cursor", "id"))
    return texts and given.get("state", "waiting") in STATE["enum"]


def _is_link(given: Mapping[str, JSON]) -> bool:
    hours = whole(given.get("hours", MAX_LINK_HOURS))
    counts = isinstance(hours, int) and not isinstance(hours, bool)
    return isinstance(given.get("id"), str) and counts and 1 <= hours <= MAX_LINK_HOURS


def _is_decision(given: Mapping[str, JSON]) -> bool:
    fits = isinstance(given.get("id"), str) and isinstance(given.get("content", {}), dict)
    return fits and given.get("action") in ACTION["enum"]
