"""Validates the messages of a server by the schema of revision 2025-11-25."""

from collections.abc import Mapping
from typing import Any

from tests.protocol.official import Schema, check_meta, is_declared

SCHEMA = Schema("mcp-2025-11-25")
EXTENSION = Schema("ext-tasks-2026-07-28")

OF_THE_EXTENSION = {
    "tools/call": "CreateTaskResult",
    "tasks/get": "GetTaskResult",
    "tasks/update": "UpdateTaskResult",
    "tasks/cancel": "CancelTaskResult",
}
"""Results with a `resultType`, which this revision does not have; the first two are valid in this revision, too."""

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
    # The result of the call behind the task, and only tools/call can be task-augmented.
    "tasks/result": "CallToolResult",
    "tasks/list": "ListTasksResult",
    "tasks/cancel": "CancelTaskResult",
}

SERVER_REQUESTS = {
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "roots/list": "ListRootsRequest",
    "tasks/get": "GetTaskRequest",
    "tasks/result": "GetTaskPayloadRequest",
    "tasks/cancel": "CancelTaskRequest",
}


def check(message: Any, method: str | None, *, as_task: bool = False) -> None:
    """Fail unless the message is valid; `method` is that of the request that it responds to, if there is one."""
    if message.get("method") == "notifications/tasks":
        EXTENSION.validate(message, "TaskStatusNotification")
    elif "method" in message:
        SCHEMA.validate(message, SERVER_REQUESTS[message["method"]] if "id" in message else "ServerNotification")
        check_meta(message["params"])
    elif "error" in message:
        assert "result" not in message
        SCHEMA.validate(message, "JSONRPCErrorResponse")
        assert message["error"]["message"]
    else:
        assert method is not None, f"an answer to nothing: {message}"
        SCHEMA.validate(message, "JSONRPCResultResponse")
        if "resultType" in message["result"]:
            EXTENSION.validate(message["result"], OF_THE_EXTENSION[method])
        if "resultType" not in message["result"] or method in ("tools/call", "tasks/get"):
            SCHEMA.validate(message["result"], "CreateTaskResult" if as_task else RESULTS[method])
        check_meta(message["result"])


def may_be_sent(method: str, params: Mapping[str, Any], capabilities: Mapping[str, Any]) -> bool:
    """Return whether a client with these capabilities may be sent this request, task-augmented if it is."""
    tasks = capabilities.get("tasks", {})
    if method.startswith("tasks/"):
        return bool(tasks.get("requests")) and (method != "tasks/cancel" or "cancel" in tasks)
    area, _, act = method.partition("/")
    return is_declared(method, params, capabilities) and (
        "task" not in params or act in tasks["requests"].get(area, {})
    )
