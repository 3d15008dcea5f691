"""The interface of the test clients, which is the same for every revision of the protocol.

what a test does                                                  what it raises
a request that the server rejects                                 `McpError`
reads the result of a task or a call that ended in an error       `McpError`, the tool's own
responds with what does not fit its input request                 `McpError`; the input request stays open
responds again, or to a task that has ended                       nothing, and changes nothing
cancels a task that has ended                                     nothing, and changes nothing
reads the result of a task that is not done, or was cancelled     `NoResult`
calls, or waits for, a tool that asks a client with no responder  `NoResult`
starts a task where the server creates none                       `NotATask`
responds with an error where the revision has no such response    `NotSupported`
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR

Transport = Callable[[HttpRequest], HttpReply]
"""Sends an HTTP request to a server, in this process or elsewhere, and returns the response."""

Responder = Callable[["InputRequest"], JSON]
"""Returns the result to respond to an input request with, such as that of `elicitation/create`."""

RESPONDS: Final[Mapping[str, Any]] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
"""Client capabilities that allow every kind of input request."""

FINAL: Final = frozenset({"completed", "failed", "cancelled"})


Sleep = Callable[[timedelta], object]


def no_sleep(duration: timedelta) -> None:
    """Return at once: for servers that may be polled without a pause."""


class NoResult(AssertionError):
    """A task has no result, or none yet."""


class NotATask(AssertionError):
    """The server created no task for a call that `start_task` made; `result` is its immediate result, if it has one."""

    def __init__(self, reason: str, result: "ToolResult | None" = None) -> None:
        super().__init__(reason)
        self.result = result


class NotSupported(AssertionError):
    """The client's revision of the protocol has no such message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a tool call."""

    content: Sequence[Mapping[str, JSON]]
    structured: JSON = None
    is_error: bool = False

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> "ToolResult":
        """Return the result that a `CallToolResult` of the protocol holds."""
        return cls(
            content=result["content"],
            structured=result.get("structuredContent"),
            is_error=result.get("isError", False),
        )

    @property
    def text(self) -> str:
        """The text of all text blocks, joined by line breaks."""
        return "\n".join(str(block["text"]) for block in self.content if block["type"] == "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest:
    """An input request of the server; `method` is `elicitation/create`, `sampling/createMessage` or `roots/list`."""

    id: str
    method: str
    params: Mapping[str, Any]
    respond: Callable[[JSON], None] = field(compare=False, repr=False)
    """Sends a result as the response; raises `McpError` if it does not fit the request, which then stays open."""

    fail: Callable[[int, str], None] = field(compare=False, repr=False)
    """Sends a JSON-RPC error, by code and message, as the response.

    Raises `NotSupported` in revisions without error responses: in 2026-07-28 a response is a result, and a client that
    fails declines, or does not call again.
    """

    @property
    def message(self) -> str:
        """The message of an elicitation to the user."""
        return str(self.params["message"])

    def accept(self, **content: JSON) -> None:
        """Accept an elicitation, with the fields of its form."""
        self.respond({"action": "accept", "content": content})

    def decline(self) -> None:
        """Decline an elicitation, as a user who says no."""
        self.respond({"action": "decline"})

    def cancel(self) -> None:
        """Cancel an elicitation, as a user who closes its form without a choice."""
        self.respond({"action": "cancel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """A task as of one `tasks/get`; `result` is the whole result of that request, in the fields of the revision."""

    status: str
    message: str | None
    poll_interval: timedelta
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as its client sees it: each property sends a request to the server."""

    client: "Client"
    id: str

    @property
    def status(self) -> str:
        """One of working, input_required, completed, failed, cancelled."""
        return self.client.get_task(self.id).status

    @property
    def status_message(self) -> str | None:
        """The task's status message, or None."""
        return self.client.get_task(self.id).message

    @property
    def input_requests(self) -> list[InputRequest]:
        """The task's input requests that have no response yet."""
        return self.client.input_requests(self.id)

    @property
    def result(self) -> ToolResult:
        """The tool's result; raises `NoResult` where there is none, and `McpError` if the task ended in an error."""
        return self.client.task_result(self.id)

    def wait(self) -> ToolResult:
        """Poll until the task ends, with responses by the client's `responder`, and return the result.

        Raises `NoResult` for a task that was cancelled, or that asks a client without a responder, and `McpError`.
        """
        while (task := self.client.get_task(self.id)).status not in FINAL:
            requests = self.input_requests if task.status == "input_required" else []
            for request in requests:
                self.client.respond_to(request)
            if not requests:
                self.client.poll(task.poll_interval)
        return self.result

    def cancel(self) -> None:
        """Cancel the task, or do nothing if it has ended; raises `McpError`."""
        self.client.cancel_task(self.id)


class Client(ABC):
    """A client of one revision, for one caller.

    `responder` responds to the input requests that come during a call or `Task.wait`, or raises the `McpError` to
    respond with; without one, a test responds to `Task.input_requests`.  The client waits between connections by
    `sleep`, and between polls of a task by `poll`.
    """

    def __init__(
        self,
        transport: Transport,
        capabilities: Mapping[str, Any],
        *,
        responder: Responder | None = None,
        sleep: Sleep = no_sleep,
        poll: Sleep | None = None,
    ) -> None:
        self.transport = transport
        self.capabilities = capabilities
        self.responder = responder
        self.sleep = sleep
        self.poll = poll or sleep

    @abstractmethod
    def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Send a request in the revision's own terms, and return its result; raises `McpError`."""

    @abstractmethod
    def call_tool(self, name: str, arguments: Mapping[str, JSON] | None = None) -> ToolResult:
        """Call a tool and return its result, also where that takes a task; raises `McpError` and `NoResult`."""

    @abstractmethod
    def start_task(self, name: str, arguments: Mapping[str, JSON] | None = None) -> Task:
        """Call a tool as a task; raises `NotATask` if the server creates none, and `McpError`.

        Where the server decides what becomes a task (2026-07-28), a tool that starts inline may return without one, or
        ask before there is one: `NoResult` then, if the client has no responder.
        """

    @abstractmethod
    def get_task(self, task_id: str) -> TaskState:
        """Return a task as it is now; raises `McpError`."""

    @abstractmethod
    def cancel_task(self, task_id: str) -> None:
        """Cancel a task, or do nothing if it has ended; raises `McpError`."""

    @abstractmethod
    def input_requests(self, task_id: str) -> list[InputRequest]:
        """Return a task's input requests that have no response yet."""

    @abstractmethod
    def ended_task_result(self, task_id: str) -> ToolResult:
        """Return the result of a task that has ended and was not cancelled; raises `McpError`."""

    def task_result(self, task_id: str) -> ToolResult:
        """Return the result of a task; raises `NoResult` where it has none, and `McpError`."""
        if (status := self.get_task(task_id).status) not in ("completed", "failed"):
            raise NoResult(f"the task is {status}")
        return self.ended_task_result(task_id)

    def task(self, task_id: str) -> Task:
        """Return a task by its id, without asking the server whether there is one."""
        return Task(client=self, id=task_id)

    def respond_to(self, request: InputRequest) -> None:
        """Respond to a request by the client's `responder`; raises `NoResult` if it has none, and `McpError`."""
        if self.responder is None:
            raise NoResult(f"nobody responds to {request.method}: {request.params}")
        try:
            result = self.responder(request)
        except McpError as error:
            request.fail(error.code, error.message)
        else:
            request.respond(result)


def result_of(response: Mapping[str, Any]) -> Any:
    """Return the result of a JSON-RPC response; raises `McpError` for an error."""
    if "error" in response:
        raise error_of(response["error"])
    return response["result"]


def error_of(error: Mapping[str, Any]) -> McpError:
    """Return a JSON-RPC error as the exception, which tools may not make with a code that the protocol reserves."""
    raised = McpError(INTERNAL_ERROR, error["message"], error.get("data"))
    raised.code = error["code"]
    return raised
