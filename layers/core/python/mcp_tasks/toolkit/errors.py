"""What a tool raises on purpose, and what is wrong with what goes into it or comes out."""

from mcp_tasks.tasks.model import JSON


class ToolError(Exception):
    """The tool failed, and the message says to a model what was wrong and what would be right."""


class ClientCannot(ToolError):
    """The client cannot be asked this; a tool may go on without, or let this say why it does not."""

    def __init__(self, ability: str) -> None:
        """Name the ability, one of the words of `questions`."""
        super().__init__(f"This needs {ability} of the client, and yours cannot be asked for it here.")
        self.ability = ability


class McpError(Exception):
    """The call itself is refused: the client reads a JSON-RPC error with this code, message and data."""

    def __init__(self, code: int, message: str, data: JSON = None) -> None:
        """Keep the three members of a JSON-RPC error."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ResourceNotFound(Exception):
    """There is no such resource for this caller."""


class BadArguments(Exception):
    """The arguments do not fit the schema; the message says to a model which and why."""


class BadResult(Exception):
    """The function, or the machine that stands for it, returned what its own schema does not allow."""
