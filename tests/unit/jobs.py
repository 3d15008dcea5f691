"""Two tools to make tasks of, and a service that keeps these in memory."""

from datetime import timedelta
from typing import Any

from mcp_tasks import tool
from mcp_tasks.service import Limits, TaskService
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import Progress, Returned, Task
from tests.kit import ADA, memory_ports

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
DONE = Returned(result={"content": []})


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
    return tasks.apply(ADA.scope, task.id, Progressed(progress=Progress(progress=done)))
