"""Helpers that read the server's inner state: executions, counters, invoked functions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp_tasks.adapters.dynamodb.items import count_in
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.tasks import DeployedTasks

FUNCTION = "AWS::Lambda::Function"


def function_arn(template: Template, folder: str) -> str:
    """Return the ARN of the function in `functions/<folder>`."""
    handler = f"functions.{folder}.handler.handler"
    (name,) = (name for name, each in template.ours(FUNCTION) if each["Handler"] == handler)
    (found,) = (each for each in template.arns(FUNCTION) if each.rpartition(":")[2] == name)
    return found


def machine_arn(template: Template, name: str) -> str:
    """Return the ARN of the state machine of that name."""
    (found,) = (each for each in template.arns("AWS::StepFunctions::StateMachine") if each.endswith(f"-{name}"))
    return found


def executions(tasks: DeployedTasks) -> list[str]:
    """Return the status of every execution."""
    return [str(execution["status"]) for execution in tasks.harness.deliveries.execution_outcomes.all()]


def active(tasks: DeployedTasks) -> int:
    """Return how many tasks count against their tenants' limits."""
    items = tasks.harness.table.items()
    return sum(count_in(item, "active") for item in items if item["SK"]["S"].startswith("quota#"))


@contextmanager
def called(tasks: DeployedTasks) -> Iterator[list[str]]:
    """Yield a list that fills with the names of invoked functions, without `sweep` and `on_task_change`."""
    names: list[str] = []
    handlers = tasks.harness.lambdas.handlers
    before = dict(handlers)

    def recording(name: str, folder: str) -> Any:
        def handler(event: Any, context: Any) -> Any:
            names.append(folder)
            return before[name](event, context)

        return handler

    for name, function in tasks.harness.template.ours("AWS::Lambda::Function"):
        folder = function["Handler"].split(".")[1]
        if folder not in ("sweep", "on_task_change"):
            handlers[name] = recording(name, folder)
    try:
        yield names
    finally:
        handlers.update(before)
