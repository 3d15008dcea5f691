"""Two sample tools, a `TaskService` in memory, and sample input requests with responses."""

from datetime import timedelta
from typing import Any

from mcp_tasks import tool
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.limits import Limits
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import InputRequest, InputResponse, Progress, Returned, Task
from tests.kit import ADA, memory_ports

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
DONE = Returned(result={"content": []})

COLOURS = {
    "type": "object",
    "properties": {"value": {"type": "string", "enum": ["red", "blue"]}},
    "required": ["value"],
}
COLOUR = InputRequest(
    key="colour",
    method="elicitation/create",
    params={"mode": "form", "message": "Which colour?", "requestedSchema": COLOURS},
)
SIZE = InputRequest(
    key="size", method="elicitation/create", params={"mode": "url", "message": "Which size?", "url": "x"}
)
ROOTS = InputRequest(key="roots", method="roots/list", params={})
RED = InputResponse(result={"action": "accept", "content": {"value": "red"}})
BLUE = InputResponse(result={"action": "accept", "content": {"value": "blue"}})
FOLDERS = InputResponse(result={"roots": [{"uri": "file:///home"}]})
ERROR_RESPONSE = InputResponse(error={"code": -32601, "message": "no such method"})


@tool(timeout=5 * MINUTE)
def job(name: str = "") -> str:
    """Work."""
    return name


@tool(tasks="always", machine="slow", timeout=3 * DAY, ttl=4 * DAY)
def slow() -> str:
    """Take your time."""
    return ""


def service(limits: Limits | None = None, **ports: Any) -> TaskService:
    return TaskService(ports=memory_ports(**ports), limits=limits or Limits())


def progress(tasks: TaskService, task: Task, done: float) -> Task:
    return tasks.apply(ADA.owner_key, task.id, Progressed(progress=Progress(progress=done)))
