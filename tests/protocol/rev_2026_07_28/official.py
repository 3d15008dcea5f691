"""Validates the replies of a server by the schemas of revision 2026-07-28 and of its tasks extension."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from mcp_tasks.testing.replies import Reply
from tests.protocol.official import Schema, check_meta, is_declared

CORE = Schema("mcp-2026-07-28")
TASKS = Schema("ext-tasks-2026-07-28")

RESULTS = {
    "server/discover": (CORE, "DiscoverResult"),
    "tools/list": (CORE, "ListToolsResult"),
    "tools/call": (CORE, "CallToolResult"),
    "prompts/list": (CORE, "ListPromptsResult"),
    "prompts/get": (CORE, "GetPromptResult"),
    "resources/list": (CORE, "ListResourcesResult"),
    "resources/templates/list": (CORE, "ListResourceTemplatesResult"),
    "resources/read": (CORE, "ReadResourceResult"),
    "completion/complete": (CORE, "CompleteResult"),
    "subscriptions/listen": (CORE, "SubscriptionsListenResult"),
    "tasks/get": (TASKS, "GetTaskResult"),
    "tasks/update": (TASKS, "UpdateTaskResult"),
    "tasks/cancel": (TASKS, "CancelTaskResult"),
}
CACHED = {name for name in RESULTS if name.endswith(("/list", "/discover", "/read"))}
MAY_REQUEST_INPUT = ("tools/call", "prompts/get", "resources/read")

NOTIFICATIONS = {
    "notifications/progress": (CORE, "ProgressNotification"),
    "notifications/message": (CORE, "LoggingMessageNotification"),
    "notifications/subscriptions/acknowledged": (CORE, "SubscriptionsAcknowledgedNotification"),
    "notifications/resources/updated": (CORE, "ResourceUpdatedNotification"),
    "notifications/tasks": (TASKS, "TaskStatusNotification"),
}
ERRORS = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}
STATUS = {-32601: 404, **dict.fromkeys(ERRORS, 400)}
JSON_RPC = {-32700, -32600, -32601, -32602, -32603}

TASK = {"taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"}
OPTIONAL = {"statusMessage", "pollIntervalMs"}
INLINED = {"input_required": {"inputRequests"}, "completed": {"result"}, "failed": {"error"}}

LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRequest:
    """The fields of a request on which its response depends."""

    id: Any
    method: Any
    meta: Mapping[str, Any]

    @classmethod
    def by(cls, message: Mapping[str, Any]) -> Self:
        """Read the fields of a request, which may be malformed."""
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        return cls(id=message["id"], method=message["method"], meta=meta if isinstance(meta, dict) else {})

    @property
    def capabilities(self) -> Any:
        return self.meta.get("io.modelcontextprotocol/clientCapabilities", {})


def check(reply: Reply, request: ClientRequest | None) -> None:
    """Fail unless all messages, their order and the HTTP status are valid for the request, if it could be read."""
    *notifications, answer = reply.messages
    for message in reply.messages:
        assert not {"method", "id"} <= message.keys(), "the server sends no requests"
    if "error" in answer:
        assert notifications == [], "what is an error is known before a stream begins"
        _check_error(answer)
        assert reply.status == STATUS.get(answer["error"]["code"], reply.status)
        return
    assert request is not None, f"an answer to nothing: {answer}"
    assert reply.status == 200
    assert (answer["id"], type(answer["id"])) == (request.id, type(request.id)) or isinstance(request.id, float)
    _check_notifications(notifications, request)
    CORE.validate(answer, "JSONRPCResultResponse")
    _check_result(answer["result"], request)


def _check_error(answer: Any) -> None:
    error = answer["error"]
    assert "result" not in answer
    CORE.validate(answer, ERRORS.get(error["code"], "JSONRPCErrorResponse"))
    assert error["message"]
    _check_code(error["code"])


def _check_code(code: int) -> None:
    # "Implementations MUST NOT emit any code from this sub-range that is not defined"; the rest is JSON-RPC's.
    assert code in JSON_RPC | ERRORS.keys() or not -32768 <= code <= -32000, f"{code} is nobody's to send"


def _check_notifications(notifications: list[Any], request: ClientRequest) -> None:
    for message in notifications:
        schema, name = NOTIFICATIONS[message["method"]]
        schema.validate(message, name)
        check_meta(message["params"])
        _check_wanted(message["method"], message["params"], request)
    acknowledgement = "notifications/subscriptions/acknowledged"
    listens = request.method == "subscriptions/listen"
    assert [message["method"] for message in notifications].count(acknowledgement) == listens
    assert not listens or notifications[0]["method"] == acknowledgement
    reached = [
        message["params"]["progress"] for message in notifications if message["method"] == "notifications/progress"
    ]
    assert reached == sorted(set(reached)), "progress rises"


def _check_wanted(method: str, params: Any, request: ClientRequest) -> None:
    match method:
        case "notifications/progress":
            token = request.meta["progressToken"]
            assert (params["progressToken"], type(params["progressToken"])) == (token, type(token))
        case "notifications/message":
            level = request.meta["io.modelcontextprotocol/logLevel"]
            assert LEVELS.index(params["level"]) >= LEVELS.index(level)
        case _:
            named = params["_meta"]["io.modelcontextprotocol/subscriptionId"]
            assert request.method == "subscriptions/listen"
            assert (named, type(named)) == (request.id, type(request.id))
    if method == "notifications/tasks":
        _check_task({name: value for name, value in params.items() if name != "_meta"}, request)


def _check_result(result: Any, request: ClientRequest) -> None:
    check_meta(result)
    CORE.validate(result["_meta"]["io.modelcontextprotocol/serverInfo"], "Implementation")
    cached = result["resultType"] == "complete" and request.method in CACHED
    assert {"ttlMs", "cacheScope"} <= result.keys() if cached else "cacheScope" not in result
    match result["resultType"]:
        case "complete":
            schema, name = RESULTS[request.method]
            schema.validate(result, name)
        case "task":
            assert request.method == "tools/call"
            assert "io.modelcontextprotocol/tasks" in request.capabilities["extensions"]
            TASKS.validate(result, "CreateTaskResult")
            assert result.keys() <= {"resultType", "_meta"} | TASK | OPTIONAL
        case "input_required":
            assert request.method in MAY_REQUEST_INPUT
            CORE.validate(result, "InputRequiredResult")
            assert result.keys() - {"resultType", "_meta"} <= {"inputRequests", "requestState"}
            assert result.keys() & {"inputRequests", "requestState"}
            _check_input_requests(result.get("inputRequests", {}), request)
        case other:
            raise AssertionError(f"{other} is no type of a result")
    if request.method == "tasks/get":
        _check_task({name: value for name, value in result.items() if name not in ("_meta", "resultType")}, request)


def _check_task(shown: Any, request: ClientRequest) -> None:
    inlined = INLINED.get(shown["status"], set())
    assert TASK | inlined <= shown.keys() <= TASK | OPTIONAL | inlined
    match shown["status"]:
        case "completed":
            assert shown["result"]["resultType"] == "complete"
            CORE.validate(shown["result"], "CallToolResult")
        case "failed":
            CORE.validate(shown["error"], "Error")
            _check_code(shown["error"]["code"])
        case "input_required":
            _check_input_requests(shown["inputRequests"], request)


def _check_input_requests(input_requests: Mapping[str, Any], request: ClientRequest) -> None:
    for input_request in input_requests.values():
        assert input_request.keys() <= {"method", "params"}
        CORE.validate(input_request, "InputRequest")
        assert is_declared(input_request["method"], input_request.get("params", {}), request.capabilities)
