"""docs/deploy.md: the function for a proxy in front of API Gateway does what the page says."""

import json
import subprocess
from typing import Any

import pytest

from tests.docs.blocks import blocks

CHALLENGE = 'Bearer error="insufficient_scope", scope="reports:write"'
RENAMED = {"x-amzn-remapped-www-authenticate": [{"key": "x-amzn-Remapped-WWW-Authenticate", "value": CHALLENGE}]}


@pytest.mark.parametrize(
    ("headers", "added"),
    [(RENAMED, {"www-authenticate": [{"key": "WWW-Authenticate", "value": CHALLENGE}]}), ({}, {})],
    ids=["challenged", "not challenged"],
)
def test_the_function_at_the_edge_gives_a_challenge_its_name_back(
    headers: dict[str, Any], added: dict[str, Any]
) -> None:
    (block,) = blocks("docs/deploy.md", "js")
    event = json.dumps({"Records": [{"cf": {"response": {"status": "403", "headers": headers}}}]})
    program = f"{block}console.log(JSON.stringify(await handler({event})));"

    done = subprocess.run(
        ["node", "--input-type=module", "-"], input=program, capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout) == {"status": "403", "headers": headers | added}
