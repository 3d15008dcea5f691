"""Each tool has what directories of hosts require: a title, and annotations that say what it may change."""

import pytest

from examples import TOOLS
from mcp_tasks import Tool


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_a_tool_has_a_title_and_says_what_it_may_change(tool: Tool) -> None:
    assert tool.title
    assert {"readOnlyHint", "openWorldHint"} <= set(tool.annotations)
    assert tool.annotations["readOnlyHint"] or {"destructiveHint", "idempotentHint"} <= set(tool.annotations)
