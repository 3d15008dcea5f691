"""The actions of the DynamoDB transaction that writes a task's transition; pure, no I/O."""

from datetime import datetime

from mcp_tasks.adapters.dynamodb.items import Item, changing, epoch, expiry_attributes, holding_attribute, primary_key
from mcp_tasks.adapters.dynamodb.table import putting
from mcp_tasks.limits.waits import FIRST_CHECK
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final


def replacing(owner_key: str, before: Task, after: Task) -> Item:
    """Return the Update that replaces `before` by `after`, on condition of `before`'s version and of what it holds.

    So what a task holds is given back once, however many try.  A task that becomes final is removed from the sparse
    index that the sweep reads.
    """
    attributes = changing(after)
    if after.state is not before.state and after.state in (State.QUEUED, State.WORKING):
        # Its execution is about to be started or resumed: the sweep checks soon that it was.
        attributes["checkAt"] = epoch(after.updated_at + FIRST_CHECK)
    elif after.state is not before.state and (at := _first_check(owner_key, after)) is not None:
        # Or maybe an hour later, where the task had no slot.
        attributes["checkAt"] = epoch(at)
    settings = ", ".join(f"#{name} = :{name}" for name in attributes)
    removed = ["liveShard", "checkAt"] * is_final(after) + ["holding"] * ("holding" not in attributes)
    held = holding_attribute(before.holding)
    is_held = "holding = :held" if held else "attribute_not_exists(holding)"
    return {
        "Update": {
            "Key": primary_key(owner_key, "task", after.id),
            "UpdateExpression": f"SET {settings}" + (f" REMOVE {', '.join(removed)}" if removed else ""),
            "ConditionExpression": f"#version = :before AND {is_held}",
            "ExpressionAttributeNames": {f"#{name}": name for name in attributes},
            "ExpressionAttributeValues": {
                ":before": {"N": str(before.version)},
                **({":held": held["holding"]} if held else {}),
                **{f":{name}": value for name, value in attributes.items()},
            },
        }
    }


def _first_check(owner_key: str, task: Task) -> datetime | None:
    if not any(each.approval for each in task.open_input_requests):
        return None
    # Saves 2 ms of every cold start: few tasks ask others.
    from mcp_tasks.tasks.notifications import first_check

    return first_check(owner_key, task)


def indexing_for_session(owner_key: str, before: Task, after: Task) -> list[Item]:
    """Return the action that keeps the `asks` item of a task's session: there is one while input is required.

    Returns no action where the transition does not change that, or the task has no session.
    """
    required_before, required_after = (task.state is State.INPUT_REQUIRED for task in (before, after))
    if after.session is None or required_before == required_after:
        return []
    key = primary_key(owner_key, "asks", after.session, after.id)
    return [putting(key | expiry_attributes(after.expires_at)) if required_after else {"Delete": {"Key": key}}]
