"""The smallest tool has the smallest tests."""

import pytest

from mcp_tasks.testing.client import Client, NotATask
from tools.greet import greet


def test_it_greets_by_name() -> None:
    assert greet(name="Ada") == "Hello, Ada!"


def test_it_greets_the_caller(client: Client) -> None:
    assert client.call_tool("greet", {"name": "Ada"}).text == "Hello, Ada!"


def test_it_is_never_a_task(client: Client) -> None:
    with pytest.raises(NotATask):
        client.start_task("greet", {"name": "Ada"})
