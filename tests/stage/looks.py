"""What a test may look at behind the server's door."""

from tests.stage.tasks import StagedTasks


def executions(tasks: StagedTasks) -> list[str]:
    """Return the status of every execution."""
    return [str(execution["status"]) for execution in tasks.stage.deliveries.endings.all()]


def active(tasks: StagedTasks) -> int:
    """Return how many tasks count against their tenants' limits."""
    items = tasks.stage.table.items()
    return sum(int(item["active"]["N"]) for item in items if item["SK"]["S"].startswith("quota#"))
