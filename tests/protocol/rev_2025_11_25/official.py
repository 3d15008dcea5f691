"""What the schema of revision 2025-11-25 says of a message that the server sent."""

from typing import Any

from tests.protocol.official import Schema, check_meta

SCHEMA = Schema("mcp-2025-11-25")

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "completion/complete": "CompleteResult",
    "tasks/get": "GetTaskResult",
    # Whatever the call behind the task would have returned, and so far only tools can be called.
    "tasks/result": "CallToolResult",
    "tasks/list": "ListTasksResult",
    "tasks/cancel": "CancelTaskResult",
}


def check(message: Any, method: str | None, *, as_task: bool = False) -> None:
    """Fail unless the message is valid; `method` is what it answers, if it answers anything that could be read."""
    if "method" in message:
        assert "id" not in message, "the server asks nothing yet"
        SCHEMA.validate(message, "ServerNotification")
        check_meta(message["params"])
    elif "error" in message:
        assert "result" not in message
        SCHEMA.validate(message, "JSONRPCErrorResponse")
        assert message["error"]["message"]
    else:
        assert method is not None, f"an answer to nothing: {message}"
        SCHEMA.validate(message, "JSONRPCResultResponse")
        SCHEMA.validate(message["result"], "CreateTaskResult" if as_task else RESULTS[method])
        check_meta(message["result"])
