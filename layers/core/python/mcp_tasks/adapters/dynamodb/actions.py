"""What a move of a task asks of the table, as actions of one transaction; pure, no I/O."""

from mcp_tasks.adapters.dynamodb.items import Item, changing, epoch, lifetime, primary_key
from mcp_tasks.adapters.dynamodb.table import putting
from mcp_tasks.limits.waits import FIRST_CHECK
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final


def replacing(owner_key: str, before: Task, after: Task) -> Item:
    """Return the action that makes `after` of `before`, and takes a task that ends off the sweep's index."""
    attributes = changing(after)
    if before.state is State.INPUT_REQUIRED and after.state is State.WORKING:
        # Somebody is about to let the work go on: see soon whether it does.
        attributes["checkAt"] = epoch(after.updated_at + FIRST_CHECK)
    settings = ", ".join(f"#{name} = :{name}" for name in attributes)
    return {
        "Update": {
            "Key": primary_key(owner_key, "task", after.id),
            "UpdateExpression": f"SET {settings}" + (" REMOVE liveShard, checkAt" if is_final(after) else ""),
            "ConditionExpression": "#version = :before",
            "ExpressionAttributeNames": {f"#{name}": name for name in attributes},
            "ExpressionAttributeValues": {
                ":before": {"N": str(before.version)},
                **{f":{name}": value for name, value in attributes.items()},
            },
        }
    }


def listing(owner_key: str, before: Task, after: Task) -> list[Item]:
    """Return the action that indexes the task by its session while its input requests are open, or removes it."""
    asked, asks = (task.state is State.INPUT_REQUIRED for task in (before, after))
    if after.session is None or asked == asks:
        return []
    key = primary_key(owner_key, "asks", after.session, after.id)
    return [putting(key | lifetime(after.expires_at)) if asks else {"Delete": {"Key": key}}]
