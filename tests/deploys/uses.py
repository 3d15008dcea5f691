"""The ways in which clients of any revision use the server: a kind of task or call each."""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.client import Client, InputRequest
from tests.deploys.load import Use, User
from tests.timeout import until

COLOURS: Final = {"Which?": "green", "Which colour?": "red", "And beside red?": "blue"}
LIKES: Final = "likes red and blue"
RUNNING: Final = 4
"""How many tasks of a tenant run at a time, of which one subject has half."""


def colour(request: InputRequest) -> JSON:
    """Respond to the input requests of the tools."""
    return {"action": "accept", "content": {"colour": COLOURS[request.message]}}


def quick(user: User, turn: int) -> None:
    """Run a task that returns at once."""
    text = f"turn {turn}"
    assert user.started(user.connected(), "repeat", text=text).wait().text == text


def steps(user: User, turn: int) -> None:
    """Run a task of three steps."""
    word = f"w{turn}-"
    assert user.started(user.connected(), "collect", word=word).wait().text == f"{word}0 {word}1 {word}2"


def progress(user: User, turn: int) -> None:
    """Run a task that reports its progress, which goes back only where another attempt has begun."""
    client: Client = user.connected()
    task = user.started(client, "plod", beats=10)
    attempts: list[list[int]] = [[]]
    while (state := client.get_task(task.id)).status == "working":
        message = state.message or ""
        if message.startswith("beat "):
            attempts[-1].append(int(message.removeprefix("beat ")))
        else:
            attempts.append([])
        client.poll(state.poll_interval)
    assert all(beats == sorted(beats) for beats in attempts), attempts
    assert task.result.text == "10 beats"


def asks(user: User, turn: int) -> None:
    """Run a task that asks twice; a new client answers."""
    task = user.started(user.connected(), "ask", name=f"Ada {turn}")
    assert user.connected().task(task.id).wait().text == f"Ada {turn} {LIKES}"


def sleeps(user: User, turn: int) -> None:
    """Run a task that sleeps twice."""
    assert user.started(user.connected(), "nap", word=f"{turn}cba").wait().text == f"abc{str(turn)[::-1]}"


def machine(user: User, turn: int) -> None:
    """Run a task with a state machine of its own."""
    task = user.started(user.connected(), "remind_me", after_seconds=1, about=f"turn {turn}")
    assert task.wait().text == f"Reminder after 1 s: turn {turn}"


def queue(user: User, turn: int) -> None:
    """Run more tasks than may run at a time."""
    client = user.connected()
    tasks = [user.started(client, "plod", beats=2) for _ in range(RUNNING)]
    assert [task.wait().text for task in tasks] == ["2 beats"] * RUNNING


def cancel(user: User, turn: int) -> None:
    """Cancel a task once it works."""
    client: Client = user.connected()
    task = user.load.keep(user.name, client.start_task("plod", {"beats": 500}), "cancelled")
    until(lambda: "beat" in (task.status_message or ""), within=60)
    task.cancel()
    assert task.status == "cancelled"


def inline(user: User, turn: int) -> None:
    """Call a tool that is no task."""
    assert user.connected().call_tool("add", {"a": turn, "b": 7}).text == str(turn + 7)


USES: Final[Mapping[str, Use]] = {
    each.__name__: each for each in (quick, steps, progress, asks, sleeps, machine, queue, cancel, inline)
}
