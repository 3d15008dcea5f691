"""The ways in which only clients of one revision use the server."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from tests.deploys.load import Use, User
from tests.deploys.uses import LIKES
from tests.timeout import until

RED = {"first": {"action": "accept", "content": {"colour": "red"}}}
BLUE = {"second": {"action": "accept", "content": {"colour": "blue"}}}


def result(user: User, turn: int) -> None:
    """Wait for a task by `tasks/result`, over as many streams as it takes."""
    client = user.connected()
    task = user.started(client, "plod", beats=12)
    response, _ = client.outcome(task.id)
    assert response["result"]["content"][0]["text"] == "12 beats"


def stream(user: User, turn: int) -> None:
    """Answer the input requests of a task on the stream of its `tasks/result`."""
    client = user.connected()
    task = user.started(client, "ask", name=f"Ada {turn}")
    response, _ = client.outcome(task.id)
    assert response["result"]["content"][0]["text"] == f"Ada {turn} {LIKES}"


def session(user: User, turn: int) -> None:
    """List all tasks of a subject, page by page, in a session that began before them."""
    client = user.connected(f"ada {turn}")
    client.initialize({})
    begun = [user.started(client, "repeat", text=f"{turn}, {number}") for number in range(3)]
    page = client.result("tasks/list")
    listed = list(page["tasks"])
    while "nextCursor" in page:
        page = client.result("tasks/list", cursor=page["nextCursor"])
        listed += page["tasks"]
    assert {each["taskId"] for each in listed} == {task.id for task in begun}
    assert [task.wait().text for task in begun] == [f"{turn}, {number}" for number in range(3)]
    assert client.send("DELETE").status == 204


def rounds(user: User, turn: int) -> None:
    """Call a tool that asks within the call, which the client repeats with its response (MRTR)."""
    assert user.connected().call_tool("choose", {"of": f"turn {turn}"}).text == f"TURN {turn}: green"


def listen(user: User, turn: int) -> None:
    """Listen for a task that asks, and answer what the notifications say."""
    client = user.connected()
    task = user.started(client, "ask", name=f"Ada {turn}")
    for answer in (RED, BLUE):
        until(lambda: _heard(client, task.id) == "input_required", within=60)
        client.result("tasks/update", taskId=task.id, inputResponses=answer)
        until(partial(_taken, client, task.id, answer))
    until(lambda: _heard(client, task.id) == "completed", within=60)
    assert task.result.text == f"Ada {turn} {LIKES}"


def _taken(client: Any, task_id: str, answer: Mapping[str, Any]) -> bool:
    """Return whether a task no longer asks what was answered."""
    return not answer.keys() & client.tasks_get(task_id).get("inputRequests", {}).keys()


def _heard(client: Any, task_id: str) -> str | None:
    """Return the last status of a task that a stream tells."""
    wanted = {"notifications": {"taskIds": [task_id]}}
    told = client.send_request("subscriptions/listen", wanted).notifications("notifications/tasks")
    return str(told[-1]["status"]) if told else None


OF_2025: Final[Mapping[str, Use]] = {each.__name__: each for each in (result, stream, session)}
OF_2026: Final[Mapping[str, Use]] = {each.__name__: each for each in (rounds, listen)}
