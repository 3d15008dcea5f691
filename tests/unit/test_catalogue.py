"""Tools as the door knows them: the same as the tools themselves, without their modules."""

import json
import subprocess
import sys

import pytest

from mcp_tasks import Context
from mcp_tasks.features import catalogue
from mcp_tasks.features.tools import Tool
from mcp_tasks.toolkit.errors import BadArguments
from mcp_tasks.wire.rev_2025_11_25 import render
from tests.deaf_journal import DEAF
from tests.kit import ADA
from tools import TOOLS

HEAVY = ("pydantic", "pydantic_core", "tools", "boto3", "jwt", "jsonschema", "cryptography", "asyncio")
FIELDS = ["name", "tasks", "timeout", "ttl", "poll_interval", "inline_wait", "machine", "annotations"]


def listed() -> list[Tool]:
    return list(catalogue.read(catalogue.write("tools")).tools)


@pytest.mark.parametrize("may_hand_over", [True, False])
def test_a_listed_tool_is_shown_as_the_tool_itself(may_hand_over: bool) -> None:
    def shown(tools: list[Tool]) -> list[object]:
        return [render.tool(tool, may_hand_over=may_hand_over) for tool in tools]

    assert shown(listed()) == shown(TOOLS)


@pytest.mark.parametrize("field", FIELDS)
def test_a_listed_tool_is_started_as_the_tool_itself(field: str) -> None:
    assert [getattr(tool, field) for tool in listed()] == [getattr(tool, field) for tool in TOOLS]


def test_a_listed_tool_is_called_like_the_tool_itself() -> None:
    greet = next(tool for tool in listed() if tool.name == "greet")
    context = Context(caller=ADA, journal=DEAF)

    assert greet.work.call({"name": "Ada"}, context) == TOOLS[0].work.call({"name": "Ada"}, context)
    assert greet(name="Ada") == "Hello, Ada!"
    with pytest.raises(BadArguments, match="name is missing"):
        greet.work.check({})


def test_the_door_imports_neither_tools_nor_what_they_import(tmp_path: object) -> None:
    file = f"{tmp_path}/catalogue.json"
    with open(file, "w") as text:
        text.write(catalogue.write("tools"))
    environment = {
        "TABLE_NAME": "tasks",
        "PAYLOAD_BUCKET": "payloads",
        "CATALOGUE": file,
        "AWS_DEFAULT_REGION": "eu-west-1",
        "PYTHONPATH": ":".join(sys.path),
    }
    asked = (
        f"import functions.serve_mcp.handler, sys, json; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == []
