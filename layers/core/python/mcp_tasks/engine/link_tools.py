"""What the holder of a link has besides: built-in tools for the console, which are there for nobody else.

    approval_open     exchanges the link, once, for a credential of the tab that asks; that it did is written first
    approval_remind   has those told again who may decide the approval

A tab makes up a nonce and sends it along: one whose answer was lost sends the same nonce, and gets the same credential.
"""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from mcp_tasks.authoring.errors import ToolError
from mcp_tasks.engine.approval_answers import USED
from mcp_tasks.engine.approvals import LinkUsed
from mcp_tasks.engine.built_in_tools import LINKS, BuiltInTool, built_in_tool, schema
from mcp_tasks.engine.current_call import note_event, note_refusal
from mcp_tasks.features.results import structured
from mcp_tasks.features.tools import APPROVAL_OPEN, APPROVAL_REMIND, Tool
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Returned

if TYPE_CHECKING:
    from mcp_tasks.engine.approvals import Approvals

NONCE: Final = re.compile(r"[A-Za-z0-9_-]{22,100}")
"""At least 128 bits, in base64url."""

TOLD: Final = "If it still waits, those who may decide it are told again: at most every 20 minutes."
"""The one answer, by which a holder learns nothing of the approval."""


def link_tools(approvals: "Callable[[], Approvals]", for_tab: Callable[[Caller, str], str]) -> tuple[Tool, ...]:
    """Return the tools, for a caller who holds a link; `for_tab` makes the credential of its tab by a nonce."""

    def approval_open(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        if caller.link is None:
            # The authorizer of the release before does not say which link it is.
            raise ToolError("This is no link, but what one was exchanged for; or try again in a minute.")
        nonce = arguments["nonce"]
        try:
            approvals().use_link(caller, nonce)
        except LinkUsed:
            note_refusal("used_link")
            return structured(USED, {"credential": None, "message": USED})
        note_event("approval.opened", caller.link)
        said = "Call with the credential in place of the link."
        return structured(said, {"credential": for_tab(caller, nonce)})

    def approval_remind(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        approvals().tell_again(caller)
        return structured(TOLD, {"message": TOLD})

    opening = BuiltInTool(
        function=approval_open,
        input_schema=schema({"nonce": {"type": "string"}}, "nonce"),
        fit=lambda given: isinstance(given.get("nonce"), str) and NONCE.fullmatch(given["nonce"]) is not None,
        wants="give as nonce 22 to 100 letters, digits, _ and -, which nobody can guess",
    )
    reminding = BuiltInTool(
        function=approval_remind, input_schema=schema({}), fit=lambda given: True, wants="give none"
    )
    return (
        built_in_tool(APPROVAL_OPEN, "Open a link", "Exchange a link for a tab's own credential.", opening, LINKS),
        built_in_tool(APPROVAL_REMIND, "Send a notice", "Tell those again who may decide.", reminding, LINKS),
    )
