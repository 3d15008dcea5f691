"""The console says of each decision who decided, and who acted for them."""

import json
import re
import subprocess
from typing import Any

import pytest

from mcp_tasks.page import FILE

DECISION = {"subject": "grace", "action": "accept", "at": "12:00", "channel": "approval_decide"}


def shown(decision: dict[str, Any]) -> list[str]:
    """Return the lines of an approval with this decision, as the page shows them."""
    (code,) = re.findall(r"^const CHANNEL = .*?(?=^/\* What was decided)", FILE.read_text(), re.DOTALL | re.MULTILINE)
    program = "const h = (tag, {text}, ...children) => (text || '') + children.join(''), time = (at) => at + ' ';\n"
    program += f"{code}\nconsole.log(JSON.stringify(decisionsOf({json.dumps({'decisions': [decision]})})));"
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, timeout=60, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("acting", "line"),
    [
        ({}, "12:00 Approved by grace, in an inbox"),
        ({"actor": "helper"}, "12:00 Approved by grace through helper, in an inbox"),
        (
            {"actor": "helper", "actors": ["helper", "scheduler", "desk"]},
            "12:00 Approved by grace through helper and scheduler and desk, in an inbox",
        ),
    ],
    ids=["no actor", "one actor", "three actors"],
)
def test_decision_is_shown_with_all_of_its_actors(acting: dict[str, Any], line: str) -> None:
    assert shown({**DECISION, **acting}) == [line]
