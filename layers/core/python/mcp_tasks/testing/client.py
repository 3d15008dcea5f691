"""The client's side of a tool call, in the same words for every revision of the protocol."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpReply, HttpRequest

Transport = Callable[[HttpRequest], HttpReply]
"""Brings a request to a server, wherever that is, and returns its reply."""

Responder = Callable[["InputRequest"], JSON]
"""Says what a client responds to an input request: the result of `elicitation/create` and the like."""

RESPONDS: Final[Mapping[str, Any]] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
"""The capabilities of a client that responds to every kind of input request."""

FINAL: Final = frozenset({"completed", "failed", "cancelled"})


Sleep = Callable[[timedelta], object]


def no_sleep(duration: timedelta) -> None:
    """Come back at once, for who tests a server that does not mind to be asked again soon."""


class NoResult(AssertionError):
    """The result of a task was asked for that has none, or none yet."""


class NotATask(AssertionError):
    """The server did not make a task of a call that was to be one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool answered."""

    content: Sequence[Mapping[str, JSON]]
    structured: JSON = None
    is_error: bool = False

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> "ToolResult":
        """Read a `CallToolResult`."""
        return cls(
            content=result["content"],
            structured=result.get("structuredContent"),
            is_error=result.get("isError", False),
        )

    @property
    def text(self) -> str:
        """All text blocks, a line each."""
        return "\n".join(str(block["text"]) for block in self.content if block["type"] == "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest:
    """What the server asks a client for: `method` is `elicitation/create` or the like."""

    id: str
    method: str
    params: Mapping[str, Any]
    respond: Callable[[JSON], None] = field(compare=False, repr=False)
    """Responds with a result; raises `McpError` where the server says that it does not fit."""

    @property
    def message(self) -> str:
        """What an elicitation tells the user."""
        return str(self.params["message"])

    def accept(self, **content: JSON) -> None:
        """Accept an elicitation, with what the user filled in."""
        self.respond({"action": "accept", "content": content})

    def decline(self) -> None:
        """Decline an elicitation."""
        self.respond({"action": "decline"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """What `tasks/get` tells of a task; `shown` is all of it, as the revision says it."""

    status: str
    message: str | None
    poll_interval: timedelta
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as its client sees it: each property asks the server."""

    client: "Client"
    id: str

    @property
    def status(self) -> str:
        """One of working, input_required, completed, failed, cancelled."""
        return self.client.get_task(self.id).status

    @property
    def status_message(self) -> str | None:
        """What the task last said of its status or its progress, if it said anything."""
        return self.client.get_task(self.id).message

    @property
    def input_requests(self) -> list[InputRequest]:
        """What the task asks its client for, without what the client has responded to."""
        return self.client.input_requests(self.id)

    @property
    def result(self) -> ToolResult:
        """What the tool answered; raises `NoResult`, and `McpError` where the task ended with an error."""
        if (status := self.status) not in ("completed", "failed"):
            raise NoResult(f"the task is {status}")
        return self.client.task_result(self.id)

    def wait(self) -> ToolResult:
        """Let time pass until the task ends, respond as the client's `responder` says, and return the result."""
        while (task := self.client.get_task(self.id)).status not in FINAL:
            requests = self.input_requests if task.status == "input_required" else []
            if requests and self.client.responder is None:
                raise NoResult(f"the task waits for {[request.params for request in requests]}")
            for request in requests:
                self.client.respond_to(request)
            if not requests:
                self.client.poll(task.poll_interval)
        return self.result

    def cancel(self) -> None:
        """Cancel the task; raises `McpError`."""
        self.client.cancel_task(self.id)


class Client(ABC):
    """One caller's client of one revision.

    `responder` responds to input requests that come while a call or `Task.wait` is under way; without one, a test
    responds to those of `Task.input_requests`.  The client waits by `sleep`, and between looks at a task by `poll`.
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
    def call_tool(self, name: str, arguments: Mapping[str, JSON] | None = None) -> ToolResult:
        """Call a tool and return what it answers, even if the server makes a task of the call; raises `McpError`."""

    @abstractmethod
    def start_task(self, name: str, arguments: Mapping[str, JSON] | None = None) -> Task:
        """Call a tool as a task; raises `NotATask` where none comes of it, and `McpError`."""

    @abstractmethod
    def get_task(self, task_id: str) -> TaskState:
        """Return what `tasks/get` tells of a task; raises `McpError`."""

    @abstractmethod
    def task_result(self, task_id: str) -> ToolResult:
        """Return the result of a task that ended; raises `McpError`."""

    @abstractmethod
    def cancel_task(self, task_id: str) -> None:
        """Cancel a task; raises `McpError`."""

    @abstractmethod
    def input_requests(self, task_id: str) -> list[InputRequest]:
        """Return what a task asks for and was not responded to."""

    def task(self, task_id: str) -> Task:
        """Return a task by its id, which may name none."""
        return Task(client=self, id=task_id)

    def respond_to(self, request: InputRequest) -> None:
        """Respond as the client's `responder` says; leave the request to others where there is none."""
        if self.responder is not None:
            request.respond(self.responder(request))


def result_of(answer: Mapping[str, Any]) -> Any:
    """Return the result that a JSON-RPC response holds; raises `McpError` where it holds an error."""
    if "error" in answer:
        error = answer["error"]
        raise McpError(error["code"], error["message"], error.get("data"))
    return answer["result"]
