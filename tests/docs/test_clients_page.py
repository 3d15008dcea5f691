"""docs/clients.md: the configurations that it shows are valid."""

import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from mcp_tasks.limits.waits import INLINE_WAIT
from tests.docs.blocks import ROOT, blocks

NAME = "docs/clients.md"
PAGE = (ROOT / NAME).read_text()
URL = "https://tasks.example.com/mcp"
PROGRAMS = {"claude", "npx"}


def texts(value: Any) -> Iterator[str]:
    """Return every string of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


@pytest.mark.parametrize("block", blocks(NAME, "json"), ids=range(len(blocks(NAME, "json"))))
def test_what_goes_into_a_file_is_json_and_names_the_server_and_a_token(block: str) -> None:
    found = list(texts(json.loads(block)))

    assert URL in found
    assert any(text.startswith("Bearer ") for text in found)


def test_what_goes_into_codex_is_toml() -> None:
    (server,) = [tomllib.loads(block)["mcp_servers"]["tasks"] for block in blocks(NAME, "toml")]

    assert (server["url"], server["bearer_token_env_var"]) == (URL, "MCP_TOKEN")


@pytest.mark.parametrize("line", "".join(blocks(NAME, "sh")).splitlines())
def test_what_is_typed_is_one_command(line: str) -> None:
    words = shlex.split(line)

    assert words[0] in PROGRAMS
    for option, value in pairwise(words):
        if option == "--header":
            assert value == "Authorization: Bearer $MCP_TOKEN"
        if option == "--tool-args-json":
            json.loads(value)


def test_the_python_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_TOKEN", "secret")
    (block,) = blocks(NAME, "python")
    names: dict[str, Any] = {}
    exec(compile(block, "clients.md", "exec"), names)

    assert (names["URL"], names["HEADERS"]) == (URL, {"Authorization": "Bearer secret"})


def test_the_javascript_reads() -> None:
    (block,) = blocks(NAME, "js")
    program = block + "console.log(url, headers.Authorization);"

    environment = os.environ | {"MCP_TOKEN": "secret"}
    done = subprocess.run(
        ["node", "--input-type=module", "-"], input=program, env=environment, capture_output=True, text=True
    )

    assert done.stdout.split() == [URL, "Bearer", "secret"], done.stderr


def test_every_row_of_the_table_has_all_columns() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    table = rows[: next(at for at, row in enumerate(rows) if row.startswith("| Host | What happens"))]

    assert {row.count("|") for row in table} == {8}


def test_the_wait_that_the_page_names_is_the_default() -> None:
    (seconds,) = re.findall(r"`inline_wait` \((\d+) seconds by default\)", PAGE)

    assert int(seconds) == INLINE_WAIT.total_seconds()
