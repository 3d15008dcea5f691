"""A test of a tool, with the plugin of the package."""

from mcp_tasks.testing.client import Client

pytest_plugins = ["mcp_tasks.testing.plugin"]


def test_words_are_counted(client: Client) -> None:
    assert client.start_task("count_words", {"text": "one two three"}).wait().text == "3"
