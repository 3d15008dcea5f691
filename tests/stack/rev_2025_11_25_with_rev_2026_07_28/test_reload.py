"""`make stack` takes up tools and state machines as they are saved; tasks go on, and what runs is not interrupted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator import EXAMPLES
from local.stack import Stack, running_stack, taking_up_saved
from mcp_tasks.testing.rev_2026_07_28 import Client
from tests.protocol.rev_2025_11_25.over_http import client as old_client
from tests.protocol.rev_2026_07_28.over_http import client as new_client
from tests.saved import ANSWER, ASK
from tests.timeout import until

TOOLS = (
    """
from pathlib import Path
from time import sleep

WORD = "VERSION"
"""
    + ASK
    + """

@tool()
def hold(started: str, until: str, context: Context) -> str:
    '''Wait for a file.'''
    Path(started).touch()
    while not Path(until).exists():
        sleep(0.02)
    return f"{WORD}, attempt {context.attempt}"


@tool(tasks="never")
def say() -> str:
    '''Say VERSION.'''
    return WORD


@tool(machine="words")
def by_machine() -> str:
    '''Have a state machine say a word.'''


TOOLS = [ask, hold, say, by_machine]
"""
)
MACHINE = """
from aws_cdk.aws_stepfunctions import Pass


def work(scope, functions):
    return Pass.jsonata(scope, "Say", outputs="WORD")
"""


class Saved:
    """A module of tools, and a package of state machines, that all say one word."""

    def __init__(self, folder: Path) -> None:
        self.tools = folder / "saved_tools.py"
        self.machine = folder / "saved_machines" / "words.py"
        self.machine.parent.mkdir()
        self.say("one")

    def say(self, word: str) -> None:
        self.tools.write_text(TOOLS.replace("VERSION", word))
        self.machine.write_text(MACHINE.replace("WORD", word))


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Saved:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return Saved(tmp_path)


@pytest.fixture
def own_stack(saved: Saved) -> Iterator[Stack]:
    with (
        running_stack(app=EXAMPLES, tools="saved_tools", machines_module="saved_machines") as stack,
        taking_up_saved(stack),
    ):
        yield stack


def answer(client: Client, task_id: str) -> str:
    until(lambda: client.tasks_get(task_id)["status"] == "completed")
    return str(client.tasks_get(task_id)["result"]["content"][0]["text"])


@pytest.mark.slow
def test_what_is_saved_is_taken_up_and_tasks_survive_it(
    saved: Saved, own_stack: Stack, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    token = own_stack.token("acme", "ada")
    old, new = old_client(own_stack.url, token), new_client(own_stack.url, token)
    old.initialize()
    started, enough = tmp_path / "started", tmp_path / "enough"
    asks, holds = new.start("ask"), new.start("hold", started=str(started), until=str(enough))
    until(lambda: new.tasks_get(asks)["status"] == "input_required" and started.exists())

    saved.say("two")
    until(lambda: "Say two." in [tool["description"] for tool in new.result("tools/list")["tools"]])
    assert old.call("say")["content"][0]["text"] == "two"
    enough.touch()
    new.result("tasks/update", taskId=asks, inputResponses=ANSWER)
    answers = answer(new, holds), answer(new, asks)

    assert answers == ("one, attempt 1", "two, Ada")
    until(lambda: answer(new, new.start("by_machine")) == "two")

    saved.tools.write_text("TOOLS = [")
    terminal = ""

    def told() -> bool:
        nonlocal terminal
        terminal += capfd.readouterr().err
        return "SyntaxError: '[' was never closed" in terminal

    until(told)
    assert "saved_tools.py: the stack stays as it was, since the tools cannot be imported" in terminal
    assert new.call("say")["content"][0]["text"] == "two"
