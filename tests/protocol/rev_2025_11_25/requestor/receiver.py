"""Clients that make tasks of their own of input requests, and tools that make these requests."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks import Accepted, Context, Elicit, Form, InputRequestFailed, Sample, tool
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.replies import Reply
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.client import Client

RELATED: Final = "io.modelcontextprotocol/related-task"

ELICITATION: Final[Mapping[str, Any]] = {"elicitation": {"create": {}}}
SAMPLING: Final[Mapping[str, Any]] = {"sampling": {"createMessage": {}}}
NO_RUNTIME: Final[Mapping[str, Any]] = {"code": -32601, "message": "Method not found"}

ROSE: Final[Mapping[str, Any]] = {"action": "accept", "content": {"name": "Rose"}}
SAMPLED: Final[Mapping[str, Any]] = {"role": "assistant", "model": "m-1", "content": {"type": "text", "text": "Ah"}}


class Name(Form):
    name: str


@tool()
def christen(context: Context) -> str:
    """Ask for a name."""
    try:
        match context.elicit("A name?", Name, key="name"):
            case Accepted(value=form):
                return f"It is {form.name}."
            case other:
                return type(other).__name__
    except InputRequestFailed as error:
        return f"{error.code}: {error.message}"


@tool()
def recite(context: Context) -> str:
    """Have the client's model say something."""
    return context.sample("Say something.", max_tokens=9, key="word").text


@tool()
def converse(context: Context) -> str:
    """Ask the user and the client's model at once."""
    name, word = context.gather(Elicit("A name?", Name, key="name"), Sample("Speak.", max_tokens=9, key="word"))
    return f"{name.value.name}: {word.text}"


@tool()
def hurry(context: Context) -> str:
    """Ask for a name, and wait for a minute."""
    answer = context.elicit("A name, quick!", Name, key="name", timeout=timedelta(minutes=1), default=None)
    return "too late" if answer is None else "in time"


@tool()
def wander(context: Context) -> str:
    """Ask for the client's folders."""
    return str(len(context.list_roots(key="folders")))


TOOLS = [christen, recite, converse, hurry, wander]


def able(harness: Harness, requests: Mapping[str, Any], caller: Caller = ADA, **more: Any) -> Client:
    """Return a client with all capabilities, which makes tasks of these requests."""
    client = Client(harness, caller)
    tasks = {"requests": requests, **more}
    client.initialize({"elicitation": {"form": {}}, "sampling": {}, "roots": {}, "tasks": tasks})
    return client


def receiver(harness: Harness, caller: Caller = ADA) -> Client:
    """Return a client that makes tasks of all requests it can, and supports their cancellation."""
    return able(harness, {**ELICITATION, **SAMPLING}, caller, cancel={})


def suspended(client: Client, tool: str = "christen") -> str:
    """Start a task, run it to its first input request, and return its id."""
    task_id = client.start(tool)
    client.harness.run(task_id, client.caller)
    return task_id


def shown(status: str = "working", **more: Any) -> dict[str, Any]:
    """Return a client's task object."""
    at = "2026-01-01T12:00:00Z"
    return {"taskId": "client-1", "status": status, "createdAt": at, "lastUpdatedAt": at, "ttl": None, **more}


def made(status: str = "working", **more: Any) -> dict[str, Any]:
    """Return a client's result of a task-augmented request."""
    return {"task": shown(status, **more)}


def wait(client: Client, task_id: str) -> Reply:
    """Send tasks/result."""
    return client.send_request("tasks/result", {"taskId": task_id})


def tasks_get(client: Client, task_id: str) -> Reply:
    """Send tasks/get."""
    return client.send_request("tasks/get", {"taskId": task_id})


def listen(client: Client, task_id: str) -> Reply:
    """Open a listening stream."""
    return client.resume(None)


STREAMS: Final[Mapping[str, Callable[[Client, str], Reply]]] = {"result": wait, "listen": listen}
"""The streams on which requests can be sent."""


def carried(client: Client, task_id: str, stream: str = "result") -> Any:
    """Return the only request on a new stream."""
    (request,) = STREAMS[stream](client, task_id).input_requests
    return request


def silent(client: Client, task_id: str) -> bool:
    """Return whether no new stream carries a request."""
    return not any(open_stream(client, task_id).input_requests for open_stream in STREAMS.values())


def polled(client: Client, task_id: str, **more: Any) -> Any:
    """Let the client make a task of the input request, and return the first tasks/get for it."""
    assert client.respond(carried(client, task_id), made(**more)).status == 202
    client.harness.clock.advance(timedelta(hours=1))
    return carried(client, task_id)


def fetched(client: Client, task_id: str) -> Any:
    """Let the client make a task of the input request and complete it, and return the tasks/result for it."""
    assert client.respond(polled(client, task_id), shown("completed")).status == 202
    return carried(client, task_id)


def result_text(client: Client, task_id: str) -> str:
    """Return the text of a task's result."""
    return str(client.result("tasks/result", taskId=task_id)["content"][0]["text"])


STEPS: Final[Mapping[str, tuple[Callable[[Client, str], Any], Any]]] = {
    "create": (carried, made()),
    "poll": (polled, shown()),
    "last poll": (polled, shown("completed")),
    "fetch": (fetched, ROSE),
}
"""Each request about a client's task: the function that brings the exchange there, and a valid response."""


class InterruptibleSessions(MemorySessions):
    """Sessions that call a function right before, or after, the next write about a delivery."""

    before: Callable[[], object] | None = None
    after: Callable[[], object] | None = None

    def save_attempt(self, owner_key: str, name: str, delivery: Attempt, until: datetime) -> bool:
        before, after, self.before, self.after = self.before, self.after, None, None
        if before is not None:
            before()
        saved = super().save_attempt(owner_key, name, delivery, until)
        if after is not None:
            after()
        return saved
