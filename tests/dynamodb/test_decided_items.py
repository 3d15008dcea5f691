"""What is kept of an approval that was decided, as the release before kept it."""

import json
from pathlib import Path

from mcp_tasks.adapters.dynamodb.inbox_items import decided_item_of, decisions_of

KEPT = Path(__file__).parents[1] / "releases/0.4/items/decided.json"


def test_one_that_does_not_say_who_asked_is_in_no_history() -> None:
    """Whether somebody may see it depends on that; who comes second is still told who was first."""
    (item,) = (each for each in json.loads(KEPT.read_text()) if each["SK"]["S"].startswith("decided#"))

    before = {name: value for name, value in item.items() if name not in ("asked", "owner")}
    assert decided_item_of(before) is None
    assert len(decisions_of(before)) == 2
