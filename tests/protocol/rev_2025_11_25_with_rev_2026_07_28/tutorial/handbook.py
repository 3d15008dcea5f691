"""The tools of the SEP-2663 tutorial, re-written for this server."""

from collections.abc import Mapping
from typing import Any, Final

from mcp_tasks import Accepted, Context, Elicit, Form, McpError, ToolError, tool
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import New, Old
from tests.protocol.rev_2026_07_28.client import ABLE, ANSWERS, CAPABILITIES, KNOWS_TASKS, TASKS

WIRES: Final = ("stateless", "session")
"""2026-07-28, and a session of 2025-11-25 that declares the extension in the handshake and with each call."""

SERVER_CHOSEN: Final = {"resultType", "taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"}


class Confirm(Form):
    confirm: bool


class Value(Form):
    value: str


@tool(tasks="never")
def greet(name: str) -> str:
    """Sync only."""
    return f"Hello, {name}!"


@tool(tasks="allowed")
def slow_compute(context: Context, label: str) -> str:
    """Work for long."""
    context.report_progress(1, 2, "half way")
    context.log("info", "half way")
    return f"computed {label}"


@tool(tasks="always")
def must_be_a_task() -> str:
    """Work for longer still."""
    return "done"


@tool(tasks="always")
def failing_job() -> str:
    """Say that the work failed."""
    raise ToolError("no luck")


@tool(tasks="always")
def protocol_error_job() -> str:
    """Fail as a request does."""
    raise McpError(-32603, "broken")


@tool(tasks="always", starts_inline=True)
def cached(key: str, context: Context) -> str:
    """Know some answers at once."""
    if key == "hit":
        return "from the cache"
    context.continue_as_task()
    return "computed"


@tool(tasks="always")
def confirm_delete(context: Context, filename: str) -> str:
    """Need a confirmation while working."""
    answer = context.elicit(f"Delete {filename}?", Confirm, key="elicit-1")
    return "deleted" if isinstance(answer, Accepted) and answer.value.confirm else "kept"


@tool(tasks="always")
def multi_input(context: Context) -> str:
    """Ask two things side by side."""
    name, confirm = context.gather(Elicit("Name?", Value, key="name"), Elicit("Sure?", Confirm, key="confirm"))
    return f"{name.value.value} {confirm.value.confirm}"


@tool(tasks="always")
def milestones(context: Context) -> str:
    """Say where the work stands."""
    context.report_status("unpacking")
    context.report_status("sorting")
    return "sorted"


@tool(tasks="always", starts_inline=True)
def composite(context: Context) -> str:
    """Ask for a key and a target, one after the other, then work as a task, then ask for a confirmation."""
    key = context.elicit("API key name?", Value, key="api_key")
    assert isinstance(key, Accepted)
    target = context.elicit(f"Target for {key.value.value}?", Value, key="target")
    assert isinstance(target, Accepted)
    context.continue_as_task()
    sure = context.elicit("Still sure?", Confirm, key="mid_job")
    if not (isinstance(sure, Accepted) and sure.value.confirm):
        return "aborted at mid-job confirmation"
    return f"{target.value.value} with {key.value.value}"


@tool(tasks="never")
def quick_interactive(context: Context) -> str:
    """Ask once, and answer."""
    answer = context.elicit("Which one?", Value, key="answer")
    return f"this one: {answer.value.value}" if isinstance(answer, Accepted) else "none"


TOOLS: Final = [
    greet,
    slow_compute,
    must_be_a_task,
    failing_job,
    protocol_error_job,
    cached,
    confirm_delete,
    multi_input,
    milestones,
    composite,
    quick_interactive,
]


class Reader:
    """A client that follows the tutorial in one revision; tasks run only when a test runs them."""

    def __init__(self, wire: str, harness: Harness, caller: Any = ADA, *, declares: bool = True) -> None:
        self.wire, self.harness, self.caller = wire, harness, caller
        harness.idle = True
        self.client: Any
        if wire == "stateless":
            self.client = New(harness, caller, ABLE if declares else ANSWERS)
        else:
            self.client = Old(harness, caller)
            declared = {**ANSWERS, "elicitation": {"form": {}}} | ({"extensions": {TASKS: {}}} if declares else {})
            self.initialized = self.client.initialize(declared)
            self.last_event_id = self.client.resume(None).last_event_id if declares else None

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool, and return the result."""
        declared = {"_meta": {CAPABILITIES: KNOWS_TASKS}} if self.wire == "session" else {}
        return self.client.result("tools/call", name=name, arguments=arguments, **declared)

    def start(self, name: str, /, **arguments: Any) -> str:
        """Call a tool that becomes a task, and return the task's id."""
        created = self.call(name, **arguments)
        assert created["resultType"] == "task"
        return str(created["taskId"])

    def get(self, task_id: str) -> Any:
        """Return the task as it is."""
        return self.client.result("tasks/get", taskId=task_id)

    def update(self, task_id: str, **answers: Any) -> Any:
        """Answer what the task asks, and return the acknowledgement."""
        return self.client.result("tasks/update", taskId=task_id, inputResponses=answers)

    def cancel(self, task_id: str) -> Any:
        """Cancel the task, and return the acknowledgement."""
        return self.client.result("tasks/cancel", taskId=task_id)

    def work(self, task_id: str) -> None:
        """Let the work be done, up to its end or its next input request."""
        self.harness.run(task_id, self.caller)

    def notifications(self, task_id: str) -> list[Mapping[str, Any]]:
        """Return what `notifications/tasks` says of the task by now, or in a moment."""
        if self.wire == "stateless":
            wanted = {"notifications": {"taskIds": [task_id]}}
            found = self.client.send_request("subscriptions/listen", wanted).notifications("notifications/tasks")
            return [{name: value for name, value in each.items() if name != "_meta"} for each in found]
        reply = self.client.resume(self.last_event_id)
        self.last_event_id = reply.last_event_id
        assert {message["method"] for message in reply.messages} <= {"notifications/tasks"}
        return [each for each in reply.notifications("notifications/tasks") if each["taskId"] == task_id]
