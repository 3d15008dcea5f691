"""The errors that tools raise, and those of arguments and results that do not fit their schema."""

from collections.abc import Mapping
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Final, Self

from mcp_tasks.authoring.text import sendable
from mcp_tasks.authoring.wording import short
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.tasks.model import JSON

if TYPE_CHECKING:
    from mcp_tasks.authoring.input_requests import ElicitUrl

RESERVED: Final = range(-32099, -32019)
URL_REQUIRED: Final = -32042


class ToolError(Exception):
    """The tool failed; a model reads the message, which should say what was wrong and what would be right."""


class MissingCapability(ToolError):
    """The client lacks the capability for this input request; a tool may catch it and go on without the answer."""

    def __init__(self, capability: str) -> None:
        """Name the capability, such as `elicitation.form`; `authoring.input_requests` lists them."""
        super().__init__(f"This needs the client capability {capability}, which your client does not have here.")
        self.capability = capability


class InputRequestFailed(ToolError):
    """The client answered an input request with a JSON-RPC error, as some do where their user forbids sampling.

    A user who says no to an elicitation is no error: `Context.elicit` then returns `Declined`.
    """

    def __init__(self, key: str, error: Mapping[str, JSON]) -> None:
        """Keep the key of the input request, and the `code` and `message` of the JSON-RPC error."""
        code, message = error.get("code"), error.get("message")
        self.key = key
        self.code = code if isinstance(code, int) else None
        self.message = short(sendable(message), MAX_LINE_CHARACTERS) if isinstance(message, str) else ""
        reason = self.message or "it gives no reason"
        super().__init__(f"The client answered {key!r} with an error: {reason} (code {self.code}).")


class NoAnswer(ToolError):
    """No fitting answer to an input request came in time."""

    def __init__(self, key: str) -> None:
        """Keep the key of the input request."""
        super().__init__(f"Nobody answered {key!r} in time.")
        self.key = key


class McpError(Exception):
    """The call is answered with a JSON-RPC error of this code, message and data.

    Take a code of your own from outside of -32768 to -32000.  -32099 to -32020 are reserved for the protocol.
    """

    def __init__(self, code: int, message: str, data: JSON = None) -> None:
        """Keep the fields of a JSON-RPC error; raises `ValueError` for a code that is reserved or no integer."""
        if not isinstance(code, int) or isinstance(code, bool):
            raise ValueError(f"the code of a JSON-RPC error is an integer, not {code!r}")
        if code in RESERVED:
            raise ValueError(f"the protocol keeps the code {code} for itself: take one outside -32768 to -32000")
        super().__init__(message)
        self.code = code
        # Authors pass an exception, too, for what it says.
        self.message = sendable(str(message))
        self.data = data

    @classmethod
    def of_document(cls, code: int, message: str, data: JSON) -> Self:
        """Return an error that was raised elsewhere, and may have a code that only the protocol gives."""
        error = cls.__new__(cls, message)
        error.code, error.message, error.data = code, message, data
        return error


class UrlElicitationRequired(McpError):
    """The call needs the user to open these URLs first: the client sends them there, and calls again.

    In 2025-11-25 it is the error -32042, in 2026-07-28 an `input_required` result.  Raise it before anything is done,
    since the function runs again from its start.  A task cannot be called again: use `Context.elicit_url` there.
    """

    def __init__(self, message: str, *elicitations: "ElicitUrl") -> None:
        """Say what for, and name the URLs; one without an `elicitation_id` is given a random one."""
        if not elicitations:
            raise ValueError("name the URLs that the user has to go to")
        # The code is reserved for the protocol, and so `McpError` would reject it.
        Exception.__init__(self, message)
        self.code = URL_REQUIRED
        self.message = sendable(str(message))
        shown = [each.input_request("").params for each in elicitations]
        self.data = {"elicitations": [{"elicitationId": token_urlsafe(16), **params} for params in shown]}


class ResourceNotFound(Exception):
    """This caller has no resource at the URI."""


class BadArguments(Exception):
    """The arguments do not fit the schema; the message tells a model which and why."""


class BadResult(Exception):
    """A function or a state machine returned what cannot be sent; the message tells its author which item, and why."""
