"""What a tool raises on purpose, and what is wrong with what goes into it or comes out."""

from collections.abc import Mapping
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Final

from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.wording import short
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.tasks.model import JSON

if TYPE_CHECKING:
    from mcp_tasks.authoring.input_requests import ElicitUrl

RESERVED: Final = range(-32099, -32019)
URL_REQUIRED: Final = -32042


class ToolError(Exception):
    """The tool failed, and the message says to a model what was wrong and what would be right."""


class MissingCapability(ToolError):
    """The client cannot be asked this; a tool may go on without, or let this say why it does not."""

    def __init__(self, capability: str) -> None:
        """Name the capability, one of the words of `input_requests`."""
        super().__init__(f"This needs {capability} of the client, and yours cannot be asked for it here.")
        self.capability = capability


class InputRequestFailed(ToolError):
    """The client answered an input request with a JSON-RPC error, as some do where their user forbids sampling.

    A user who says no to an elicitation is no error: `Context.elicit` then returns `Declined`.
    """

    def __init__(self, key: str, error: Mapping[str, JSON]) -> None:
        """Name the input request, and keep what the client said of it: the code and message of a JSON-RPC error."""
        code, message = error.get("code"), error.get("message")
        self.key = key
        self.code = code if isinstance(code, int) else None
        self.message = short(sendable(message), MAX_LINE_CHARACTERS) if isinstance(message, str) else ""
        reason = self.message or "it gives no reason"
        super().__init__(f"The client refused to answer {key!r}: {reason} (code {self.code}).")


class NoAnswer(ToolError):
    """Nobody answered an input request in time."""

    def __init__(self, key: str) -> None:
        """Name the input request."""
        super().__init__(f"Nobody answered {key!r} in time.")
        self.key = key


class McpError(Exception):
    """The call itself is refused: the client reads a JSON-RPC error with this code, message and data.

    A code of your own lies outside -32768 to -32000; those of the protocol's from -32099 to -32020 are its own to use.
    """

    def __init__(self, code: int, message: str, data: JSON = None) -> None:
        """Keep the three fields of a JSON-RPC error; raises `ValueError` for a code that clients would misread."""
        if not isinstance(code, int) or isinstance(code, bool):
            raise ValueError(f"the code of a JSON-RPC error is an integer, not {code!r}")
        if code in RESERVED:
            raise ValueError(f"the protocol keeps the code {code} for itself: take one outside -32768 to -32000")
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class UrlElicitationRequired(McpError):
    """The call can go on only after the user has been to these URLs: the client sends them there, and calls again.

    In 2025-11-25 it is the error -32042, in 2026-07-28 a result that asks.  Raise it before anything is done: the
    function runs from the top again.  Within a task, which cannot be called again, use `Context.elicit_url`.
    """

    def __init__(self, message: str, *visits: "ElicitUrl") -> None:
        """Say what for, and where to; each visit without an `elicitation_id` is given one."""
        if not visits:
            raise ValueError("name the URLs that the user has to go to")
        # The protocol's own code, which `McpError` keeps from everybody else.
        Exception.__init__(self, message)
        self.code = URL_REQUIRED
        self.message = message
        shown = [visit.input_request("").params for visit in visits]
        self.data = {"elicitations": [{"elicitationId": token_urlsafe(16), **params} for params in shown]}


class ResourceNotFound(Exception):
    """There is no such resource for this caller."""


class BadArguments(Exception):
    """The arguments do not fit the schema; the message says to a model which and why."""


class BadResult(Exception):
    """The function, or the machine that stands for it, returned what its own schema does not allow."""
